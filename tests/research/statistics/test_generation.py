"""The simulation of audits: its truths, and its command on a few audits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from psa_core.stats.wasserstein import individual_fairness
from research.statistics import generation
from research.statistics.generation import Population


def test_the_truth_is_what_many_continuations_show() -> None:
    population = Population("two", np.array([-0.3, 0.3]), 0.1)
    random = np.random.default_rng(0)
    measured = individual_fairness(population.scores(random, population.templates(random, 200), 2000))
    assert population.truth() == pytest.approx(measured, rel=0.05)
    assert Population("equal", np.zeros(3)).truth() == pytest.approx(0, abs=1e-12)


def test_common_random_numbers_tie_the_continuations_of_all_values() -> None:
    population, random = Population("tied", np.zeros(2), common=0.9), np.random.default_rng(0)
    scores = population.scores(random, population.templates(random), 200)
    assert np.corrcoef(scores[0])[0, 1] > 0.8


def test_the_command_writes_between_the_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generation, "populations", lambda: iter([Population("two", np.array([-0.3, 0.3]))]))
    monkeypatch.setattr(generation, "N_PERMUTATIONS", 40)
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- generation -->\nstale\n<!-- /generation -->\nafter\n", encoding="utf-8")
    generation.main(["--repetitions", "2", "--out", str(page)])
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n") and text.endswith("after\n") and "stale" not in text
    assert text.count("| two |") == 2 and text.count("called above noise:") == 16
