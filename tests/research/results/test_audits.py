"""Tables of the audits' page from opened folders."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd

from psa_core.audits.eec import corpus
from psa_core.cube import Target
from research.results import audits


def test_systems_stand_in_the_order_of_their_task_score() -> None:
    design = corpus.published_design()
    random = np.random.default_rng(0)
    scores = random.normal(0.5, 0.01, (len(design.rows), len(design.people), 1))
    scores[:, (design.people["gender"] == "female").to_numpy()] += 0.1
    one = corpus.cube(design, (Target("joy"),), scores.astype(np.float32))
    opened = SimpleNamespace(
        systems={"vader": one, "skops:far/away/svm.skops": one}, task_scores={"skops:far/away/svm.skops": 0.5}
    )
    found = audits.equity(opened)
    rows = found["eec gender"].splitlines()[2:]
    assert [row.split(" | ")[0] for row in rows] == ["| skops:svm.skops", "| vader"]
    assert "By gender 2 of 2 scores differ by the paper's test; 2 of these still do" in found["eec verdicts"]


def test_ranks_are_like_for_like() -> None:
    paper = pd.read_csv(audits.PAPER, index_col="country")
    changes = pd.DataFrame({"joy": paper["joy"], "anger": -paper["anger"], "not in the paper": 1.0})
    text = audits._ranks(changes)
    assert "| joy | +1.00 |" in text and "| anger | −1.00 |" in text and "2 tests" in text


def test_correlations_with_perplexity_are_written_a_hundredfold() -> None:
    columns = ("country", "target", "global_r", "local_r", "local_p", "original_r")
    rows = [("Spain", "joy", 0.2, 0.123, 0.5, None), ("Overall", "joy", -0.25, None, 0.04, 0.3)]
    found = pd.DataFrame(rows, columns=columns)
    local, overall = (
        SimpleNamespace(correlations=found, cube=SimpleNamespace(shape=(sentences, 5))) for sentences in (7, 1200)
    )
    written = audits.perplexity(local, overall)
    assert "| 1,200 tweets | joy |" in written["perplexity global"]
    assert "| originals and names | −25.0 |\n| originals alone | +30.0 |" in written["perplexity global"]
    assert "| Spain | +12.3 |\n| Overall | – |" in written["perplexity local"]
    assert "7 tweets; over all countries: joy p = 0.04." in written["perplexity local"]
