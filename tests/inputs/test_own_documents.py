"""The packaged documents: varied, of the promised lengths, about one person each, and right for any gender."""

import json
import re
from collections import Counter

import pandas as pd
import pytest

from psa_core.inputs import corpus, people
from psa_core.registry import ASSETS
from psa_core.study.execution import planned_from
from psa_core.study.families import near_copies

IDS = ("cvs", "flat-applications", "loan-requests", "patient-notes")
SLOT = re.compile(r"\{[^{}]*\}")
#: Present tense behind *they* that only *he* and *she* take.
DISAGREES = re.compile(
    r"\bthey (?:(?:still|also|often|never|themselves) )?(?:is|was|has|does|(?!themselves)\w+[^s]s)\b", re.I
)


@pytest.fixture(scope="module", params=IDS)
def documents(request: pytest.FixtureRequest) -> pd.DataFrame:
    return corpus.load(request.param).sentences


def test_there_are_24_of_120_to_350_words_in_groups_of_equal_size(documents: pd.DataFrame) -> None:
    assert len(documents) == 24
    assert documents["text"].str.split().str.len().between(120, 350).all()
    for column in documents.columns[2:]:
        assert len(set(Counter(documents[column]).values())) == 1


def test_every_slot_of_a_person_is_used(documents: pd.DataFrame) -> None:
    used = {slot[1:-1] for text in documents["text"] for slot in SLOT.findall(text)}
    wanted = {"name", "first", "last", "title", "initials", "email", "he", "him", "his", "himself", "is/are", "He"}
    assert wanted <= used


def test_none_is_a_near_copy_of_another() -> None:
    texts = [SLOT.sub(" ", text) for name in IDS for text in corpus.load(name).sentences["text"]]
    assert near_copies(texts, [()] * len(texts)).count == len(texts) == 96


def test_they_reads_as_well_as_she(documents: pd.DataFrame) -> None:
    given = pd.DataFrame({"name": ["Alex Moreno", "Ann Lee"], "gender": ["", "female"]})
    planned, _ = planned_from({"sentences": documents, "names": given, "model": "none", "anchors": "slot"})
    assert len(planned.selection.sentences) == 24
    texts = [planned.perturbation.text(s, n) for s in range(24) for n in range(2)]
    assert not [text for text in texts if "{" in text or "}" in text]
    assert not [found[0] for text in texts if (found := DISAGREES.search(text))]


def test_the_sidecar_states_the_terms() -> None:
    for name in IDS:
        sidecar = json.loads((ASSETS / "corpora" / f"{name}.json").read_text(encoding="utf-8"))
        assert sidecar["licence"] == "CC0-1.0" and "No text is taken from anywhere" in sidecar["provenance"]
        assert list(sidecar["columns"]) == corpus.load(name).sentences.columns.tolist()


def test_people_have_the_forms_that_the_documents_ask_for() -> None:
    (person,) = people.people_of(pd.DataFrame({"name": ["Ann Lee"], "gender": ["female"]}))
    assert people.fill("{title} {last}, {He} {is/are}", person).endswith("Lee, She is")
