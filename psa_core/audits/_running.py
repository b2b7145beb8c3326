"""How an audit is run: progress, stopping, partial results; and its texts scored through the engine and the cache."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from psa_core.cache import ScoreCache
from psa_core.environment import versions
from psa_core.models import Scorer
from psa_core.scoring import CellScores, Grid, Progress, Watch, score_cells

ACCOUNT = ("unique_texts", "cache_hits", "texts_scored", "device", "backend", "precision", "texts_truncated")


@dataclass(frozen=True)
class Running(Watch):
    """How an audit is run: what it calls on its way, and whether scores are kept."""

    cached: bool = True
    #: The result folder, beside which an audit may keep what it has until it is finished.
    out: Path | None = None
    #: Takes smaller results on the way; None where nobody looks at them.
    publish: Callable[[Any], None] | None = None

    def part(self, number: int, parts: int) -> Running:
        """The same for one of several equal gauges (from 0), so that the whole goes up once, from nothing to all."""
        show = self.on_window
        if show is None or parts == 1:
            return self

        def of_all(progress: Progress) -> None:
            """A window of one part as a part of the whole; the other parts are taken to be as large."""
            sentences, texts = progress.sentences_total, progress.texts_total
            show(
                replace(
                    progress,
                    sentences_done=number * sentences + progress.sentences_done,
                    sentences_total=parts * sentences,
                    texts_done=number * texts + progress.texts_done,
                    texts_total=parts * texts,
                    seconds_left=progress.seconds_left if number + 1 == parts else None,
                )
            )

        return replace(self, on_window=of_all)


def score_grid(scorer: Scorer, grid: Grid, running: Running) -> CellScores:
    """Score every text of a grid (R, C): (R, C, T) scores."""
    running.allow(len(grid))
    cache = ScoreCache.open() if running.cached else None
    return score_cells(scorer, grid, cache=cache, on_window=running.on_window, should_stop=running.should_stop)


def plain_record(imported: Any) -> dict[str, Any]:
    """What another's manifest says of one model's scores: the plain ones of `scoring_record`'s fields."""
    if not isinstance(imported, dict):
        return {}
    plain = {name: imported.get(name) for name in (*ACCOUNT, "fingerprint", "seconds")}
    return {name: value for name, value in plain.items() if isinstance(value, str | int | float)}


def scoring_record(scorer: Scorer, scores: CellScores) -> dict[str, Any]:
    """A manifest's entries about one model's scores."""
    return {
        "fingerprint": scorer.fingerprint,
        **{name: getattr(scores, name) for name in ACCOUNT},
        "notes": list(scores.notes),
        "seconds": round(scores.seconds, 3),
        "versions": versions(),
    }
