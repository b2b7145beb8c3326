"""What is trained on and what is measured are apart, however names are spelt and whatever says the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from psa_core import mitigate, study
from psa_core.errors import CorpusError
from psa_core.retraining.material import material
from psa_core.study import Plan, StudySpec

NAMES = ["Ann Lee", "ann lee", "Bo Kim", "Cy Poe", "Dí Ray", "Di Ray"]
SAID = [f"{who} {verb} it{end}" for verb in ("saw", "read", "sold", "lost") for who, end in (("He", "."), ("She", "!"))]


@pytest.fixture
def planned(tmp_path: Path) -> Plan:
    (tmp_path / "names.csv").write_text("name\n" + "\n".join(NAMES) + "\n", "utf-8")
    (tmp_path / "texts.csv").write_text("text\n" + "\n".join([*SAID, "He met Bo Kim.", "She met CY POE."]) + "\n")
    return study.plan(
        StudySpec(sentences=str(tmp_path / "texts.csv"), names=str(tmp_path / "names.csv"), model="keyword")
    )


@pytest.mark.parametrize("seed", range(6))
def test_halves_have_nothing_in_common(planned: Plan, seed: int) -> None:
    split = material(planned, seed=seed)
    measured = split.held_out
    trained = mitigate.name_keys(split.trained.names)
    assert not set(trained) & set(mitigate.name_keys(measured.names.table["name"]))
    assert not set(mitigate.sentence_keys(split.trained)) & set(mitigate.sentence_keys(measured.perturbation))
    assert mitigate.naming_none(split.texts, list(measured.names.table["name"])) == list(split.texts)


def test_texts_that_say_what_is_measured_are_not_trained_on(planned: Plan) -> None:
    asked = [
        "SHE lost it",
        "he saw it",
        "He ran.",
        "She sat.",
        "Nobody came.",
        "I know Ann Lee, Bo Kim, Cy Poe, Di Ray.",
    ]
    split = material(planned, texts=asked)
    assert sorted(split.texts) == ["He ran.", "Nobody came.", "She sat."]
    assert sorted(split.trained.texts) == ["He ran.", "She sat."]


def test_sentences_that_all_say_the_same_are_too_few(tmp_path: Path) -> None:
    (tmp_path / "texts.csv").write_text("text\nHe saw it.\nShe saw it.\nhe saw it!\n")
    with pytest.raises(CorpusError, match="at least two to train on"):
        material(study.plan(StudySpec(sentences=str(tmp_path / "texts.csv"), names="demo", model="keyword")))
