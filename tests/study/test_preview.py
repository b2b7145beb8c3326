"""Which texts a model will not read to their end is said before and after the run, by text."""

import csv
import io

import numpy as np

from psa_core import study
from psa_core.anchors import Anchor
from psa_core.cube import Target
from psa_core.study.perturbation import Perturbation
from psa_core.study.preview import Unread, unread, write


class Words:
    """Counts words as tokens, and reads four of them."""

    fingerprint, targets, max_tokens, device = "words", (Target("length"),), 4, "cpu"

    def truncated(self, texts):
        return np.array([len(text.split()) > self.max_tokens for text in texts])

    def score(self, texts):
        return np.zeros((len(texts), 1), np.float32)


TEXTS = ("He left.", "He left the old house.", "He left the house.")


def of_study(names, texts=TEXTS, scorer=None):
    spans = tuple((Anchor(0, 2, "subject"),) for _ in texts)
    return unread(Perturbation(texts, spans, names), ["a", "b", "c"], scorer or Words())


def test_texts_longer_than_the_model_reads_are_listed():
    assert of_study(("Ann", "Bo")) == Unread(("b",), 3, 4)


def test_a_text_counts_that_is_too_long_with_the_longest_name_only():
    assert of_study(("Ann", "Ann Lee")).sentence_ids == ("b", "c")


def test_a_model_that_does_not_count_tokens_reads_all():
    class Other:
        fingerprint, targets = "other", (Target("length"),)

    assert of_study(("Ann",), scorer=Other()).words("other") == ""


def test_the_words_name_texts_and_tokens():
    assert of_study(("Ann", "Ann Lee")).words("minilm") == (
        "2 of 3 texts are longer than the 4 tokens (pieces of words) that minilm reads: of these only the "
        "beginning is read (b, c)."
    )
    assert Unread(tuple("abcdefg"), 9, 256).words("m").endswith("(a, b, c, d, e and 2 more).")
    assert "1 of 9 texts is longer" in Unread(("a",), 9, 256).words("m")


def test_the_manifest_says_it_and_lists_them(monkeypatch):
    monkeypatch.setattr(study.execution.models, "load", lambda _: Words())
    planned = study.execution.planned_from(
        {"sentences": [*TEXTS], "names": ["Ann", "Bo"], "model": "words", "balance": False, "max_words": 50}
    )[0]
    cube = study.execute(planned, Words())
    assert "missing" not in cube.provenance
    assert cube.provenance["longer_than_model_reads"] == {"tokens": 4, "sentences": ["2"]}
    assert any("1 of 3 texts is longer than the 4 tokens" in note for note in cube.provenance["notes"])


def test_each_text_has_its_number_sentence_and_name():
    planned, _ = study.execution.planned_from(
        {"sentences": ["He left.", "She ran."], "names": ["Ann", "Bo"], "model": "keyword", "balance": False}
    )
    stream = io.StringIO()
    write(planned, stream)
    ids = planned.selection.sentences["sentence_id"].tolist()
    assert list(csv.reader(io.StringIO(stream.getvalue()))) == [
        ["text_id", "sentence_id", "name", "text"],
        ["1", ids[0], "", "He left."], ["2", ids[0], "Ann", "Ann left."], ["3", ids[0], "Bo", "Bo left."],
        ["4", ids[1], "", "She ran."], ["5", ids[1], "Ann", "Ann ran."], ["6", ids[1], "Bo", "Bo ran."],
    ]  # fmt: skip
