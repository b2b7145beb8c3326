"""How an audit is run: one gauge of several parts, scores that are remembered, and what a manifest says of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from psa_core import models
from psa_core.audits._running import Running, plain_record, score_grid, scoring_record
from psa_core.scoring import CellScores, Grid, Progress


def nothing() -> CellScores:
    raise AssertionError("nobody asked for the scores so far")


def test_the_gauge_of_two_models_goes_up_once() -> None:
    seen: list[tuple[int, int, int, int, float | None]] = []

    def show(window: Progress) -> None:
        counts = window.sentences_done, window.sentences_total, window.texts_done, window.texts_total
        seen.append((*counts, window.seconds_left))

    running = Running(on_window=show)
    for number in (0, 1):
        part = running.part(number, 2)
        assert part.on_window is not None
        part.on_window(Progress(3, 4, 20, 25, 1.0, 20.0, 0.25, partial=nothing))
    assert seen == [(3, 8, 20, 50, None), (7, 8, 45, 50, 0.25)]
    assert running.part(0, 1) is running and Running().part(1, 2).on_window is None


@pytest.mark.parametrize(("running", "hits"), [(Running, [0, 2]), (lambda: Running(cached=False), [0, 0])])
def test_scores_are_remembered_unless_somebody_says_no(
    running: Callable[[], Running], hits: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path))
    scorer, texts = models.load("keyword"), Grid.of(["He left.", "She ran."])
    found = [score_grid(scorer, texts, running()) for _ in range(2)]
    assert [one.cache_hits for one in found] == hits and found[0].original.shape == (2, 2)
    assert np.array_equal(found[0].original, found[1].original)
    record = scoring_record(scorer, found[0])
    assert (record["unique_texts"], record["texts_scored"], record["fingerprint"]) == (2, 2, scorer.fingerprint)
    assert record["seconds"] == round(found[0].seconds, 3)


def test_cells_are_counted_before_any_is_scored() -> None:
    def refuse(cells: int) -> None:
        raise OverflowError(cells)

    with pytest.raises(OverflowError, match="2"):
        grid = Grid(("a", "b"), ("He left.",), (("Ann left.", "Bo left."),))
        score_grid(models.load("keyword"), grid, Running(allow=refuse, cached=False))


def test_of_anothers_manifest_only_plain_values_are_taken() -> None:
    told = {"cache_hits": 3, "device": "cpu", "seconds": 1.5, "notes": ["x"], "backend": {"a": 1}, "other": 4}
    assert plain_record(told) == {"cache_hits": 3, "device": "cpu", "seconds": 1.5}
    assert plain_record(["cache_hits"]) == {}
