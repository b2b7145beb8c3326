"""Which texts a model will not read to their end is said before and after the run, by text."""

import csv
import io
from types import SimpleNamespace

import numpy as np

from psa_core import models, study
from psa_core.anchors import Anchor
from psa_core.asking.prices import tokens_in
from psa_core.cube import Target
from psa_core.study import StudySpec
from psa_core.study.perturbation import Perturbation
from psa_core.study.preview import Unread, estimate, notice, unread, write


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

    for scorer in (Other(), SimpleNamespace(max_tokens=1), SimpleNamespace(truncated=Words().truncated)):
        assert of_study(("Ann",), scorer=scorer) == Unread((), 3, 0)
    assert of_study(("Ann",), scorer=Other()).words("other") == ""


def test_the_words_name_texts_and_tokens():
    assert of_study(("Ann", "Ann Lee")).words("minilm") == (
        "2 of 3 texts are longer than the 4 tokens (pieces of words) that minilm reads: of these only the "
        "beginning is read (b, c)."
    )
    assert Unread(tuple("abcdefg"), 9, 256).words("m").endswith("(a, b, c, d, e and 2 more).")
    assert Unread(tuple("abcde"), 9, 256).words("m").endswith("(a, b, c, d, e).")
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


ADDRESS = "ask:chat:https://example.org/v1?question=loan"


def test_an_estimate_counts_every_text_of_a_small_study():
    texts = ["{name} rests.", "{name} sang a long, long song.", "I met {name}."]
    planned, _ = study.execution.planned_from({"sentences": texts, "names": ["Ann", "Bo", "Cleo"], "model": "keyword"})
    (judge,) = models.unasked(ADDRESS)
    every = [*planned.perturbation.originals(), *planned.perturbation]
    found = estimate(planned, ADDRESS)
    assert found.requests == len(every) == 12
    assert found.tokens_in == sum(tokens_in(request) for text in every for request in judge.requests(text))


def test_what_a_server_that_offers_less_takes_is_told_too():
    planned = study.plan(StudySpec(sentences="interviews", anchors="slot", names="demo", sample=2, model="keyword"))
    found = estimate(planned, ADDRESS)
    sampled = found.otherwise
    assert sampled is not None and sampled.otherwise is not None
    single = sampled.otherwise
    assert (found.requests, sampled.requests, single.requests) == (42, 42, 42 * 20)
    assert single.tokens_in == 20 * sampled.tokens_in and single.tokens_out == sampled.tokens_out
    assert "If it lists no log-probabilities: 42 requests" in found.words
    assert "If it gives one answer a request: 840 requests" in found.words


def test_who_says_how_many_answers_is_told_what_these_take():
    planned = study.plan(StudySpec(sentences="interviews", anchors="slot", names="demo", sample=2, model="keyword"))
    plain, single = estimate(planned, ADDRESS), estimate(planned, f"{ADDRESS}&samples=1")
    assert single.otherwise is None and single.requests == 42
    five = estimate(planned, f"{ADDRESS}&samples=5")
    assert five.requests == 42 and five.otherwise.when == "If it gives one answer a request"
    assert five.otherwise.otherwise is None
    assert (five.otherwise.requests, five.otherwise.tokens_in) == (210, 5 * five.tokens_in)
    assert five.otherwise.tokens_out == five.tokens_out
    assert notice(planned, ADDRESS) == f"Asks a language model: {plain.words}"
    assert all(
        notice(planned, other) == "" for other in ("vader", "ask:lm:smollm2?question=loan", "http:https://a.org/")
    )
