"""The sections of the page of results: made from studies, and put where the page has their marks."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from psa_core.cube import ScoreCube, Target
from psa_core.errors import OptionError
from research import documents
from research.results import audits, corpora, page
from research.results.__main__ import PAGE
from research.results.studies import Studied, fewer_names

MARK = re.compile(r"<!-- (.+?) -->")
NAMES = pd.DataFrame({"name": list("ABCDEFGH"), "career": [*("leader", "actor", "musician", "athlete") * 2]})


def studied() -> list[Studied]:
    """Every model on every corpus, with a name whose effect repeats."""
    random = np.random.default_rng(0)
    found = []
    for model, target in page.SHOWN.items():
        for source in corpora.SOURCES:
            original = random.uniform(0.2, 0.8, (24, 1)).astype(np.float32)
            effect = np.linspace(0, 0.1, 8)[None, :, None] + random.normal(0, 0.001, (24, 8, 1))
            sentences = pd.DataFrame({"sentence_id": [str(n) for n in range(24)], "text": "He left.", "anchor": "He"})
            cube = ScoreCube(
                sentences.assign(start=0, end=2, role="subject"),
                NAMES,
                (Target(target),),
                original,
                (original[:, None] + effect).astype(np.float32),
                {"account": {"read": 100, "no anchor": 60}},
            )
            found.append(Studied(model, source, cube))
    return found


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    data = tmp_path_factory.mktemp("data")
    for file in {file for files in corpora.LEARNED_FROM.values() for file in files}:
        (data / file).parent.mkdir(exist_ok=True)
        pd.DataFrame({"text": ["<user> he left"]}).to_csv(data / file, index=False)
    return page.measured(studied(), data)


def test_the_page_has_a_place_for_each_section(measured: dict[str, str]) -> None:
    written = documents.replaced(PAGE.read_text("utf-8"), measured)
    for text in measured.values():
        assert text.strip() in written
    assert documents.replaced(written, measured) == written  # again gives the same page


def test_every_mark_of_the_pages_is_closed() -> None:
    for path in (PAGE, audits.PAGE):
        marks = MARK.findall(path.read_text("utf-8"))
        assert marks[1::2] == [f"/{name}" for name in marks[::2]]


def test_what_the_sections_say(measured: dict[str, str]) -> None:
    assert measured["corpora"].count("| 24 | 24, 24, 24, 24, 24 |") == len(corpora.SOURCES)
    assert "| 24 × 8 |" in measured["table 2"] and "minilm" not in measured["table 2"]
    assert "minilm-hate | hate | reddit" in measured["table 2 of the adapters"]
    assert measured["names"].count("| H | +0.1") == len(page.SHOWN)
    assert "| vader | sentiment | +1.00 | +1.00 |" in measured["again"]


def test_a_page_without_the_marks_is_refused() -> None:
    with pytest.raises(OptionError, match="no section 'names'"):
        documents.replaced("<!-- names -->", {"names": "x"})


def test_fewer_names_are_balanced() -> None:
    assert fewer_names()["gender"].value_counts().to_dict() == {"female": 20, "male": 20}


def test_what_a_model_has_seen_is_counted(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "train.csv").write_text("text\nHe  LEFT @ann\n", "utf-8")
    monkeypatch.setattr(corpora, "LEARNED_FROM", {"model": ("train.csv",)})
    assert corpora.seen(["he left @bob", "She left"], "model", tmp_path) == 1
    assert corpora.seen(["he left @bob"], "vader", tmp_path) == 0


def test_correlations_are_corrected_over_the_page_and_signs_counted_by_model() -> None:
    found = {
        ("one", "a"): (0.6, 0.001, 0.5, 0.7),
        ("one", "b"): (-0.2, 0.002, -0.3, -0.1),
        ("two", "a"): (0.3, 0.03, 0.1, 0.5),
        ("two", "b"): (0.3, 0.04, 0.1, 0.5),
    }
    words = page.correlation_words(found)
    assert "1 is negative and 1 is positive beyond chance: one on a (+0.60), one on b (−0.20);" in words
    assert words.endswith("The sign differs between corpora for one.")
    assert "two on" not in words, "0.03 and 0.04 are 0.06 after Holm"


def test_no_claim_rests_on_what_a_model_learned_from(measured: dict[str, str]) -> None:
    assert "Of 23 correlations" in measured["correlations"], (
        "six models on four corpora, less profanity-check on Davidson"
    )
    assert measured["table 2"].count("davidson†") == 1 and "davidson†" not in measured["table 2 of the adapters"]
    assert all(
        f"- {career}s: " in measured["careers"] and "of 23 more" in measured["careers"] for career in page.CAREERS
    )
    assert len(re.findall(r"\| profanity-check .*† \|", measured["careers"])) == len(page.CAREERS)
