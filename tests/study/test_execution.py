"""Spec to cube: the same inputs give the same cube, and every cell's text can be made again."""

import hashlib
import json
from dataclasses import dataclass, replace

import numpy as np
import pytest

from psa_core import models, study
from psa_core.cache import ScoreCache
from psa_core.cube import Target
from psa_core.errors import AnchorError, OptionError, PsaError
from psa_core.models.keyword import Keyword
from psa_core.models.predictions import Coverage
from psa_core.study import StudySpec
from psa_core.study.execution import missing_scores


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.csv").write_text(
        "sentence_id,text,gender\na,I saw {name} and {name}'s dog.,x\nb,{name} left.,y\nc,He left.,z\n",
        encoding="utf-8",
    )


def run(**changes):
    return study.run(**{"sentences": "sample", "names": "demo", "model": "keyword", "sample": 20, **changes})


@pytest.mark.slow
def test_the_same_spec_gives_the_same_cube_and_another_seed_other_sentences():
    first, again, other = run(), run(), run(seed=1)
    assert first.sentences.equals(again.sentences)
    assert np.array_equal(first.perturbed, again.perturbed)
    assert first.provenance["selected_sha256"] == again.provenance["selected_sha256"]
    assert first.sentences["sentence_id"].tolist() != other.sentences["sentence_id"].tolist()


@pytest.mark.parametrize("mentions", ["first", "all"])
def test_every_cell_is_the_models_answer_to_its_text(mentions):
    cube = run(mentions=mentions, model="vader")
    texts = study.perturbation_of(cube)
    scorer = models.load("vader")
    for s in range(0, 20, 5):
        assert np.array_equal(cube.perturbed[s], scorer.score(texts.row(s)))
    assert np.array_equal(cube.original, scorer.score(texts.originals()))


def test_slots_have_a_neutral_original_and_all_are_filled():
    cube = study.run(sentences="s.csv", names="demo", model="keyword", anchors="slot:my friend")
    assert cube.sentences["text"].tolist() == ["I saw my friend and my friend's dog.", "my friend left."]
    assert study.perturbation_of(cube).text(0, 0) == "I saw {0} and {0}'s dog.".format(cube.names["name"][0])
    assert cube.sentences["gender"].tolist() == ["x", "y"]


def test_many_sentences_that_repeat_others_are_told(tmp_path):
    copies = ["He left early.", "@someone he left early!", "HE LEFT EARLY https://example.org/1"]
    others = [
        "She sings.",
        "I saw him.",
        "Nobody likes her.",
        "He was late again.",
        "Ask his mother why.",
        "So she said.",
    ]
    (tmp_path / "some.txt").write_text("\n".join([*copies, *others]), encoding="utf-8")
    (tmp_path / "none.txt").write_text("\n".join([*copies[:1], *others]), encoding="utf-8")
    cube = run(sentences="some.txt", sample=100, balance=False)
    assert "3 of 9 sentences are near-copies, in 1 family." in " ".join(cube.provenance["notes"])
    assert cube.provenance["families"] == {
        "by": "near-copies", "families": 1, "sentences": 3, "independent": 7, "effective_sample_size": 5.4,
    }  # fmt: skip
    assert cube.families.sizes.max() == 3
    independent = run(sentences="none.txt", sample=100, balance=False)
    assert "near-copies" not in " ".join(independent.provenance["notes"])
    assert "family" not in independent.sentences and not independent.families.any


def test_a_column_names_the_families(tmp_path):
    rows = [f"{text},{author}" for text, author in zip(SAID, "aabbb cd", strict=True)]
    (tmp_path / "by.csv").write_text("\n".join(["text,author", *rows]), encoding="utf-8")
    cube = run(sentences="by.csv", families="author", balance=False)
    assert cube.families.sizes.tolist() == [2, 3, 1, 1, 1]
    assert cube.provenance["families"]["by"] == "author"
    assert cube.provenance["study"]["families"] == "author"
    with pytest.raises(OptionError, match=r"^families.*'thread'.*author"):
        run(sentences="by.csv", families="thread")


SAID = (
    "She sings.", "I saw him.", "Nobody likes her.", "He was late again.", "Ask his mother why.", "So she said.",
    "They trust him blindly.", "His dog barks at night.",
)  # fmt: skip


def test_a_corpus_may_have_genders_of_its_own(tmp_path):
    (tmp_path / "g.csv").write_text("text,gender,corpus_gender\nShe left.,f,x\n", encoding="utf-8")
    table = run(sentences="g.csv").sentences
    assert table.columns.is_unique
    assert table[["anchor_gender", "gender", "corpus_gender"]].to_numpy().tolist() == [["female", "f", "x"]]


def test_switched_off_anchors_are_left_out():
    kept = study.plan(StudySpec("s.csv", "demo", "keyword", switched=(("b", 0),), anchors="slot"))
    assert kept.selection.sentences["sentence_id"].tolist() == ["a"]


def test_the_spec_comes_back_from_the_cube():
    cube = run(switched=[["politics-001", 9]], balance=True)
    assert study.spec_of(cube) == StudySpec(
        "sample", "demo", "keyword", "pronouns", sample=20, balance=True, switched=(("politics-001", 9),)
    )


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"colour": "red"}, OptionError, "unknown field 'colour'"),
        ({"sample": 0}, OptionError, "sample"),
        ({"anchors": "entities:ROBOT"}, AnchorError, "ROBOT"),
        ({"max_words": 1}, AnchorError, "anchor"),
    ],
)
def test_bad_parameters_are_told(changes, error, words):
    with pytest.raises(error, match=words):
        run(**changes)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("seed", "x"),
        ("seed", True),
        ("sample", 2.5),
        ("max_words", "many"),
        ("anchors", 5),
        ("text_column", 5),
        ("balance", "yes"),
        ("mentions", 3),
        ("switched", 3),
        ("switched", [3]),
        ("switched", [("a", "b")]),
    ],
)
def test_a_parameter_of_the_wrong_kind_is_told(field, value):
    with pytest.raises(OptionError, match=f"^(--)?{field.replace('_', '[-_]')}: got "):
        run(**{field: value})


@pytest.mark.parametrize(("field", "value"), [("names", 3), ("sentences", 3), ("model", None), ("model", 3)])
def test_what_is_neither_an_id_nor_in_memory_is_told(field, value):
    with pytest.raises(PsaError, match=f"^{field}: got "):
        run(**{field: value})


def test_what_is_no_spec_is_told():
    with pytest.raises(OptionError, match="StudySpec"):
        study.run({"sentences": "sample"})


def test_numbers_of_numpy_and_paths_are_written_as_json(tmp_path):
    cube = run(sentences=tmp_path / "s.csv", anchors="slot", seed=np.int64(3), sample=np.int32(2))
    assert json.loads(json.dumps(cube.provenance))["study"]["sentences"] == str(tmp_path / "s.csv")


def test_a_missing_parameter_is_told():
    with pytest.raises(OptionError, match="no model"):
        study.run(sentences="sample", names="demo")


def test_a_part_of_a_study_is_published_without_making_every_text_again():
    """A file of predictions is compared with the study's texts once, at the end; a part says nothing of it."""
    asked = []

    @dataclass(frozen=True)
    class Told(Keyword):
        def coverage(self, texts):
            asked.append(len(list(texts)))
            return Coverage(missing=0, doubled=0, extra=7, unscored=0)

    planned, parts = study.plan(StudySpec(sentences="sample", names="demo", model="keyword", sample=6)), []
    whole = study.execute(planned, Told(), on_window=lambda window: parts.append(window.partial()))
    assert asked == [6 * 21]
    assert any("7 texts that the study does not have" in note for note in whole.provenance["notes"])
    part = study.assemble(planned, Told(), replace(parts[0], order=parts[0].order[:3]))
    assert asked == [6 * 21] and not any("does not have" in note for note in part.provenance["notes"])


def test_names_are_read_from_the_column_that_the_spec_names(tmp_path):
    (tmp_path / "people.csv").write_text("no,who\n1,Ann\n2,Bo\n", encoding="utf-8")
    spec = StudySpec("sample", str(tmp_path / "people.csv"), "keyword", name_column="who")
    assert study.plan(spec).names.table["name"].tolist() == ["Ann", "Bo"]


def test_what_is_missing_is_counted_by_its_reason() -> None:
    nan = np.nan
    original, perturbed = (
        np.array([[0.5, nan], [nan, nan]]),
        np.array([[[nan, nan], [0.5, nan]], [[nan, 0.5], [0.5, 0.5]]]),
    )
    both = (
        Target("loan"),
        Target("mood"),
    )
    assert missing_scores(both, original, perturbed) == {
        "loan": {"no reply": 2, "no valid answer": 1}, "mood": {"no reply": 2, "no valid answer": 2},
    }  # fmt: skip
    assert missing_scores(both, np.ones((1, 2)), np.ones((1, 2, 2))) == {}
    assert missing_scores(both[:1], np.array([[nan]]), np.ones((1, 2, 1))) == {"loan": {"no reply": 1}}


def test_the_manifest_says_what_was_studied_and_what_it_took():
    texts = ["He sat and fed his cat.", "Then she left."]
    planned, _ = study.execution.planned_from({"sentences": texts, "names": ["Ann", "Bo", "Cy"], "model": "keyword"})
    parts = []
    study.execute(planned, Keyword(), on_window=lambda window: parts.append(window.partial()))
    counts = {"unique_texts": 8, "cache_hits": 3, "texts_scored": 5, "texts_truncated": 2}
    took = replace(parts[-1], **counts, seconds=1.23456, notes=("The cache was damaged.",))
    whole, part = (study.assemble(planned, Keyword(), each) for each in (took, replace(took, order=np.array([1]))))
    assert list(whole.names) == ["name"] and whole.sentences["text"].tolist() == texts
    about = whole.provenance
    for key, value in {**counts, "seconds": 1.235, "seed": 0, "sentences_planned": 2, "left_behind": 1}.items():
        assert about[key] == part.provenance[key] == value, key
    assert [about[key] for key in ("sentences", "names", "cells")] == [2, 3, 6]
    assert [part.provenance[key] for key in ("sentences", "names", "cells")] == [1, 3, 3]
    assert about["selected_sha256"] == hashlib.sha256("\n".join(texts).encode()).hexdigest()
    assert part.provenance["selected_sha256"] == hashlib.sha256(texts[1].encode()).hexdigest()
    assert about["account"] == {"read": 2, "kept": 2} and about["anchors"]["spec"] == "pronouns"
    assert about["notes"] == [
        "In 1 of 2 sentences a second mention of the person stays behind (“Emily lost his shoes”); the option “every "
        "mention” replaces them all.",
        "The cache was damaged.",
    ]
    assert about["longer_than_model_reads"] == part.provenance["longer_than_model_reads"]
    assert part.provenance["longer_than_model_reads"] == {"tokens": 0, "sentences": []}
    assert list(part.sentences) == ["sentence_id", "text", "anchor", "start", "end", "role", "anchor_gender"]


def test_scores_are_remembered_where_a_cache_is_given(tmp_path):
    cache = ScoreCache(tmp_path / "scores")
    given = {"sentences": ["He left."], "names": ["Ann", "Bo"], "model": "keyword"}
    assert [study.run(**given, cache=one).provenance["cache_hits"] for one in (cache, cache, None)] == [0, 3, 0]
    cache.close()


def test_what_edits_took_is_added_to_what_names_took():
    given = {"sentences": ["Then he left on Monday."], "names": ["Ann", "Bo"], "model": "keyword", "controls": 2}
    about = study.run(**given).provenance
    assert (about["unique_texts"], about["texts_scored"], about["cache_hits"]) == (3 + 3, 3 + 3, 0)
    assert about["seconds"] == round(about["seconds"], 3)


def test_the_bar_is_shown_where_somebody_asks_for_it(capsys):
    with study.execution.sentence_bar(False) as tell:
        assert tell is None
    study.run(sentences="sample", names="demo", model="keyword", sample=4, progress=True)
    assert "4/4" in capsys.readouterr().err
