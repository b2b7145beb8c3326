"""Near-copies as they come in corpora, and texts that only look alike."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from psa_core.anchors import Anchor
from psa_core.errors import OptionError
from psa_core.study.families import account, column_families, named_column, near_copies, words

BASE = "my neighbour says that she never once paid the rent on time"
MORE = [
    "yesterday",
    "really",
    "honestly",
    "lol",
    "again",
    "sadly",
    "maybe",
    "truly",
    "wow",
    "indeed",
    "often",
    "quietly",
]


def families_of(*texts: str) -> list[int]:
    return near_copies(texts, [()] * len(texts)).labels.tolist()


@pytest.mark.parametrize(
    "copy",
    [f"RT @someone: {BASE} https://t.co/x1", BASE.upper() + "!!", BASE.replace("never once", "never"), "lol " + BASE],
)
def test_copies_are_one_family(copy: str) -> None:
    assert families_of(BASE, copy, "Nobody asked him about the weather in Leeds.") == [0, 0, 1]


def test_copies_of_one_sentence_with_two_words_more() -> None:
    random = np.random.default_rng(0)
    copies = []
    for _ in range(60):
        said = BASE.split()
        for word in random.choice(MORE, 2):
            said.insert(int(random.integers(len(said) + 1)), word)
        copies.append(" ".join(said))
    assert set(families_of(*copies)) == {0}


def test_numbers_and_anchors_do_not_count() -> None:
    assert families_of("I paid him 20 dollars", "I paid him 3,500 dollars") == [0, 0]
    texts = ["Kanye West is late again today", "Dick Cheney is late again today"]
    spans = [(Anchor(0, 10, "subject"),), (Anchor(0, 11, "subject"),)]
    assert near_copies(texts, spans).count == 1
    twice = ["Kanye West said that Kanye has flu", "Dick Cheney said that Dick has flu"]
    spans = [
        (Anchor(0, 10, "subject"), Anchor(21, 26, "subject")),
        (Anchor(0, 11, "subject"), Anchor(22, 26, "subject")),
    ]
    assert near_copies(twice, spans).count == 1 and near_copies(twice, [(), ()]).count == 2


@pytest.mark.parametrize(
    "texts", [("I love him so much", "I hate him so much"), ("She is late", "She is nice"), ("He left.", "She sang.")]
)
def test_short_texts_that_differ_are_none(texts: tuple[str, str]) -> None:
    assert families_of(*texts) == [0, 1]


def test_the_share_is_reached_where_it_is_met_exactly() -> None:
    shared = "the old boat sank near Hull"  # 6 of 10 words, as 0.44 + 1.6 / 10 asks for
    assert families_of(f"{shared} last night", f"{shared} this week") == [0, 0]
    assert families_of(f"{shared} last night", f"{shared} this week again") == [0, 1]


def test_a_copy_inside_of_a_longer_text_is_found_by_its_rare_words() -> None:
    rare = " ".join(f"rare{letter}" for letter in "abcdefghijk")
    common = [f"common{letter}" for letter in "abcdefghi"]
    others = [f"{word} {turn}{word} {turn}{turn}{word}" for word in common for turn in "xy"]
    assert families_of(rare, f"{rare} {' '.join(common)}", *others) == [0, *range(19)]


def test_the_same_words_in_another_number_are_a_copy() -> None:
    assert families_of("so", "so so so", "no") == [0, 0, 1]


def test_of_very_many_texts_only_repeats_are_families(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [BASE, f"{BASE} lol", f"{BASE} wow", f"{BASE} WOW!"]  # three different ones
    for most, expected in ((3, [0, 0, 0, 0]), (2, [0, 1, 2, 2])):
        monkeypatch.setattr("psa_core.study.families.MAX_COMPARED", most)
        assert families_of(*texts) == expected


def test_no_words_at_all() -> None:
    assert families_of("!!", "??", "so?") == [0, 0, 1]
    assert not near_copies([], []).any


def test_a_column_of_families() -> None:
    families = column_families(pd.Series(["a", "", "a", None, " "]))
    assert families.labels.tolist() == [0, 1, 0, 2, 3]
    with pytest.raises(OptionError, match="a file with a column beside its texts"):
        named_column("author", pd.DataFrame({"sentence_id": ["1"], "text": ["x"]}))


def test_what_is_said_of_them() -> None:
    families = column_families(pd.Series(list("aabcdefgh")))
    assert account(families, None)["sentences"] == 2
    assert account(column_families(pd.Series(list("aaabb"))), "author")["effective_sample_size"] == 1.9  # 25 / 13
    assert words(families, None).startswith("2 of 9 sentences are near-copies, in 1 family. They are worth about 7 ")
    assert words(families, None, "document").startswith("2 of 9 documents are near-copies, in 1 family.")
    assert "about 7 independent documents: " in words(families, None, "document")
    assert "9 sentences come from 8 families (column author)" in words(families, "author")
    assert "too few" in words(column_families(pd.Series(list("aaabb"))), None)
    assert words(column_families(pd.Series(list("abc"))), None) == ""


def test_how_much_families_are_worth_is_said_whole() -> None:
    few = column_families(pd.Series(list("aaabb")))
    assert words(few, None) == (
        "5 of 5 sentences are near-copies, in 2 families. They are worth about 1.9 independent sentences, too few to "
        "say anything about names: add sentences that are no copies of these."
    )
    assert words(column_families(pd.Series(list("aabcdefgh"))), "author", "document") == (
        "The 9 documents come from 8 families (column author). They are worth about 7 independent documents: a family "
        "counts as one observation."
    )


def test_copies_are_found_in_blocks_as_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"{BASE} {MORE[n % 5]}" if n % 3 else f"Another text about {MORE[n % 7]} and rain" for n in range(24)]
    whole = families_of(*texts)
    monkeypatch.setattr("psa_core.study.families._BLOCK", 5)
    assert families_of(*texts) == whole and len(set(whole)) > 1
