"""Table 1 of the paper, live: one sentence with a slot, every name in it, every chosen model."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from pages.ui.frame import cached
from psa_core import anchors, models
from psa_core.anchors import slot
from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.inputs.limits import PAGE_SECONDS
from psa_core.inputs.people import Person, slots_in
from psa_core.study.perturbation import Perturbation
from psa_core.study.selection import fill_slots

SLOT = "{name}"
MAX_CHARACTERS = 1_000
FEW = 40


@dataclass(frozen=True, eq=False)
class Slotted:
    """A sentence with N names for its slot, which is a pronoun where it was `guessed`; `neutral` stands there first."""

    perturbation: Perturbation
    neutral: str
    guessed: bool

    def first(self, count: int) -> Slotted:
        return replace(self, perturbation=replace(self.perturbation, names=self.perturbation.names[:count]))

    @property
    def texts(self) -> tuple[str, ...]:
        """The neutral sentence, then the sentence with each name: N + 1 texts."""
        return (self.perturbation.texts[0], *self.perturbation.row(0))


@dataclass(frozen=True, eq=False)
class Panel:
    """Scores (N,) of one target of one model for a sentence's names, and that of the sentence with neutral words."""

    model: str
    target: Target
    scores: np.ndarray
    neutral: float


@dataclass(frozen=True, eq=False)
class TableOne:
    """Every name's score by every chosen model, in one sentence; names in the order of the list.

    `panels` are the headline targets of the models, `others` the further ones. `chosen` is the title of the model that
    the headline is about; without one, it is that in which the name matters most.
    """

    names: tuple[str, ...]
    texts: tuple[str, ...]
    neutral: str
    panels: tuple[Panel, ...]
    others: tuple[Panel, ...] = ()
    chosen: str | None = None

    @property
    def leading(self) -> Panel:
        """The panel of the headline; the name matters most where its part of the target's range is largest."""
        if chosen := [panel for panel in self.panels if panel.model == self.chosen]:
            return chosen[0]
        return max(self.panels, key=lambda panel: np.ptp(panel.scores) / (panel.target.high - panel.target.low))

    def sorted_by(self, panel: Panel | None) -> np.ndarray:
        """Positions of the names, highest score in a panel first; by name without one."""
        if panel is None:
            return np.argsort(np.array([name.casefold() for name in self.names]), kind="stable")
        return np.argsort(-panel.scores, kind="stable")

    def at(self, positions: np.ndarray) -> TableOne:
        """The table of some names, in that order."""

        def some(panels: tuple[Panel, ...]) -> tuple[Panel, ...]:
            return tuple(Panel(p.model, p.target, p.scores[positions], p.neutral) for p in panels)

        names = tuple(self.names[i] for i in positions)
        texts = (self.texts[0], *(self.texts[i + 1] for i in positions))
        return TableOne(names, texts, self.neutral, some(self.panels), some(self.others), self.chosen)

    def shown_as(self, labels: Mapping[str, str], found: Slotted) -> TableOne:
        """The table with other labels for the names, in the sentences too; for a screenshot without names."""
        if all(name == label for name, label in labels.items()):
            return self
        shown = tuple(labels[name] for name in self.names)
        texts = ("".join(form for *_, form in found.perturbation.pieces(0, label)) for label in shown)
        return replace(self, names=shown, texts=(self.texts[0], *texts))

    def frame(self) -> pd.DataFrame:
        """One row per name, one column per model and target, and the text that was scored; the neutral row first."""
        scores = {
            f"{panel.target.name} · {panel.model}": np.concatenate([[panel.neutral], panel.scores])
            for panel in (*self.panels, *self.others)
        }
        return pd.DataFrame({"name": [f"({self.neutral})", *self.names], **scores, "sentence": list(self.texts)})


def slotted(sentence: str, names: Sequence[str], filler: str, people: Sequence[Person] = ()) -> Slotted | None:
    """Find the place of the name: the slots, else the first he or she with its mentions; None where there is none.

    Raises `AnchorError` for a slot that is not known.
    """
    slots_in(sentence)
    slots = slot.ANCHOR.build(filler).find([sentence])[0]
    if slots:
        text, spans = fill_slots(sentence, slots, filler)
        return Slotted(Perturbation((text,), (spans,), tuple(names), tuple(people)), filler, guessed=False)
    pronouns = cached.finder(anchors.default()).find([sentence])[0] if sentence.strip() else ()
    if not pronouns:
        return None
    spans = tuple(anchor for anchor in pronouns if anchor.referent == pronouns[0].referent)
    neutral = sentence[spans[0].start : spans[0].end]
    return Slotted(Perturbation((sentence,), (spans,), tuple(names), tuple(people)), neutral, guessed=True)


def that_answered(found: Slotted, model_ids: Sequence[str]) -> tuple[str, ...]:
    """The models that have scored at least one name in the time that a page has; raises `ModelError` if none has."""
    done = tuple(model_id for model_id in model_ids if len(cached.scores(model_id, found.texts)) > 1)
    if not done:
        got = f"no name scored by {models.titled(model_ids[0])} in {PAGE_SECONDS.words}"
        fix = "Try again in a moment, choose another model, or set up a study."
        raise ModelError("time", got=got, expected="at least one", fix=fix)
    return done


def table_one(found: Slotted, model_ids: Sequence[str], headline: str | None = None) -> TableOne:
    """Score the sentence with every name by every model; `headline` is the one that the headline is about.

    A page has limited time: the names are the first ones, as many as every model has scored (see `cached.scores`).
    """
    panels: list[Panel] = []
    others: list[Panel] = []
    answers = [cached.scores(model_id, found.texts) for model_id in model_ids]
    texts = found.texts[: min(map(len, answers))]
    for model_id, answer in zip(model_ids, answers, strict=True):
        scores = answer[: len(texts)]
        targets = cached.scorer(model_id).targets
        # Of several targets the balance of the others (it has negative values) is the one to show, else the first.
        first = next((target for target in targets if target.low < 0), targets[0])
        for index, target in enumerate(targets):
            panel = Panel(models.titled(model_id), target, scores[1:, index], float(scores[0, index]))
            (panels if target is first else others).append(panel)
    names = found.perturbation.names[: len(texts) - 1]
    chosen = models.titled(headline) if headline else None
    return TableOne(names, texts, found.neutral, tuple(panels), tuple(others), chosen)


def extremes(table: TableOne, order: np.ndarray, *, kept: Collection[str] = ()) -> np.ndarray:
    """The first and last of an order if it has more than `FEW`, plus the names in `kept`; else all of it."""
    half = FEW // 2
    rank = np.arange(len(order))
    is_kept = np.isin([table.names[position] for position in order], list(kept))
    return order[(len(order) <= FEW) | (rank < half) | (rank >= len(order) - half) | is_kept]


def put_slot(sentence: str, word: str) -> str:
    """The sentence with the slot in the first place of a word."""
    return re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", lambda _: SLOT, sentence, count=1)


def words_of(sentence: str) -> list[str]:
    """The words of a sentence without the punctuation around them, each once, the longest first."""
    found = dict.fromkeys(word.strip(".,;:!?\"'“”‘’()[]") for word in sentence.split())
    return sorted(filter(None, found), key=len, reverse=True)
