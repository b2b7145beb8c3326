"""Score the cells of a study: distinct texts only, from the cache where known."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any

import numpy as np

from psa_core.cache import ScoreCache, digests
from psa_core.errors import Cancelled
from psa_core.inputs.checks import as_texts
from psa_core.models import Scorer
from psa_core.scoring._base import Backend, Cells, CellScores, Conditions, Progress, ScoringOptions
from psa_core.scoring._ledger import Ledger
from psa_core.scoring._ray import RayExecutor, open_ray
from psa_core.scoring.backends import choose_backend

# Texts that a backend is verified and calibrated on.
SAMPLE = 96
SLICE_SECONDS = 0.25
#: What the store notes of how a score was computed.
WAY = ("device", "backend", "precision")


def score(scorer: Scorer, texts: Sequence[str]) -> np.ndarray:
    """Score texts through the engine, without the cache.

    Parameters
    ----------
    texts : sequence of str
        Equal texts are scored once.

    Returns
    -------
    float32 array (len(texts), T)
        In the order of the texts.

    Raises
    ------
    CorpusError
        When one of the texts is no string, or they are one string.
    ModelError
        When the scorer's answer has the wrong shape or type, or is not finite.

    Examples
    --------
    >>> from psa_core import models
    >>> score(models.load("vader"), ["I love it.", "I hate it."]).shape
    (2, 1)
    """
    texts = as_texts(texts)
    _, first, where = np.unique(digests(texts), return_index=True, return_inverse=True)
    distinct = [texts[i] for i in first]
    backend = choose_backend(scorer, ScoringOptions(), sample=distinct[:SAMPLE], total=len(distinct))
    return backend.score(backend.read(distinct), lambda: None)[where]


def score_slices(scorer: Scorer, texts: Sequence[str]) -> Iterator[np.ndarray]:
    """Score texts through the engine in slices, for a caller that has to be able to stop or to let others in.

    The first slice is a single text, which tells how many fit into a quarter of a second. Yields the scores of the next
    k texts, float32 (k, T), in the texts' order; equal texts of different slices are scored twice.
    """
    texts = as_texts(texts)
    backend = choose_backend(scorer, ScoringOptions(), sample=texts[:SAMPLE])
    start, size = 0, 1
    while start < len(texts):
        began = time.perf_counter()
        scores = backend.score(backend.read(texts[start : start + size]), lambda: None)
        took = time.perf_counter() - began
        yield scores
        start += size
        size = max(1, min(8 * size, int(size * SLICE_SECONDS / max(took, 1e-6))))


def score_cells(
    scorer: Scorer,
    perturbation: Cells,
    *,
    options: ScoringOptions | None = None,
    cache: ScoreCache | None = None,
    on_window: Callable[[Progress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> CellScores:
    """Score every sentence as it is and with every name.

    Scores are written to the `cache` window by window, so a run that is killed loses at most one. `on_window` gets the
    progress after each window, `should_stop` is asked before each batch. Raises `Cancelled` when it answered True,
    `ModelError` when the scorer does not answer as one must.
    """
    options = options or ScoringOptions()
    run = _Run(scorer, perturbation, options, cache)
    run.score_missing(on_window or (lambda _: None), should_stop or (lambda: False))
    return run.result()


class _Run:
    def __init__(self, scorer: Scorer, cells: Cells, options: ScoringOptions, cache: ScoreCache | None) -> None:
        self.scorer, self.options, self.cache = scorer, options, cache
        self.began = self.scoring_began = time.perf_counter()
        fingerprint = scorer.fingerprint
        if options.precision == "fast" and hasattr(scorer, "device"):  # exact scores are the same on every device
            fingerprint = f"{fingerprint} fast on {scorer.device}"
        key = b"" if cache is None else cache.key(fingerprint)
        self.ledger = Ledger(cells, seed=options.seed, width=len(scorer.targets), key=key)
        self.executor: Backend | RayExecutor | None = None
        self.stopped_at: int | None = None
        self.hits = self.texts_scored = 0
        self.earlier: list[Conditions] = []
        if cache is not None:
            found, scores = cache.read(self.ledger.keys, len(scorer.targets))
            ids = np.flatnonzero(found)
            self.ledger.enter(ids, scores[ids])
            self.hits = len(ids)
            ways = cache.ways(self.ledger.keys[ids])
            self.earlier = [Conditions(device, backend, precision) for device, backend, precision in ways]

    def score_missing(self, on_window: Callable[[Progress], None], should_stop: Callable[[], bool]) -> None:
        def check() -> None:
            if should_stop():
                raise Cancelled

        check()
        total = len(self.ledger.keys) - self.hits
        if total and not self._is_precise():
            sample = next(self.ledger.windows(lambda: SAMPLE)).texts[:SAMPLE]
            given: dict[str, Any] = {"sample": sample, "total": total}
            is_spread = self.options.executor.partition(":")[0] == "ray"
            executor = (open_ray if is_spread else choose_backend)(self.scorer, self.options, **given)
            self.executor, self.scoring_began = executor, time.perf_counter()
            windows = self.ledger.windows(lambda: self.options.window_texts or executor.window_texts)
            with closing(executor.stream(windows, check)) as answers:
                for window, scores in answers:
                    self.ledger.enter(window.ids, scores)
                    self.texts_scored += len(window.ids)
                    if self.cache is not None:
                        now = executor.conditions()
                        replied = ~np.isnan(scores).all(axis=1)  # where nothing came back, it is asked again
                        keys = self.ledger.keys[window.ids][replied]
                        self.cache.write(keys, scores[replied], [getattr(now, part) for part in WAY])
                    on_window(self._progress())
                    if self._is_precise():
                        break
        if not self.texts_scored:
            on_window(self._progress())

    def _is_precise(self) -> bool:
        width = self.options.until_precision
        if width is not None and self.ledger.precise(width):
            self.stopped_at = self.ledger.finished
        return self.stopped_at is not None

    def result(self) -> CellScores:
        done = self.ledger.finished if self.stopped_at is None else self.stopped_at
        original, perturbed = self.ledger.cells(done)
        found = vars(self._conditions())
        return CellScores(
            original=original,
            perturbed=perturbed,
            order=self.ledger.order[:done].copy(),
            unique_texts=len(self.ledger.keys),
            cache_hits=self.hits,
            texts_scored=self.texts_scored,
            seconds=time.perf_counter() - self.began,
            **found | {"notes": tuple(filter(None, (*found["notes"], self.cache.note if self.cache else "")))},
        )

    def _conditions(self) -> Conditions:
        """Of this run and of those whose scores it found, as after a kill."""
        every = [*self.earlier, *([self.executor.conditions()] if self.executor else [])]
        if not every:  # every score was known, and nobody noted how it was computed
            return Conditions(str(getattr(self.scorer, "device", "cpu")), "cache", self.options.precision)
        return Conditions.joined(every)

    def _progress(self) -> Progress:
        total = len(self.ledger.keys) - self.hits
        elapsed = time.perf_counter() - self.scoring_began
        rate = self.texts_scored / elapsed if self.texts_scored else 0.0
        return Progress(
            sentences_done=self.ledger.finished,
            sentences_total=len(self.ledger.order),
            texts_done=self.texts_scored,
            texts_total=total,
            seconds=time.perf_counter() - self.began,
            texts_per_second=rate,
            seconds_left=(total - self.texts_scored) / rate if rate else None,
            texts_truncated=self._conditions().texts_truncated,
            partial=self.result,
        )
