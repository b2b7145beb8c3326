"""Texts with names."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psa_core import anchors
from psa_core.anchors import Anchor
from psa_core.errors import CubeError
from psa_core.study.perturbation import Perturbation, possessive

NAMES = ("Rihanna", "James", "McDonald's", "Robert Downey Jr.", "Beyoncé", "O’Neill")


def perturbed(text: str, name: str, spec: str = "pronouns") -> str:
    """The text with every anchor replaced by one name."""
    return Perturbation((text,), tuple(anchors.finder(spec).find([text])), (name,)).text(0, 0)


PARTS = st.lists(st.sampled_from(["x", " ", ".", "..", "’", "'"]), max_size=3).map("".join)


@given(st.lists(st.tuples(PARTS, st.sampled_from(["subject", "possessive"])), min_size=1), PARTS, st.booleans())
def test_letters_are_counted_by_length_and_pieces_make_the_text(
    parts: list[tuple[str, str]], end: str, twice: bool
) -> None:
    text, spans = "", []
    for before, role in parts:
        spans.append(Anchor(len(text + before), len(text + before) + 2, role))  # type: ignore[arg-type]
        text += f"{before}he"
    made = Perturbation((text + end,) * (1 + twice), (tuple(spans),) * (1 + twice), ("", "s.", *NAMES))
    assert made.letters == sum(map(len, [*made, *made.texts]))
    for n, name in enumerate(made.names):
        assert "".join(piece for *_, piece in made.pieces(0, name)) == made.text(0, n)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Rihanna", "Rihanna's"),
        ("James", "James's"),
        ("Jesus", "Jesus's"),
        ("McDonald's", "McDonald's"),
        ("McDonald’s", "McDonald’s"),
        ("the Simpsons'", "the Simpsons'"),
        ("Robert Downey Jr.", "Robert Downey Jr.'s"),
        ("s", "s's"),
        ("", ""),
    ],
)
def test_possessive(name: str, expected: str) -> None:
    assert possessive(name) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He's late and I hate him.", "Kanye West's late and I hate Kanye West."),
        ("He’s late.", "Kanye West’s late."),
        ("she'll win; she’d win", "Kanye West'll win; Kanye West’d win"),
        ("It is his.", "It is Kanye West's."),
        ("I saw her dog", "I saw Kanye West's dog"),
        ("I saw her", "I saw Kanye West"),
        ("That's hers, a friend of hers.", "That's Kanye West's, a friend of Kanye West's."),
        ("I don’t like his dog", "I don’t like Kanye West’s dog"),
        ("I don’t like his dog's food", "I don’t like Kanye West's dog's food"),
        ("her's is better", "Kanye West's is better"),
        ("<b>HE</b> and *her* dog 😀", "<b>Kanye West</b> and *Kanye West's* dog 😀"),
        ("He hurt himself.", "Kanye West hurt himself."),
        ("“he” said 'he'", "“Kanye West” said 'Kanye West'"),
    ],
)
def test_grammar(text: str, expected: str) -> None:
    assert perturbed(text, "Kanye West") == expected


def test_the_name_keeps_its_own_case_and_ending() -> None:
    assert perturbed("HIS dog", "will.i.am") == "will.i.am's dog"
    assert perturbed("his dog and he", "James") == "James's dog and James"
    assert perturbed("{name}'s dog", "James", "slot") == "James's dog"


def test_a_full_stop_is_written_once() -> None:
    name = "Robert Downey Jr."
    assert perturbed("I like him.", name) == "I like Robert Downey Jr."
    assert perturbed("I like him. Do you?", name) == "I like Robert Downey Jr. Do you?"
    assert perturbed("I like him...", name) == "I like Robert Downey Jr...."
    assert perturbed("I like him!", name) == "I like Robert Downey Jr.!"
    assert perturbed("It is his.", name) == "It is Robert Downey Jr.'s."


def test_rows_texts_and_iteration_agree() -> None:
    texts = ("He left his dog.", "I know her", "✨ {name} ✨")
    spans = (
        (Anchor(0, 2, "subject"), Anchor(8, 11, "possessive")),
        (Anchor(7, 10, "object"),),
        (Anchor(2, 8, "object"),),
    )
    perturbation = Perturbation(texts, spans, NAMES)
    assert len(perturbation) == perturbation.cells == 18
    assert perturbation.originals() == list(texts)
    assert perturbation.row(0)[:2] == ["Rihanna left Rihanna's dog.", "James left James's dog."]
    grid = [[perturbation.text(s, n) for n in range(6)] for s in range(3)]
    assert [perturbation.row(s) for s in range(3)] == grid
    assert list(perturbation) == [text for row in grid for text in row]


@pytest.mark.parametrize(
    "spans",
    [
        (),
        (Anchor(0, 9, "object"),),
        (Anchor(-1, 2, "object"),),
        (Anchor(3, 2, "object"),),
        (Anchor(0, 3, "object"), Anchor(2, 4, "object")),
        (Anchor(0, 1, "object"), Anchor(2, 5, "object")),
        (Anchor(2, 4, "object"), Anchor(0, 1, "object")),
    ],
)
def test_spans_that_do_not_fit(spans: tuple[Anchor, ...]) -> None:
    with pytest.raises(CubeError, match=r"spans.*at least one, in order, inside the sentence, not overlapping"):
        Perturbation(("four",), (spans,), NAMES)


def test_a_row_of_spans_for_each_text() -> None:
    with pytest.raises(CubeError, match="1 rows, expected 2"):
        Perturbation(("a", "b"), ((Anchor(0, 1, "object"),),), NAMES)


@given(st.data())
def test_only_the_spans_change(data: st.DataObject) -> None:
    pieces = data.draw(st.lists(st.text(st.characters(exclude_characters="'’."), max_size=5), min_size=2, max_size=5))
    text, spans = pieces[0], []
    for piece in pieces[1:]:
        spans.append(Anchor(len(text), len(text) + 2, data.draw(st.sampled_from(["subject", "object", "possessive"]))))
        text += "he" + piece
    row = Perturbation((text,), (tuple(spans),), ("Ann", "Bo's")).row(0)
    for name, got in zip(("Ann", "Bo's"), row, strict=True):
        expected = pieces[0]
        for span, piece in zip(spans, pieces[1:], strict=True):
            expected += (possessive(name) if span.role == "possessive" else name) + piece
        assert got == expected


def test_forms_are_rendered_counted_and_put_back_as_slots() -> None:
    from psa_core import anchors
    from psa_core.anchors import fill_slots
    from psa_core.inputs.people import Person

    text = "Dear {title}, {first}'s dog bit {him}; {he} {was/were} {initials}."
    filled, spans = fill_slots(text, anchors.finder("slot").find([text])[0], "this person")
    assert filled == "Dear this person, this person's dog bit them; they were T.P."
    people = (Person.of("Ann Lee", "female"), Person("Bo"))
    made = Perturbation((filled,), (spans,), ("Ann Lee", "Bo", "Cy Twombly"), people)
    assert made.row(0) == [
        "Dear Ms. Lee, Ann's dog bit her; she was A.L.",
        "Dear Bo, Bo's dog bit them; they were B.",
        "Dear Cy Twombly, Cy's dog bit them; they were C.T.",
    ]
    assert made.letters == len(filled) + sum(map(len, made.row(0)))
    assert made.slots(0) == text
    assert "".join(piece for _, _, piece in made.pieces(0, "Bo")) == made.text(0, 1)


@pytest.mark.parametrize(("at_a_time", "portions"), [(33, [3, 3, 1]), (32, [2, 2, 2, 1]), (5, [1] * 7)])
def test_texts_are_made_in_portions_of_so_many_letters(
    at_a_time: int, portions: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    render = Perturbation._render

    def noted(self: Perturbation, s: int, names: Sequence[str]) -> list[str]:
        made.append(len(names))
        return render(self, s, names)

    perturbation = Perturbation(("He left us",), ((Anchor(0, 2, "subject"),),), tuple("ABCDEFG"))
    monkeypatch.setattr("psa_core.study.perturbation._AT_A_TIME", at_a_time)
    monkeypatch.setattr(Perturbation, "_render", noted)
    assert list(perturbation.stream(0)) == [f"{name} left us" for name in "ABCDEFG"]
    assert made == portions
