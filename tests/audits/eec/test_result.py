"""An equity audit from its specification to its folder and its report."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from psa_core.audits._running import Running
from psa_core.audits.eec import AUDIT, corpus, result, tables
from psa_core.audits.eec.result import EquitySpec
from psa_core.cube import Target
from psa_core.errors import OptionError

PEOPLE = (
    "person,object,reflexive,gender,race,pair\n"
    "my mom,my mom,herself,female,,1\nmy dad,my dad,himself,male,,1\n"
    "her,her,herself,female,,2\nhim,him,himself,male,,2\n"
)
WORDS = "kind,emotion,word\nstate,joy,glad\nstate,sadness,dissapointed\n"
TEMPLATES = "template,kind\n{person} feels {word}.,state\nI saw {object}.,\n"


@pytest.fixture
def lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    for part, content in (("people", PEOPLE), ("words", WORDS), ("templates", TEMPLATES)):
        (tmp_path / f"{part}.csv").write_text(content, encoding="utf-8")
    return {part: str(tmp_path / f"{part}.csv") for part in corpus.PARTS}


def test_a_run_scores_both_spellings_and_says_what_it_took(lists: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "ranked.csv").write_text("system,score\nvader,0.5\n", encoding="utf-8")
    spec = EquitySpec(
        model=("keyword:mom=0.25,dissapointed=0.5", "vader"), task_scores=str(tmp_path / "ranked.csv"), **lists
    )
    told: list[str] = []
    found = AUDIT.run(spec, tmp_path / "out", Running(tell=told.append))
    assert told == ["Loading the models", "Scoring, system 1 of 2", "Scoring, system 2 of 2", "Writing the results"]
    assert found.design.rows["emotion_word"].tolist() == ["glad", "dissapointed", ""]
    assert found.cells == 2 * 3 * 4 and found.task_scores == {"vader": 0.5} and found.spelling == "published"
    toxicity = found.systems["keyword:mom=0.25,dissapointed=0.5"].scores("toxicity")[1]
    other = found.respelled["keyword:mom=0.25,dissapointed=0.5"].scores("toxicity")[1]
    assert toxicity[:, 0] - toxicity[:, 1] == pytest.approx([0.25] * 3)
    assert (toxicity - other).max(axis=1) == pytest.approx([0, 0.5, 0])
    assert set(found.manifest["models"]) == set(found.systems) and found.manifest["sentences"] == 12
    assert found.manifest["options"]["model"] == "keyword:mom=0.25,dissapointed=0.5,vader" or found.manifest["options"]
    opened = AUDIT.read(tmp_path / "out")
    assert opened.assessed == found.assessed and opened.spelling_table.equals(found.spelling_table)
    sentences = pd.read_csv(tmp_path / "out" / "eec_sentences.csv")
    assert sentences["sentence"].tolist()[:2] == ["My mom feels glad.", "My dad feels glad."]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "model"),
        ({"model": ("keyword",), "task_scores": "system,score\nother,0.5\n"}, "task.scores"),
    ],
)
def test_what_cannot_be_run_is_said_before_anything_is_scored(
    tmp_path: Path, options: dict[str, object], message: str
) -> None:
    if "task_scores" in options:
        (tmp_path / "ranked.csv").write_text(str(options["task_scores"]))
        options["task_scores"] = str(tmp_path / "ranked.csv")
    with pytest.raises(OptionError, match=message):
        AUDIT.run(EquitySpec(**options), tmp_path / "out")  # type: ignore[arg-type]
    assert not (tmp_path / "out").exists()
    with pytest.raises(OptionError, match="each model once"):
        EquitySpec(model=("vader", "vader"))


def test_the_sentences_are_written_for_scoring_elsewhere(lists: dict[str, str]) -> None:
    table = result.sentences(EquitySpec(spelling="corrected", **lists))
    assert table["text"].tolist()[4:6] == ["My mom feels dissapointed.", "My dad feels dissapointed."], "as given"
    assert table["emotion"].tolist()[8:] == ["neutral"] * 4


def test_the_report_has_every_number_of_the_verdict() -> None:
    """Forty people, seven templates, a planted difference: the row of the report by hand."""
    design, random = corpus.published_design(), np.random.default_rng(0)
    women = (design.people["gender"] == "female").to_numpy()
    scores = 0.3 + 0.2 * women + 0.01 * random.normal(size=(len(design.rows), len(women)))
    system = corpus.cube(design, (Target("joy"),), scores[..., None].astype(np.float32))
    about = {"spelling": "published", "models": {}}
    page = AUDIT.page_of(result.of_design(design, {"mine": system}, {}, about))
    gender = tables.assess({"mine": system})["joy"]["gender"]
    cells = [f"{100 * gender[name]:+.2f}" for name in ("mean_difference", "low", "high")]
    row = ["mine", "joy", "F↑–M↓", cells[0], f"{cells[1]} to {cells[2]}", f"{100 * gender['spread']:.2f}"]
    row += [f"{gender['p_clustered']:.3g}", f"{gender['p_adjusted']:.3g}"]
    written = [re.findall(r"<td[^>]*>(.*?)</td>", line) for line in re.findall(r"<tr>(.*?)</tr>", page)]
    assert row in written
    assert "The score differs significantly by gender. By mine: its joy score is" in page
    assert "144 templates with a word each × 60 people, spelled as published" in page
    assert (
        "Paired t-tests of the difference between two sentences that differ in the person alone, over all pairs as in "
        "the paper, and with each template, and each pair of people or person, counted once: a verdict needs both."
    ) in page
    assert "2 tests were made" in page and "By race" in page
