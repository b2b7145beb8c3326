"""Split names and sentences in halves: one for the mitigation, one to measure it.

Spellings of one name are one name, and sentences that differ in the anchor alone are one sentence: both stay together.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from psa_core.cube import ScoreCube
from psa_core.errors import CubeError, NameListError
from psa_core.study import perturbation_of
from psa_core.study.families import normalized
from psa_core.study.perturbation import Perturbation

_WORD = re.compile(r"\w+")
_POSSESSIVE = re.compile(r"(?:['’]s|(?<=s)['’])$", re.IGNORECASE)
_PLURALS = ("", "s", "es")


@dataclass(frozen=True)
class Halves:
    """Positions of the rows that a mitigation may use, and of those it is measured on: int arrays, both in order."""

    used: np.ndarray
    measured: np.ndarray


def halves(rows: pd.DataFrame, *, kept_together: Sequence[str] | None = None, seed: int = 0) -> Halves:
    """Deal rows alternately into two halves, group by group, so that both have as many of each group.

    Every column but ``name`` is a group column; rows with the same key in `kept_together` go to the same half.

    Examples
    --------
    >>> split = halves(pd.DataFrame({"name": list("abcd"), "gender": ["f", "m", "f", "m"]}))
    >>> sorted(int(row) % 2 for row in split.used)
    [0, 1]
    """
    order = np.random.default_rng(seed).permutation(len(rows))
    groups = rows.drop(columns="name", errors="ignore").astype(str).agg("\n".join, axis=1).to_numpy(dtype=object)
    if rows.shape[1] > ("name" in rows):
        order = order[np.argsort(groups[order], kind="stable")]
    keys = pd.Series(range(len(rows)) if kept_together is None else list(kept_together))
    shuffled = keys.iloc[order].drop_duplicates()
    used = keys.isin(shuffled.iloc[::2]).to_numpy()
    return Halves(np.flatnonzero(used), np.flatnonzero(~used))


def halves_of_names(names: pd.DataFrame, *, field: str = "names to split", seed: int = 0) -> Halves:
    """Names that a mitigation may use, and those that it is measured on; spellings of one name stay together.

    Raises `NameListError` (about `field`) with fewer than four names: one name alone has no spread.
    """
    keys = name_keys(names["name"])
    if len(set(keys)) < 4:
        spelt = "" if len(set(keys)) == len(keys) else f" spellings of {len(set(keys))}"
        raise NameListError(
            field,
            got=f"{len(keys)}{spelt}",
            expected="at least four: two to use, two to measure",
            fix="Take a longer list of names.",
        )
    return halves(names, kept_together=keys, seed=seed)


def split_sentences(cube: ScoreCube) -> Halves:
    """The sentences that the number of names may be chosen on, and those that are measured; repeats stay together.

    Raises `CubeError` with one sentence: no other is left to measure.
    """
    keys = sentence_keys(perturbation_of(cube))
    if len(set(keys)) < 2:
        raise CubeError(
            "sentences to split",
            got=f"{len(keys)} in this study" + (" that say the same" if len(keys) > 1 else ""),
            expected="at least two: one to choose the number of names on, one to measure",
            fix="Run the study on more sentences.",
        )
    return halves(pd.DataFrame(index=range(len(keys))), kept_together=keys)


def drawn(rows: np.ndarray, count: int) -> np.ndarray:
    """The first `count` rows of a seeded random order, so that a smaller draw is a part of a larger one."""
    return np.sort(np.random.default_rng(0).permutation(rows)[:count])


def name_keys(names: Iterable[str]) -> list[str]:
    """A key for each name, equal for spellings of one: case, accents, signs and a possessive's ending aside.

    Examples
    --------
    >>> len(set(name_keys(["Beyoncé", "beyonce", "Beyoncé's", "BEYONCÉ"])))
    1
    """
    return [" ".join(_words(_POSSESSIVE.sub("", name))).casefold() or name for name in names]


def sentence_keys(sentences: Perturbation) -> list[str]:
    """A key for each sentence, equal for those that say the same around the anchor: *He left.* and *she left!*"""
    keys = []
    for text, spans in zip(sentences.texts, sentences.spans, strict=True):
        ends = [0, *(span.end for span in spans)]
        starts = [*(span.start for span in spans), len(text)]
        keys.append(normalized(" _ ".join(text[end:start] for end, start in zip(ends, starts, strict=True))))
    return keys


def naming_none(texts: Sequence[str], names: Sequence[str]) -> list[str]:
    """The texts in which none of the names stands, however it is spelt.

    Of a name of one word the capital counts: *will* is not *Will*. A word that is written small is found in any case
    and in the plural: *Nurses* is *nurse*.

    Examples
    --------
    >>> naming_none(["I saw beyonce knowles.", "Nurses left.", "She will go."], ["Beyoncé Knowles", "nurse", "Will"])
    ['She will go.']
    """
    spellings: dict[str, list[tuple[list[str], bool]]] = {}
    for name in names:
        words, is_common = _words(_POSSESSIVE.sub("", name)), name == name.lower()
        for ending in (_PLURALS if is_common else _PLURALS[:1]) if words else ():
            parts = [part.casefold() for part in (*words[:-1], words[-1] + ending)]
            spellings.setdefault(parts[0], []).append((parts, is_common or len(parts) > 1))
    return [text for text in texts if not _names_one(_words(text), spellings)]


def _names_one(words: list[str], spellings: dict[str, list[tuple[list[str], bool]]]) -> bool:
    small = [word.casefold() for word in words]
    return any(
        small[place : place + len(parts)] == parts and (in_any_case or words[place] != first)
        for place, first in enumerate(small)
        for parts, in_any_case in spellings.get(first, ())
    )


def _words(text: str) -> list[str]:
    """Words without accents, in their own case."""
    parts = unicodedata.normalize("NFKD", text)
    return _WORD.findall("".join(letter for letter in parts if not unicodedata.combining(letter)))
