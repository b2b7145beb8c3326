"""Named entities by label."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from psa_core import anchors
from psa_core.anchors import _spacy
from psa_core.errors import AnchorError, OptionError
from psa_core.trust import Origin


def found(text: str, labels: str = "PERSON,ORG,GPE,LOC,NORP") -> list[tuple[str, str]]:
    return [(text[one.start : one.end], one.role) for one in anchors.finder(f"entities:{labels}").find([text])[0]]


def test_a_possessive_ending_stays_in_the_text() -> None:
    text = "Barack Obama's speech about Germany’s economy was good."
    assert [word for word, _ in found(text)] == ["Barack Obama", "Germany"]


def test_an_apostrophe_alone_goes_with_the_name() -> None:
    assert ("Britney Spears'", "possessive") in found("I was at Britney Spears' concert in London yesterday.")
    assert ("Britney Spears", "object") in found("She said 'I love Britney Spears' and left.")


def test_the_goes_with_the_entity_unless_a_noun_owns_it() -> None:
    assert ("The FBI", "subject") in found("The FBI arrested a senator in Texas.")
    assert ("the United States", "object") in found("We flew to the United States.")
    words = [word for word, _ in found("The Obama administration raised taxes in Texas.")]
    assert "Obama" in words
    assert not any(word.lower().startswith("the ") for word in words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I miss Berlin🤔", ["Berlin"]),
        ("Taylor Swift 💖💖 is here", ["Taylor Swift"]),
        ("Good luck 🏆🎾 to all", []),
        ("LOL what a day", []),
        ("Great news from Mexico?Sorry, no", []),
    ],
)
def test_neither_emoji_nor_laughter_nor_two_sentences_are_a_name(text: str, words: list[str]) -> None:
    assert [word for word, _ in found(text)] == words


def test_an_entity_after_an_indefinite_article_is_none() -> None:
    assert "Obama" not in [word for word, _ in found("I met an Obama supporter in Texas.")]


def test_roles_come_from_the_parse() -> None:
    assert found("Angela Merkel met Barack Obama.", "PERSON") == [
        ("Angela Merkel", "subject"),
        ("Barack Obama", "object"),
    ]


def test_labels_choose() -> None:
    text = "Angela Merkel lives in Germany."
    assert [word for word, _ in found(text, "PERSON")] == ["Angela Merkel"]
    assert [word for word, _ in found(text, "gpe")] == ["Germany"]


def test_markup_abbreviations_masks() -> None:
    assert ("Taylor Swift", "object") in found("I love **Taylor Swift** so much.")
    assert ("Robert Downey Jr.", "object") in found("I met Robert Downey Jr. yesterday.")
    assert found("see http://Obama.org or @Obama or [NAME]") == []


def test_one_word_of_a_known_name_is_the_same_person() -> None:
    text = "Barack Obama won in Ohio. Many people voted for Obama."
    (spans,) = anchors.finder("entities:PERSON").find([text])
    assert [one.referent for one in spans] == ["barack obama", "barack obama"]


def test_a_text_without_capitals_needs_no_pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise AssertionError("the pipeline was loaded")

    monkeypatch.setattr("psa_core.anchors._spacy._pipeline", refuse)
    assert anchors.finder("entities:PERSON").find(["nobody here", "", "😀"]) == [(), (), ()]


def test_order_is_kept_around_texts_that_are_skipped() -> None:
    texts = ["nobody", "I met Barack Obama.", "", "I met Angela Merkel."]
    assert [len(one) for one in anchors.finder("entities:PERSON").find(texts)] == [0, 1, 0, 1]


def test_specs() -> None:
    assert anchors.finder("entities").spec == "entities:PERSON"
    assert anchors.finder("entities: org , person,org").spec == "entities:ORG,PERSON"
    assert anchors.finder("entities:ORG").fingerprint != anchors.finder("entities:PERSON").fingerprint
    with pytest.raises(AnchorError, match=r"entities:DATE.*PERSON, ORG, GPE, LOC, NORP"):
        anchors.finder("entities:PERSON,DATE")


def test_a_missing_pipeline_is_said_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("psa_core.anchors._spacy.PACKAGES", ("en_core_web_none",))
    from psa_core.anchors import _spacy

    _spacy._package.cache_clear()
    try:
        with pytest.raises(AnchorError, match="no English spaCy pipeline"):
            anchors.finder("entities:PERSON").fingerprint  # noqa: B018
    finally:
        _spacy._package.cache_clear()


def own_folder() -> Path:
    """The folder of the installed pipeline's data, where a reader's own would be."""
    from psa_core.anchors import _spacy

    package = Path(str(find_spec(_spacy._package()[0]).origin)).parent  # type: ignore[union-attr]
    return next(path.parent for path in package.glob("*/config.cfg"))


def test_what_is_masked_is_counted_by_reason() -> None:
    text = "I met Angela Merkel in Berlin, see [PERSON] and `call(Barack Obama)` of Texas."
    (one,) = anchors.search(anchors.finder("entities:PERSON"), [text])
    assert [text[anchor.start : anchor.end] for anchor in one.anchors] == ["Angela Merkel"]
    assert one.masked["code"] == 1


def test_another_pipeline_is_an_installed_package() -> None:
    from psa_core.anchors import _spacy

    installed = _spacy._package()[0]
    chosen = anchors.finder(f"entities:person?pipeline={installed}")
    assert chosen.spec == f"entities:PERSON?pipeline={installed}"
    assert anchors.finder(chosen.spec) == chosen
    text = "Angela Merkel met Barack Obama."
    assert chosen.find([text]) == anchors.finder("entities:PERSON").find([text])
    assert _spacy.pipeline_version(installed).startswith(f"{installed}-")


def test_a_folder_is_loaded_on_the_command_lines_word_alone() -> None:
    spec = f"entities:PERSON?pipeline={own_folder()}"
    finder = anchors.finder(spec)
    assert finder.spec == spec
    assert len(finder.find(["Angela Merkel met Barack Obama."])[0]) == 2
    for origin in (Origin.OWN_MACHINE, Origin.VISITOR, Origin.FILE):
        with pytest.raises(OptionError, match="runs a program"):
            anchors.finder(spec, origin=origin)


def test_the_fingerprint_follows_the_pipeline(tmp_path: Path) -> None:
    from psa_core.anchors import _spacy

    def prints(version: str, content: str) -> str:
        folder = tmp_path / f"{version}-{content}"
        folder.mkdir()
        meta = {"lang": "en", "name": "own", "version": version, "labels": {"ner": ["PERSON"]}}
        (folder / "meta.json").write_text(json.dumps(meta), encoding="utf-8")
        (folder / "weights").write_text(content, encoding="utf-8")
        return anchors.finder(f"entities:PERSON?pipeline={folder}").fingerprint

    assert len({prints("1.0", "a"), prints("2.0", "a"), prints("1.0", "b")}) == 3
    assert _spacy.pipeline(str(tmp_path / "1.0-a")).version.startswith("folder-")
    with pytest.raises(AnchorError, match="no label ORG"):
        anchors.finder(f"entities:ORG?pipeline={tmp_path / '1.0-a'}")


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (
            "pipeline=en_core_web_none",
            r"pipeline=en_core_web_none, which is not installed or not a spaCy pipeline.*spacy download",
        ),
        ("pipeline=json", "not a spaCy pipeline"),
        ("pipeline=numpy", "not a spaCy pipeline"),
        ("pipeline=./none", "not installed"),
        ("pipeline=__main__", "not installed"),
        ("pipeline=", "pipeline= and an installed"),
        ("", "pipeline= and an installed"),
        ("model=x", "pipeline= and an installed"),
    ],
)
def test_a_pipeline_that_cannot_be_chosen_is_said_plainly(option: str, message: str) -> None:
    with pytest.raises(AnchorError, match=message):
        anchors.finder(f"entities:PERSON?{option}")


def test_what_is_known_of_its_accuracy() -> None:
    assert "46 %" in anchors.kind("entities:PERSON?pipeline=x").caution
    assert anchors.kind("pronouns").caution == anchors.kind("unknown").caution == ""


def test_portions_keep_the_order_and_hold_a_few_pages_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_spacy, "PORTION", 10)
    assert list(_spacy.portions([])) == []
    assert list(_spacy.portions(["a" * 4, "b" * 6, "c", "d" * 30, "e", "f" * 9])) == [
        ["a" * 4, "b" * 6],
        ["c"],
        ["d" * 30],
        ["e", "f" * 9],
    ]


def test_entities_are_the_same_however_many_texts_are_searched_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"Mary Miller met {name} in {place}." for name in ("Tom Hall", "Ann Lee") for place in ("Rome", "Oslo")]
    together = _spacy.entities(texts, frozenset({"PERSON"}))
    monkeypatch.setattr(_spacy, "PORTION", 1)
    assert _spacy.entities(texts, frozenset({"PERSON"})) == together
    assert all(len(found) == 2 for found in together)
