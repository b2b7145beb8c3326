"""A question asked in one order of its answers, or in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.inputs.checks import as_texts
from psa_core.models._judges.question import Question

ORDERS = ("given", "swapped", "averaged")


def in_order(question: Question, order: str = "") -> list[Question]:
    """The questions that are asked: one, or for ``averaged`` two; `ModelError` for an unknown order.

    Without an order the one that is given, but both for a pick: models that cannot decide pick by the place.
    """
    order = order or ("averaged" if question.kind == "pick" else "given")
    if order not in ORDERS:
        raise ModelError("model option order", got=repr(order), expected=", ".join(ORDERS))
    if order != "given" and not question.has_orders:
        raise ModelError("model option order", got=f"{order}, of {question.listed}", expected="given")
    orders = {"given": [question], "swapped": [question.swapped()], "averaged": [question, question.swapped()]}
    return orders[order]


@dataclass(frozen=True)
class Averaged:
    """One judge asked in both orders of the answers, or of two documents: the mean, and how much the order matters.

    Attributes
    ----------
    given, swapped : scorers that are asked a question
        With the same targets: the question's, `<target>_unanswered` and perhaps `<target>_spread`.
    """

    given: Any
    swapped: Any

    @property
    def fingerprint(self) -> str:
        return f"{self.given.fingerprint}+{self.swapped.fingerprint}"

    @property
    def targets(self) -> tuple[Target, ...]:
        target, *others = self.given.targets
        width = target.high - target.low
        is_pick = self.given.question.kind == "pick"
        place = "the first document shown first" if is_pick else "the answers as they are listed"
        meaning = f"{target.name} with {place} minus {target.name} in the opposite order"
        mean = replace(target, meaning=f"{target.meaning}; mean over both orders", samples=2 * target.samples)
        order = Target(f"{target.name}_order", -width, width, meaning, phrase=f"effect of the order on {target.name}")
        return (mean, *(replace(other, samples=2 * other.samples) for other in others), order)

    @property
    def about(self) -> str:
        """What the judge says of itself."""
        return f"{getattr(self.given, 'about', '')}; each text is asked about twice, in both orders"

    @property
    def batch(self) -> int:
        """Texts between two looks at whether to stop."""
        return int(getattr(self.given, "batch", 16))

    def score(self, texts: Sequence[str]) -> np.ndarray:
        """Means over both orders, then the difference of the target: float32 array (len(texts), T).

        A text that was answered in one order only has no score: the order's effect would stand in for the name's.
        """
        texts = as_texts(texts)
        first, second = self.given.score(texts), self.swapped.score(texts)
        mean = (first + second) / 2
        mean[:, 2:] = np.sqrt((first[:, 2:] ** 2 + second[:, 2:] ** 2) / 2)  # how answers spread within an order
        return np.hstack([mean, first[:, :1] - second[:, :1]]).astype(np.float32)
