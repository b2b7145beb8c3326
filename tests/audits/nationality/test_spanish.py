"""Another language from end to end: a pipeline that finds its people, its titles and pronouns, its names, a scorer."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from psa_core import cli
from psa_core.anchors import Anchor, persons
from psa_core.audits.nationality import AUDIT
from psa_core.audits.nationality.perturbation import people_finder
from psa_core.errors import AnchorError

TEXTS = ["Ayer vi a Pedro Sánchez en la plaza.", "La señora Gómez cantó muy bien.", "Llovió toda la tarde."]


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Spanish pipeline whose only knowledge is a list of people."""
    import spacy

    nlp = spacy.blank("es")
    people = ("Pedro Sánchez", "Gómez")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": name} for name in people])
    place = tmp_path_factory.mktemp("pipelines") / "es"
    nlp.to_disk(place)
    return place


def test_people_of_a_spanish_text_get_names_of_countries(
    pipeline: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    pd.DataFrame({"text": TEXTS}).to_csv(tmp_path / "es.csv", index=False)
    arguments = ["nationality", "--sentences", str(tmp_path / "es.csv"), "--model", "keyword:pedro=0.4,bien=-0.3"]
    arguments += ["--people", f"entities:PERSON?pipeline={pipeline}", "--countries", "Spain,Germany", "--draws", "2"]
    assert cli.main([*arguments, "--out", str(tmp_path / "out")]) == 0
    opened = AUDIT.read(tmp_path / "out")
    assert sorted(opened.cube.sentences["anchor"]) == ["Gómez", "Pedro Sánchez"]
    assert opened.manifest["account"]["mentions, female gender"] == 1
    assert all("señora" in text for row in opened.texts for text in row if "cantó" in text)


@pytest.mark.parametrize(
    ("text", "entity", "gender"),
    [
        ("Vi a Gómez con la doctora Ruiz.", "Ruiz", "female"),
        ("El señor Trump mintió.", "señor Trump", "male"),
        ("Vi a Zyx y ella lloró.", "Zyx", "female"),
    ],
)
def test_titles_and_pronouns_are_those_of_the_language(text: str, entity: str, gender: str) -> None:
    span = Anchor(text.index(entity), text.index(entity) + len(entity), "object")
    assert [person.gender for person in persons(text, [span], "es")] == [gender]


def test_a_name_after_the_spanish_preposition_is_a_person() -> None:
    text = "Odio a Pedro Sánchez."
    span = Anchor(7, 20, "object")
    assert persons(text, [span], "en") == ()  # after an English article
    assert [text[p.start : p.end] for p in persons(text, [span], "es")] == ["Pedro Sánchez"]


def test_people_are_found_by_entities_alone() -> None:
    with pytest.raises(AnchorError, match=r"^people: "):
        people_finder("pronouns")
