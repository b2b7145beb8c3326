"""A long text is shown by its changed passages, and what is shown does not grow with it."""

import pytest

from pages.ui.frame import markup
from psa_core.plurals import LONG
from psa_core.report import excerpt, is_long
from psa_core.report.swaps import CONTEXT, CUT, MAX_CHANGES, _words


def joined(pieces):
    return "".join(text for _, text in pieces)


def document(changes, gap=500):
    pieces = []
    for number in range(changes):
        pieces += [("same", f" {'word ' * (gap // 5)}"), ("gone", "he"), ("come", f"Ann{number}")]
    return [*pieces, ("same", " end. " + "rest " * 100)]


def test_a_short_text_is_as_it_was():
    pieces = [("same", "On Monday "), ("gone", "he"), ("come", "Ann"), ("same", " left.")]
    assert excerpt(pieces) == pieces and not is_long(pieces)


def test_a_long_text_is_cut_at_words_around_each_change():
    shown = excerpt(document(2))
    assert joined(shown).count(CUT) == 3 and ("come", "Ann0") in shown and ("come", "Ann1") in shown
    assert set(joined(shown).split()) == {"word", "…", "end.", "rest", "heAnn0", "heAnn1"}


@pytest.mark.parametrize("changes", [10, 80])
def test_what_is_shown_does_not_grow(changes):
    shown = excerpt(document(changes))
    assert len(joined(shown)) < (MAX_CHANGES + 1) * (2 * CONTEXT + 30)
    assert joined(shown).endswith(f"{changes - MAX_CHANGES:,} more changes")


def test_changes_near_each_other_are_one_passage():
    assert joined(excerpt(document(7, gap=90))).count(CUT) == 2


def test_a_long_text_without_a_change_is_its_beginning():
    for words in (LONG // 5, 2 * LONG):
        shown = joined(excerpt([("same", "word " * (words // 2)), ("same", "word " * (words // 2) + "x")]))
        assert shown == " ".join(["word"] * (LONG // 10)) + " …"


def test_a_text_is_long_that_has_more_letters_than_a_card_shows():
    assert not is_long([("same", "x" * (LONG - 1)), ("come", "y")]) and is_long([("same", "x" * LONG), ("come", "y")])


def test_a_page_has_the_whole_behind_a_click_and_escapes_it():
    text = "<b>x</b> " * 100 + "he" + " y" * 500
    shown = markup.sentence(text, [(900, 902)])
    assert "<b>" not in shown and shown.count("<details") == 1 and shown.count(">he</mark>") == 2
    assert "details" not in markup.sentence("Then he left.", [(5, 7)])


def test_a_piece_between_changes_is_cut_where_it_is_longer_than_both_contexts():
    between, behind = "a " * (CONTEXT + 10), "b " * 400
    pieces = [("come", "Ann"), ("same", between), ("come", "Ann"), ("same", behind)]
    shown = excerpt(pieces)
    assert shown[1][1].count(CUT) == 1 and len(shown[1][1]) < len(between)
    assert shown[3][1].endswith(CUT) and len(shown[3][1]) <= CONTEXT + len(CUT)


def test_an_inserted_text_is_shown_up_to_two_contexts() -> None:
    for size, shown in ((2 * CONTEXT, "y" * 2 * CONTEXT), (2 * CONTEXT + 1, f"{'y' * 2 * CONTEXT}…")):
        found = excerpt([("same", "a " * 600), ("come", "y" * size), ("same", " end")])
        assert found[1] == ("come", shown) and found[2] == ("same", " end")


def test_of_many_changes_the_first_are_shown_and_the_others_counted() -> None:
    pieces = [piece for _ in range(10) for piece in (("same", "a " * 100), ("come", "Ann"))]
    assert [kind for kind, _ in excerpt(pieces, 10)].count("come") == 10
    for most, words in ((9, "1 more change"), (8, "2 more changes")):
        found = excerpt(pieces, most)
        assert [kind for kind, _ in found].count("come") == most and found[-1] == ("same", f"{CUT}{words}")


@pytest.mark.parametrize("place", ["first", "last"])
def test_what_is_unchanged_is_cut_at_a_word_where_it_is_longer_than_its_context(place: str) -> None:
    for size in (CONTEXT, CONTEXT + 1):
        same = ("same", "ab " * (size // 3) + "x" * (size % 3))
        long = [("come", "y"), ("same", "a " * 1000), ("come", "Ann")]
        found = excerpt([same, *long] if place == "first" else [*long, same])[0 if place == "first" else -1][1]
        if size == CONTEXT:
            assert found == same[1]
        else:
            words = found.replace(CUT, "").split()
            assert set(words) <= {"ab", same[1].split()[-1]} and CUT in found and len(found) < len(same[1]) + len(CUT)
    assert [_words("ab cd ef", "start"), _words("ab cd ef", "end")] == ["cd ef", "ab cd"]
    assert _words("abcdef", "start") == _words("abcdef", "end") == "abcdef"
