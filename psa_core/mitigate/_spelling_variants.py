"""Which names are one name, which sentences one sentence, and which texts name somebody: so that halves are apart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from psa_core.study.families import normalized
from psa_core.study.perturbation import Perturbation

_WORD = re.compile(r"\w+")
_POSSESSIVE = re.compile(r"(?:['’]s|(?<=s)['’])$", re.IGNORECASE)
_PLURALS = ("", "s", "es")


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
