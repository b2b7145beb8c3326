"""The sentences behind one number of the nationality table: which entered or left a class, with which names."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from psa_core.audits.nationality.tables import classes
from psa_core.cube import ScoreCube
from psa_core.report import Piece


def changed_draws(cube: ScoreCube, country: str, target: str) -> pd.DataFrame:
    """The draws of one country in which a sentence enters or leaves a class, largest change of the score first.

    Parameters
    ----------
    cube : ScoreCube
    country : str
    target : str
        A class of `tables.classes`, or another target of the cube; then every draw is listed.

    Returns
    -------
    DataFrame
        ``sentence_position, name_position, change, original, perturbed, delta``; change is ``enters``, ``leaves`` or
        empty, and the scores are those of the class's target.
    """
    columns = np.flatnonzero((cube.names["country"] == country).to_numpy())
    found = next((item for item in classes(cube) if item.name == target), None)
    before, after = cube.scores(found.target if found else target)
    after = after[:, columns]
    if found:
        was, is_now = found.predicted(cube.original)[:, None], found.predicted(cube.perturbed[:, columns])
        s, n = np.nonzero(was != is_now)
        change = np.where(is_now[s, n], "enters", "leaves")
    else:
        s, n = (index.ravel() for index in np.indices(after.shape))
        change = np.full(len(s), "")
    table = pd.DataFrame({"sentence_position": s, "name_position": columns[n], "change": change})
    table = table.assign(original=before[s].astype(float), perturbed=after[s, n].astype(float))
    table["delta"] = table["perturbed"] - table["original"]
    return table.iloc[np.argsort(-table["delta"].abs().to_numpy(), kind="stable")].reset_index(drop=True)


def pieces(text: str, entities: str, perturbed: str) -> list[Piece]:
    """A drawn text beside its original, cut where a name has taken an entity's place.

    Parameters
    ----------
    text : str
        The original.
    entities : str
        Places of its people, ``start:end`` each, as ``sentences.csv`` has them.
    perturbed : str
        One draw of it.

    Returns
    -------
    list of Piece
        ``same`` and ``gone`` together are the original, ``same`` and ``come`` the draw.

    Examples
    --------
    >>> [piece.text for piece in pieces("I met Susan.", "6:11", "I met Chloé.")]
    ['I met ', 'Susan', 'Chloé', '.']
    """
    spans = [tuple(int(edge) for edge in span.split(":")) for span in entities.split()]
    names = _names(text, spans, perturbed)
    if names is None:
        return [Piece("gone", text), Piece("come", perturbed)]
    found: list[Piece] = []
    at = 0
    for (start, end), name in zip(spans, names, strict=True):
        found += [Piece("same", text[at:start]), Piece("gone", text[start:end]), Piece("come", name)]
        at = end
    return [piece for piece in [*found, Piece("same", text[at:])] if piece.text]


def _names(text: str, spans: Sequence[tuple[int, ...]], perturbed: str) -> tuple[str, ...] | None:
    """What stands in the draw where the entities stood."""
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    kept = [re.escape(text[left:right]) for left, right in zip(edges[::2], edges[1::2], strict=True)]
    match = re.fullmatch("(.+?)".join(kept), perturbed, re.DOTALL)
    return match.groups() if match else None
