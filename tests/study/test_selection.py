"""Which sentences are studied, and the account of the others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psa_core import anchors
from psa_core.anchors import Anchor, Found
from psa_core.errors import AnchorError, CorpusError, OptionError
from psa_core.inputs.people import people_of
from psa_core.study.perturbation import Perturbation
from psa_core.study.selection import Selection, SelectionOptions, select

REDDIT = Path(__file__).resolve().parents[3] / "shared/data/goemotions/train.csv.gz"
PRONOUNS = anchors.finder("pronouns")


def corpus(*texts: str, **columns: list[object]) -> pd.DataFrame:
    return pd.DataFrame({"sentence_id": [f"s{n}" for n in range(len(texts))], "text": list(texts), **columns})


def people(female: int, male: int) -> pd.DataFrame:
    """As many sentences with *she* and with *he*, mixed."""
    texts = [f"She said {n}." for n in range(female)] + [f"He said {n}." for n in range(male)]
    return corpus(*texts).sample(frac=1, random_state=3).reset_index(drop=True)


def test_no_limit_of_words_is_too_large() -> None:
    assert select(corpus("He left."), PRONOUNS, SelectionOptions(max_words=10**30)).account["kept"] == 1


def test_account_of_every_sentence() -> None:
    sentences = corpus(
        "He left.", "", "   ", "no", "a b c he", "one two three four five he", "him/her", genre=list("abcdefg")
    )
    selection = select(sentences, PRONOUNS, SelectionOptions(max_words=5, sample=1))
    assert list(selection.account.items()) == [
        ("read", 7),
        ("empty", 2),
        ("longer than 5 words", 1),
        ("no anchor", 2),
        ("not drawn: sample", 1),
        ("kept", 1),
    ]
    assert selection.eligible == 2


def test_what_looks_like_an_anchor_and_is_none_is_counted_by_reason() -> None:
    texts = ("He ran `his(he)` at @her.", "him/her", "He or she", "too long for this: `his(he)` at last", "nobody")
    selection = select(corpus(*texts), PRONOUNS, SelectionOptions(max_words=6))
    assert selection.masked == {"no one person (he/she)": 4, "code": 2, "web address, handle or tag": 1}
    assert selection.account == {"read": 5, "longer than 6 words": 1, "no anchor": 3, "kept": 1}


def test_a_plural_they_is_counted() -> None:
    selection = select(corpus("They are here and she left."), anchors.finder("pronouns:she,they"))
    assert selection.masked == {"plural verb (they are)": 1}


def test_a_finder_that_counts_nothing_has_nothing_masked() -> None:
    assert select(corpus("{name} ran `he(x)`."), anchors.finder("slot")).masked == {}


def test_a_finders_own_reasons_are_counted_between_those_of_all_in_the_order_of_their_words() -> None:
    class Reasons:
        """Leaves out every text that is no *he*, for itself as the reason."""

        spec, filler, fingerprint = "pronouns", "", "reasons"

        def search(self, texts: Sequence[str]) -> list[Found]:
            he = Found((Anchor(0, 2, "subject"),))
            return [he if text == "he" else Found(reason=text) for text in texts]

    selection = select(corpus("z", "he", "b", "z", ""), Reasons(), SelectionOptions())  # type: ignore[arg-type]
    assert list(selection.account.items()) == [("read", 5), ("empty", 1), ("b", 1), ("z", 2), ("kept", 1)]
    assert selection.skipped == {"empty": 1, "b": 1, "z": 2}


def test_table_has_the_anchor_and_the_other_columns() -> None:
    sentences = corpus("nobody", "I saw her dog and him.", genre=["x", "y"], gender=["m", "f"])
    selection = select(sentences, PRONOUNS)
    assert selection.sentences.to_dict("records") == [
        {
            "sentence_id": "s1",
            "text": "I saw her dog and him.",
            "anchor": "her",
            "start": 6,
            "end": 9,
            "role": "possessive",
            "anchor_gender": "female",
            "genre": "y",
            "gender": "f",
        }
    ]
    assert selection.spans == ((Anchor(6, 9, "possessive", "female", "female"),),)
    assert [one.start for one in selection.candidates[0]] == [6, 18]
    assert selection.filler == ""


def test_columns_that_are_called_alike_stay_apart() -> None:
    columns = {"gender": ["f"], "corpus_gender": ["x"], "role": ["boss"], "corpus_role": ["staff"]}
    table = select(corpus("She left.", **columns), PRONOUNS).sentences
    assert table.columns.is_unique
    assert table[[*columns, "corpus_corpus_role"]].to_numpy().tolist() == [["f", "x", "subject", "staff", "boss"]]


def test_words_are_counted_between_spaces() -> None:
    fifty, more = "he " + "x " * 49, "he " + "x\n" * 50
    assert select(corpus(fifty, more), PRONOUNS).account["longer than 50 words"] == 1


def test_all_mentions_of_the_first_referent() -> None:
    sentences = corpus("He told her that his dog bit him.")
    first = select(sentences, PRONOUNS, SelectionOptions(mentions="first"))
    every = select(sentences, PRONOUNS, SelectionOptions(mentions="all"))
    assert [one.start for one in first.spans[0]] == [0]
    assert [one.start for one in every.spans[0]] == [0, 17, 29]
    assert (first.left_behind, every.left_behind) == (1, 0)
    text = Perturbation(tuple(every.sentences["text"]), every.spans, ("Al",)).text(0, 0)
    assert text == "Al told her that Al's dog bit Al."


def test_an_anchor_switched_off_gives_way_to_the_next() -> None:
    sentences = corpus("He told her.", "He left.", "She left.")
    options = SelectionOptions(switched=frozenset({("s0", 0), ("s1", 0)}))
    selection = select(sentences, PRONOUNS, options)
    assert list(selection.sentences["anchor"]) == ["her", "She"]
    assert list(selection.sentences["anchor_gender"]) == ["female", "female"]
    assert [one.start for one in selection.candidates[0]] == [0, 8]
    assert selection.account["anchors switched off"] == 1


def test_a_word_left_alone_is_switched_on_with_its_verb() -> None:
    text = "Jane Doe met Ann Hill. She is glad. Jane Doe slept. Jane ran."
    finder, her = anchors.finder("person"), text.index("She")
    before = select(corpus(text), finder)
    assert [(one.start, text[one.start : one.end]) for one in before.undecided[0]] == [(her, "She")]
    after = select(corpus(text), finder, SelectionOptions(switched=frozenset({("s0", her)})))
    names = pd.DataFrame({"name": ["Al Roe"], "first": ["Al"], "last": ["Roe"]})
    changed = Perturbation((text,), after.spans, ("Al Roe",), people_of(names)).text(0, 0)
    assert changed == "Al Roe met Ann Hill. They are glad. Al Roe slept. Al ran."
    assert after.candidates == after.spans and len(after.spans[0]) == len(before.spans[0]) + 2
    assert len(before.masked) == 1 and not after.masked


def test_the_verb_of_a_pronoun_that_is_switched_off_stays_too() -> None:
    text = "Jane Doe is kind. She is glad, and she sings."
    she = frozenset({("s0", text.index("She"))})
    selection = select(corpus(text), anchors.finder("person"), SelectionOptions(switched=she))
    assert [text[one.start : one.end] for one in selection.spans[0]] == ["Jane Doe", "she", "sings"]
    every = frozenset(("s0", one.start) for one in selection.candidates[0] if not anchors.is_verb(one))
    with pytest.raises(AnchorError, match="1 switched off"):
        select(corpus(text), anchors.finder("person"), SelectionOptions(switched=every))


def test_switching_one_sentence_off_moves_no_other() -> None:
    sentences = people(30, 30)
    before = select(sentences, PRONOUNS, SelectionOptions(sample=20)).sentences
    gone = before["sentence_id"].iloc[0]
    after = select(sentences, PRONOUNS, SelectionOptions(sample=20, switched=frozenset({(gone, 0)}))).sentences
    assert set(before["sentence_id"]) - set(after["sentence_id"]) == {gone}
    assert len(after) == 20


@pytest.mark.parametrize(
    ("female", "male", "sample", "each", "reason"),
    [
        (30, 10, 1000, 10, "not drawn: balancing"),
        (30, 30, 20, 10, "not drawn: sample"),
        (30, 30, 21, 10, "not drawn: sample"),
        (9, 30, 20, 9, "not drawn: balancing"),
        (1, 1, 2, 1, None),
    ],
)
def test_balance(female: int, male: int, sample: int, each: int, reason: str | None) -> None:
    selection = select(people(female, male), PRONOUNS, SelectionOptions(sample=sample, balance=True))
    assert selection.sentences["anchor_gender"].value_counts().to_dict() == {"female": each, "male": each}
    assert selection.account["kept"] == 2 * each
    left_out = {} if reason is None else {reason: female + male - 2 * each}
    assert {key: n for key, n in selection.account.items() if key.startswith("not")} == left_out


def test_without_balance_the_sample_is_as_it_comes() -> None:
    assert set(select(people(0, 5), PRONOUNS).sentences["anchor_gender"]) == {"male"}


def test_a_gender_that_is_missing_cannot_be_balanced() -> None:
    with pytest.raises(AnchorError, match=r"5 left out so that .* are equally common.*Do not balance them"):
        select(people(0, 5), PRONOUNS, SelectionOptions(balance=True))
    with pytest.raises(AnchorError, match="expected sentences with female and with male words to replace"):
        select(people(0, 5), PRONOUNS, SelectionOptions(balance=True))
    with pytest.raises(AnchorError, match="expected a sentence with a word to replace"):
        select(corpus("nobody"), PRONOUNS, SelectionOptions(balance=True))


def test_one_sentence_is_taken_where_nobody_asks_for_balance() -> None:
    both = corpus("he left", "she left")
    assert select(both, PRONOUNS, SelectionOptions(sample=1, balance=None)).account["kept"] == 1
    assert select(both, PRONOUNS, SelectionOptions(sample=2, balance=None)).account["kept"] == 2
    more = select(corpus("he left", "she left", "he ran"), PRONOUNS, SelectionOptions(sample=4, balance=None))
    assert (more.account["kept"], more.account["not drawn: balancing"]) == (2, 1)


def test_anchors_without_gender_cannot_be_balanced() -> None:
    with pytest.raises(AnchorError, match=r"without gender \(terms:dog\)"):
        select(corpus("a dog"), anchors.finder("terms:dog"), SelectionOptions(balance=True))


def test_nothing_eligible_counts_the_reasons() -> None:
    with pytest.raises(AnchorError, match=r"3 read, 1 empty, 2 without a word to replace"):
        select(corpus("", "nobody", "nothing"), PRONOUNS)
    off = frozenset({("s0", 0)})
    with pytest.raises(AnchorError) as raised:
        select(corpus("he left", "so many words he said"), PRONOUNS, SelectionOptions(max_words=2, switched=off))
    assert raised.value.full_message == (
        "Anchors pronouns: no sentence to study (2 read, 1 longer than 2 words, 1 switched off). Needed: a "
        "sentence with a word to replace. Choose other words to replace, allow longer sentences, or take others."
    )


@pytest.mark.parametrize(
    ("characters", "looked_at"), [(1, 1), (8, 1), (15, 1), (16, 2), (31, 3), (39, 4), (40, 5), (1000, 5)]
)
def test_of_a_large_corpus_the_first_of_the_draw_are_looked_at(characters: int, looked_at: int) -> None:
    sentences = corpus("He left.", "She sat.", "He sang.", "She ran.", "He slept"[:8])  # eight letters each
    part = select(sentences, PRONOUNS, characters=characters)
    assert (part.looked_at, part.account["kept"], part.account.get("not looked at", 0)) == (
        looked_at,
        looked_at,
        5 - looked_at,
    )
    drawn = select(sentences, PRONOUNS, SelectionOptions(sample=looked_at))
    assert part.sentences["sentence_id"].tolist() == drawn.sentences["sentence_id"].tolist()
    assert (part.eligible, part.skipped) == (looked_at, {})


def test_draw_is_seeded_and_kept_in_the_corpus_order() -> None:
    sentences = people(40, 40)

    def drawn(seed: int) -> list[str]:
        return list(select(sentences, PRONOUNS, SelectionOptions(sample=20, seed=seed)).sentences["sentence_id"])

    assert drawn(0) == drawn(0)
    assert drawn(0) != drawn(1)
    place = {name: row for row, name in enumerate(sentences["sentence_id"])}
    assert [place[name] for name in drawn(0)] == sorted(place[name] for name in drawn(0))


def test_draw_is_fixed_across_versions_and_platforms() -> None:
    texts = [f"He said {n}." for n in range(10)]
    chosen = select(corpus(*texts), PRONOUNS, SelectionOptions(sample=4, seed=7)).sentences["sentence_id"]
    # numpy.random.default_rng(7).random(10), to two digits: .63 .90 .78 .23 .30 .87 .01 .82 .80 .47
    assert list(chosen) == ["s3", "s4", "s6", "s9"]


@settings(max_examples=25)
@given(st.integers(1, 30), st.integers(0, 1000), st.randoms(use_true_random=False), st.booleans())
def test_draw_depends_on_neither_order_nor_size(sample: int, seed: int, random: object, balance: bool) -> None:
    sentences = people(15, 12)
    sample = max(sample, 2)
    options = SelectionOptions(sample=sample, seed=seed, balance=balance)
    order = list(range(len(sentences)))
    random.shuffle(order)  # type: ignore[attr-defined]
    one = set(select(sentences, PRONOUNS, options).sentences["sentence_id"])
    two = set(select(sentences.iloc[order], PRONOUNS, options).sentences["sentence_id"])
    larger = SelectionOptions(sample=sample + 2, seed=seed, balance=balance)
    assert one == two
    assert one <= set(select(sentences, PRONOUNS, larger).sentences["sentence_id"])


def test_every_slot_is_filled_whatever_the_mentions() -> None:
    sentences = corpus("{name} is here.", "I hate { name }'s dog and {Name}.", "none")
    selection = select(sentences, anchors.finder("slot"))
    assert list(selection.sentences["text"]) == ["this person is here.", "I hate this person's dog and this person."]
    assert list(selection.sentences["anchor"]) == ["this person"] * 2
    assert selection.filler == "this person"
    perturbed = Perturbation(tuple(selection.sentences["text"]), selection.spans, ("Al",))
    assert perturbed.row(0) + perturbed.row(1) == ["Al is here.", "I hate Al's dog and Al."]


def test_a_slot_switched_off_keeps_its_filler() -> None:
    sentences = corpus("{name} and {name}")
    off = frozenset({("s0", 0)})
    selection = select(sentences, anchors.finder("slot:we"), SelectionOptions(switched=off))
    perturbed = Perturbation(tuple(selection.sentences["text"]), selection.spans, ("Al",))
    assert perturbed.row(0) == ["we and Al"]


def consistent(selection: Selection) -> bool:
    rows = selection.sentences.itertuples()
    return all(row.text[row.start : row.end] == row.anchor for row in rows) and len(selection.spans) == len(
        selection.candidates
    ) == len(selection.sentences)


@settings(max_examples=50)
@given(
    st.lists(st.sampled_from(["he", "she", "him", "{name}", "x", "", "😀", "a b c d"]), min_size=1, max_size=12),
    st.data(),
)
def test_every_sentence_is_accounted_for(texts: list[str], data: st.DataObject) -> None:
    spec = data.draw(st.sampled_from(["pronouns:he,she", "slot", "terms:x,he"]))
    mentions = data.draw(st.sampled_from(["first", "all"]))
    options = SelectionOptions(max_words=3, sample=data.draw(st.integers(1, 4)), mentions=mentions)
    try:
        selection = select(corpus(*texts), anchors.finder(spec), options)
    except AnchorError:
        return
    counts = dict(selection.account)
    assert counts.pop("read") == sum(counts.values()) == len(texts)
    assert counts["kept"] == len(selection.sentences) <= options.sample
    assert consistent(selection)


@pytest.mark.parametrize(
    "values",
    [
        {"max_words": 0},
        {"sample": 0},
        {"sample": 1, "balance": True},
        {"mentions": "some"},
        {"seed": -1},
    ],
)
def test_options_out_of_range(values: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        SelectionOptions(**values)  # type: ignore[arg-type]


def test_sentences_that_are_no_table_of_sentences() -> None:
    with pytest.raises(CorpusError, match="no column text"):
        select(pd.DataFrame({"sentence_id": ["a"]}), PRONOUNS)
    with pytest.raises(CorpusError, match="twice"):
        select(pd.DataFrame({"sentence_id": [1, 1], "text": ["he", "he"]}), PRONOUNS)


def test_missing_texts_count_as_empty() -> None:
    sentences = pd.DataFrame({"sentence_id": [1, 2, 3], "text": ["he", None, float("nan")]})
    assert select(sentences, PRONOUNS).account == {"read": 3, "empty": 2, "kept": 1}


def test_equal_texts_are_all_kept() -> None:
    assert select(corpus("he", "he"), PRONOUNS).account == {"read": 2, "kept": 2}


@pytest.mark.slow
@pytest.mark.skipif(not REDDIT.exists(), reason="no ../shared/data/goemotions")
def test_reddit_comments_as_the_paper_chose_them() -> None:
    comments = pd.read_csv(REDDIT, usecols=["text"])
    comments.insert(0, "sentence_id", [str(row) for row in range(len(comments))])
    selection = select(comments, PRONOUNS, SelectionOptions(balance=True))
    assert selection.sentences["anchor_gender"].value_counts().to_dict() == {"female": 500, "male": 500}
    assert selection.account["read"] == len(comments)
    assert selection.eligible > 5000
    assert consistent(selection)
    names = ("Kanye West", "Robert Downey Jr.")
    texts = list(Perturbation(tuple(selection.sentences["text"]), selection.spans, names))
    assert len(texts) == 2000
    assert not [text for text in texts if "'s's" in text or "’s’s" in text or "'s'll" in text]


def test_documents_about_a_person_are_all_taken_whatever_their_genders() -> None:
    texts = ["Jane Doe came. She left.", "Anna Weber came. She left.", "Peter Hall came. He left."]
    table = pd.DataFrame({"sentence_id": list("abc"), "text": texts})
    assert len(select(table, anchors.finder("person"), SelectionOptions(balance=None)).sentences) == 3
    with_balance = select(table, anchors.finder("person"), SelectionOptions(balance=True))
    assert with_balance.sentences["anchor_gender"].tolist() == ["female", "male"]
