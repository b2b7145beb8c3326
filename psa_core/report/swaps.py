"""Split a perturbed sentence into unchanged, removed and inserted pieces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from psa_core.plurals import LONG
from psa_core.study.perturbation import Perturbation

#: A longer text is shown by its changed passages: so many characters around each, and so many changes.
CONTEXT, MAX_CHANGES = 70, 8
CUT = " … "


class Piece(NamedTuple):
    """A stretch of text: the ``same`` in both sentences, ``gone`` from the original, or ``come`` with the name."""

    kind: Literal["same", "gone", "come"]
    text: str


def swap_pieces(perturbation: Perturbation, sentence: int, name: str) -> list[Piece]:
    """Pieces of one cell, in order; without ``come`` they are the original sentence, without ``gone`` the other one.

    The name need not be on the list, so that it can be one that hides the name.

    Examples
    --------
    >>> from psa_core.anchors import Anchor
    >>> perturbation = Perturbation(("He left.",), ((Anchor(0, 2, "subject"),),), ("Ann",))
    >>> [tuple(piece) for piece in swap_pieces(perturbation, 0, "Ann")]
    [('gone', 'He'), ('come', 'Ann'), ('same', ' left.')]
    """
    pieces: list[Piece] = []
    for own, anchor, put_in in perturbation.pieces(sentence, name):
        pieces += [Piece("same", own)] if anchor is None else [Piece("gone", own), Piece("come", put_in)]
    return [piece for piece in pieces if piece.text]


def is_long(pieces: Sequence[tuple[str, str]]) -> bool:
    """Whether a text is too long to be shown whole beside others."""
    return sum(len(text) for _, text in pieces) > LONG


def excerpt(pieces: Sequence[tuple[str, str]], most: int = MAX_CHANGES) -> list[tuple[str, str]]:
    """The changed passages of a long text with a line of what is around them; a short text as it is.

    Whatever is not ``same`` counts as changed. What is shown does not grow with the text: of more changes than `most`
    only the number is given.

    Examples
    --------
    >>> pieces = [("same", "a " * 500), ("come", "Ann"), ("same", " left." + " b" * 500)]
    >>> "".join(text for _, text in excerpt(pieces))[60:90]
    ' a a a a a Ann left. b b b b b'
    """
    if not is_long(pieces):
        return list(pieces)
    if all(kind == "same" for kind, _ in pieces):
        return [("same", _words("".join(text for _, text in pieces)[: LONG // 2], "end") + " …")]
    shown: list[tuple[str, str]] = []
    changes = 0
    for at, (kind, text) in enumerate(pieces):
        changes += kind not in ("same", "gone")
        if changes > most:
            continue
        first, last = at == 0, at == len(pieces) - 1
        if kind != "same":
            shown.append((kind, text if len(text) <= 2 * CONTEXT else f"{text[: 2 * CONTEXT]}…"))
        elif len(text) <= (CONTEXT if first or last else 2 * CONTEXT):
            shown.append((kind, text))
        else:
            after = "" if first else _words(text[:CONTEXT], "end")
            before = "" if last else _words(text[-CONTEXT:], "start")
            shown.append((kind, f"{after}{CUT}{before}"))
    if left := max(0, changes - most):
        shown.append(("same", f"{CUT}{left:,} more {'change' if left == 1 else 'changes'}"))
    return shown


def _words(text: str, cut: Literal["start", "end"]) -> str:
    """A piece of text without the word that its cut goes through."""
    if cut == "start":
        return text[text.find(" ") + 1 :] if " " in text else text
    return text[: text.rfind(" ") + 1].rstrip() if " " in text else text
