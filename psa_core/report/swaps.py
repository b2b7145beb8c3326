"""Split a perturbed sentence into unchanged, removed and inserted pieces."""

from __future__ import annotations

from typing import Literal, NamedTuple

from psa_core.study.perturbation import Perturbation, possessive


class Piece(NamedTuple):
    """A stretch of text: the ``same`` in both sentences, ``gone`` from the original, or ``come`` with the name."""

    kind: Literal["same", "gone", "come"]
    text: str


def swap_pieces(perturbation: Perturbation, sentence: int, name: str) -> list[Piece]:
    """Pieces of one cell, in order.

    Parameters
    ----------
    perturbation : Perturbation
        The texts behind a cube: `study.perturbation_of`.
    sentence : int
        Position of the sentence.
    name : str
        What comes in the anchor's place; need not be on the list, so that it can be one that hides the name.

    Returns
    -------
    list of Piece
        ``same`` and ``gone`` together are the original sentence; ``same`` and ``come`` the perturbed one.

    Examples
    --------
    >>> from psa_core.anchors import Anchor
    >>> perturbation = Perturbation(("He left.",), ((Anchor(0, 2, "subject"),),), ("Ann",))
    >>> [tuple(piece) for piece in swap_pieces(perturbation, 0, "Ann")]
    [('gone', 'He'), ('come', 'Ann'), ('same', ' left.')]
    """
    text, spans = perturbation.texts[sentence], perturbation.spans[sentence]
    apostrophe = "’" if "’" in text and "'" not in text else "'"
    pieces: list[Piece] = []
    position = 0
    for span in spans:
        pieces.append(Piece("same", text[position : span.start]))
        form = possessive(name, apostrophe) if span.role == "possessive" else name
        position = span.end
        one_stop = text[position : position + 1] == "." and text[position + 1 : position + 2] != "."
        if form.endswith(".") and one_stop:  # the name's own full stop ends the sentence
            form = form[:-1]
        pieces += [Piece("gone", text[span.start : span.end]), Piece("come", form)]
    return [piece for piece in [*pieces, Piece("same", text[position:])] if piece.text]
