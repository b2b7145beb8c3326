"""Perturbed texts, generated on demand from sentences, spans and names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from psa_core.anchors import Anchor
from psa_core.errors import CubeError
from psa_core.inputs.conditions import Condition
from psa_core.inputs.people import Person, is_name

_APOSTROPHES = ("'", "’")
#: Characters of the texts that are made together.
_AT_A_TIME = 1_000_000


def possessive(name: str, apostrophe: str = "'") -> str:
    """The possessive of a name: ``'s``, also after -s (Chicago style), unless the name ends in a possessive already.

    Examples
    --------
    >>> possessive("Rihanna"), possessive("James"), possessive("McDonald's")
    ("Rihanna's", "James's", "McDonald's")
    """
    ends_so = name.endswith(_APOSTROPHES) or (name[-1:] in "sS" and name[-2:-1] in _APOSTROPHES)
    return name if not name or ends_so else f"{name}{apostrophe}s"


@dataclass(frozen=True, eq=False)
class Perturbation:
    """All texts of a study: ``len()`` is S × N, and none is stored.

    Each span gets the form of the person that it asks for. A possessive takes the apostrophe of its text: curly where
    the text writes only curly ones, else straight. A name that ends in a full stop (*Robert Downey Jr.*) takes over the
    one that ends the sentence.

    ``texts`` (S,) are the original sentences, ``spans`` (S,) what a name replaces in each, by position; at least one
    span each. Of some ``names`` (N,) more is known: their ``people``; who is not there is told by the name alone.
    ``hidden`` is how people stand in the texts instead of by name; see `Person.hidden`. Raises `CubeError` when spans
    and texts do not fit together.

    Examples
    --------
    >>> perturbation = Perturbation(("He left his dog.",), ((Anchor(8, 11, "possessive"),),), ("Rihanna", "James"))
    >>> perturbation.row(0)
    ["He left Rihanna's dog.", "He left James's dog."]
    """

    texts: tuple[str, ...]
    spans: tuple[tuple[Anchor, ...], ...]
    names: tuple[str, ...]
    people: tuple[Person, ...] = ()
    hidden: str = ""

    def __post_init__(self) -> None:
        if len(self.texts) != len(self.spans):
            raise CubeError("spans", got=f"{len(self.spans)} rows", expected=f"{len(self.texts)}, one a sentence")
        for text, spans in zip(self.texts, self.spans, strict=True):
            bounds = [edge for span in spans for edge in (span.start, span.end)]
            if not spans or bounds != sorted(bounds) or bounds[0] < 0 or bounds[-1] > len(text):
                got = f"spans {[(span.start, span.end) for span in spans]} in {text[:40]!r}"
                expected = "at least one, in order, inside the sentence, not overlapping"
                raise CubeError("spans", got=got, expected=expected)

    def __len__(self) -> int:
        return self.cells

    @property
    def cells(self) -> int:
        """Number of perturbed texts: S × N."""
        return len(self.texts) * len(self.names)

    @property
    def letters(self) -> int:
        """Characters of the S × N perturbed texts and the S sentences together, by their lengths: no text is made."""
        asked = {(span.form, span.role == "possessive") for spans in self.spans for span in spans}
        forms = {key: self._forms(self.names, *key) for key in asked}
        lengths = {key: sum(map(len, every)) for key, every in forms.items()}
        stops = {key: sum(form.endswith(".") for form in every) for key, every in forms.items()}
        total = sum(map(len, self.texts)) * (1 + len(self.names))
        for span, after in (place for s in range(len(self.texts)) for place in self._places(s)):
            key = span.form, span.role == "possessive"
            total += lengths[key] - (span.end - span.start) * len(self.names)
            total -= stops[key] if _is_full_stop(after) else 0
        return total

    def originals(self) -> list[str]:
        """The S sentences as they are."""
        return list(self.texts)

    def row(self, s: int) -> list[str]:
        """Sentence ``s`` with each name: N texts in the names' order."""
        return self._render(s, self.names)

    def stream(self, s: int) -> Iterator[str]:
        """The texts of `row`, a few at a time: those of a long sentence with many names do not fit into memory."""
        step = max(1, _AT_A_TIME // (1 + len(self.texts[s])))
        for start in range(0, len(self.names), step):
            yield from self._render(s, self.names[start : start + step])

    def text(self, s: int, n: int) -> str:
        """Sentence ``s`` with name ``n``: the text of one cell."""
        return self._render(s, (self.names[n],))[0]

    def __iter__(self) -> Iterator[str]:
        """Every perturbed text, row by row."""
        for s in range(len(self.texts)):
            yield from self.stream(s)

    def pieces(self, s: int, name: str) -> list[tuple[str, Anchor | None, str]]:
        """Sentence ``s`` in pieces: its own text, the anchor or None, and the text with this name.

        Those without an anchor are equal in both. The name need not be one of `names`.
        """
        text, before = self.texts[s], self.texts[s][: self.spans[s][0].start]
        parts: list[tuple[str, Anchor | None, str]] = [(before, None, before)]
        for span, after in self._places(s):
            form = self._forms([name], span.form, span.role == "possessive", _apostrophe(text))[0]
            if _is_full_stop(after):  # the name's own full stop ends the sentence
                form = form.removesuffix(".")
            parts += [(text[span.start : span.end], span, form), (after, None, after)]
        return parts

    def slots(self, s: int) -> str:
        """Sentence ``s`` with a slot in the place of each anchor."""
        return "".join(own if span is None else f"{{{span.form or 'name'}}}" for own, span, _ in self.pieces(s, ""))

    def under(self, condition: Condition) -> Perturbation:
        """The texts as a condition shows them: with its context in front, and people named as it says."""
        before = f"{condition.context}\n\n" if condition.context else ""
        spans = tuple(
            tuple(replace(span, start=span.start + len(before), end=span.end + len(before)) for span in of_text)
            for of_text in self.spans
        )
        return replace(self, texts=tuple(before + text for text in self.texts), spans=spans, hidden=condition.names)

    def _forms(self, names: Sequence[str], form: str, owned: bool, apostrophe: str = "'") -> Sequence[str]:
        """What stands for each name in a place."""
        if form or self.hidden:
            known = self._known
            names = [(known.get(name) or Person.of(name)).hidden(self.hidden).form(form) for name in names]
        return [possessive(name, apostrophe) for name in names] if owned and is_name(form) else names

    @cached_property
    def _known(self) -> dict[str, Person]:
        return {person.name: person for person in self.people}

    def _places(self, s: int) -> list[tuple[Anchor, str]]:
        """Each span of sentence ``s`` with the text behind it, up to the next one."""
        text, spans = self.texts[s], self.spans[s]
        ends = [*(span.start for span in spans[1:]), len(text)]
        return [(span, text[span.end : end]) for span, end in zip(spans, ends, strict=True)]

    def _render(self, s: int, names: Sequence[str]) -> list[str]:
        text = self.texts[s]
        apostrophe = _apostrophe(text)
        rendered = [text[: self.spans[s][0].start]] * len(names)
        for span, after in self._places(s):
            forms = self._forms(names, span.form, span.role == "possessive", apostrophe)
            full_stop = _is_full_stop(after)
            rendered = [
                before + form + (after[1:] if full_stop and form[-1:] == "." else after)
                for before, form in zip(rendered, forms, strict=True)
            ]
        return rendered


def _apostrophe(text: str) -> str:
    return "’" if "’" in text and "'" not in text else "'"


def _is_full_stop(after: str) -> bool:
    """Whether what follows an anchor begins with a full stop that ends the sentence, rather than with an ellipsis."""
    return after.startswith(".") and not after.startswith("..")
