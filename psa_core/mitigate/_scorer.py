"""The name-averaged scorer: replaces the first name or anchor of a text by each name of a list and averages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from psa_core.anchors import Anchor, AnchorFinder
from psa_core.cube import Target
from psa_core.errors import AnchorError, NameListError
from psa_core.inputs import people
from psa_core.inputs.checks import as_texts
from psa_core.models import Scorer
from psa_core.models._base import digest
from psa_core.scoring import score as score_texts
from psa_core.study.perturbation import Perturbation

#: *James' dog*: an apostrophe alone, unless it closes a quotation.
_BARE, _OPEN_QUOTE = re.compile(r"['’](?=\s+\w)"), re.compile(r"(?:^|[\s(\[])['‘]")
_ENDING = re.compile(r"[\s\"'”’)\]]*(?:\n|$)")


class Template(NamedTuple):
    """A text with its mention blanked out: equal for all names in one sentence, so it is scored once for all."""

    text: str
    spans: tuple[Anchor, ...]


@dataclass(frozen=True, eq=False)
class NameAveraged:
    """A scorer that answers with the mean score over a list of names, whichever of them (or anchor) a text mentions.

    The first mention counts: a name of the list or an anchor that `finder` finds, whichever comes first. A text without
    either is scored as it is, so a name that is on no list keeps its own score. Each text costs K texts, one for each
    of the `names`; further ones that are only `recognised` cost nothing. Raises `NameListError` when there is no name
    to average over, `AnchorError` from `score` when anchors are a person's forms, which one name cannot stand for.

    Examples
    --------
    >>> from psa_core import anchors, models
    >>> averaged = NameAveraged(models.load("vader"), ("Grace Kelly", "Ann Smith"), anchors.finder("pronouns"))
    >>> scores = averaged.score(["Grace Kelly is here.", "Ann Smith is here.", "She is here."])
    >>> bool((scores == scores[0]).all())
    True
    """

    scorer: Scorer
    names: tuple[str, ...]
    finder: AnchorFinder
    recognised: tuple[str, ...] = ()
    _pattern: re.Pattern[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not self.names:
            raise NameListError("names to average over", got="an empty list", expected="at least one name")
        known = {*self.names, *self.recognised, *filter(None, [self.finder.filler])}
        longest_first = sorted(known, key=lambda name: (-len(name), name))
        choices = "|".join(map(re.escape, longest_first))
        object.__setattr__(self, "_pattern", re.compile(rf"(?<!\w)({choices})(?!\w)(['’]s\b)?"))

    @property
    def targets(self) -> tuple[Target, ...]:
        """Those of the scorer that is asked."""
        return self.scorer.targets

    @property
    def fingerprint(self) -> str:
        """Changes with the scorer's, the names and the anchors found."""
        parts = (self.scorer.fingerprint, self.names, tuple(sorted(set(self.recognised))), self.finder.fingerprint)
        return f"name-averaged:{digest([repr(parts)])}"

    def score(self, texts: Sequence[str]) -> np.ndarray:
        """Mean score over the names: float32 (len(texts), T); templates that repeat are scored once."""
        texts = as_texts(texts)
        if not texts:
            return np.empty((0, len(self.targets)), dtype=np.float32)
        templates = self.templates(texts)
        distinct = list(dict.fromkeys(templates))
        variants = [Perturbation((text,), (spans,), self.names).row(0) if spans else [text] for text, spans in distinct]
        flat = [text for row in variants for text in row]
        scores = score_texts(self.scorer, flat).astype(np.float64)
        starts = np.cumsum([0, *map(len, variants)])[:-1]
        counts = np.array([len(row) for row in variants])
        means = np.add.reduceat(scores, starts, axis=0) / counts[:, None]
        where = {template: row for row, template in enumerate(distinct)}
        return means[[where[template] for template in templates]].astype(np.float32)

    def templates(self, texts: Sequence[str]) -> list[Template]:
        """Each text with its first mention blanked out; without spans where there is none."""
        named = [self._named(text) for text in texts]
        before = {text[: span.start] for text, span in zip(texts, named, strict=True) if span and span.start}
        prefixes = sorted(before)
        has_anchor = dict(zip(prefixes, map(bool, self.finder.find(prefixes)), strict=True))
        # An anchor after the name does not count, so most texts with a name need no search of their own.
        searched = [i for i, span in enumerate(named) if span is None or has_anchor.get(texts[i][: span.start], False)]
        found = dict(zip(searched, self.finder.find([texts[i] for i in searched]), strict=True))
        refuse_forms(found.values())
        candidates = [[*found.get(i, ())[:1], *filter(None, [span])] for i, span in enumerate(named)]
        blanked = []
        for text, spans in zip(texts, candidates, strict=True):
            if spans:
                first = min(spans)
                # Subject and object take the same form of a name, so one template serves both.
                blank = Anchor(first.start, first.start + 1, "possessive" if first.role == "possessive" else "subject")
                blanked.append(Template(f"{text[: first.start]}_{text[first.end :]}", (blank,)))
            else:
                blanked.append(Template(text, ()))
        return blanked

    def _named(self, text: str) -> Anchor | None:
        match = self._pattern.search(text)
        if match is None:
            return None
        start, end = match.span(1)
        if match[2]:
            return Anchor(start, match.end(), "possessive")
        if match[1][-1] in "sS" and _BARE.match(text, end) and not _OPEN_QUOTE.search(text, 0, start):
            return Anchor(start, end + 1, "possessive")
        is_last = match[1].endswith(".") and _ENDING.match(text, end)
        return Anchor(start, end - 1 if is_last else end, "subject")  # that full stop ends the sentence as well


def refuse_forms(found: Iterable[Sequence[Anchor]]) -> None:
    """Raise `AnchorError` for texts that mention a person in several forms: the first alone would mix two people."""
    form = next((anchor.form for anchors in found for anchor in anchors if anchor.form not in ("", "full")), "")
    if form:
        expected = "texts with one mention each, since averaging replaces the first one only"
        raise AnchorError("anchors", got=f"a person in several forms (here: {people.label(form)})", expected=expected)
