"""Classification heads: how raw outputs become targets."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np

from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.models._options import parse_range

Activation = Literal["softmax", "sigmoid", "none"]
JIGSAW = frozenset({"toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate", "toxicity"})
NEGATIVE = frozenset({"negative", "neg"})
NEUTRAL = frozenset({"neutral", "neu"})
POSITIVE = frozenset({"positive", "pos"})
MINUS = "-minus-"
EXPECTED = "expected"
WORDS = {
    "softmax": "one of {n} labels; each score is that label's probability and they add up to 1",
    "sigmoid": "{n} labels, each present or not by itself; each score is that label's probability",
    "none": "a number, as the model gives it",
}


@dataclass(frozen=True)
class Head:
    """Raw outputs (B, L) to targets (B, T): an activation, then weighted sums over the labels.

    Column t of `weights`, float32 (L, T), makes target t.
    """

    activation: Activation
    labels: tuple[str, ...]
    targets: tuple[Target, ...]
    weights: np.ndarray = field(repr=False)

    @property
    def words(self) -> str:
        """What the head answers, in plain words."""
        return WORDS[self.activation].format(n=len(self.labels))

    @property
    def described(self) -> tuple[Any, ...]:
        """All that the targets depend on, for a fingerprint."""
        return self.activation, [(t.name, t.low, t.high) for t in self.targets], self.weights.tolist()

    def reduce(self, logits: np.ndarray) -> np.ndarray:
        return np.asarray(activated(logits, self.activation) @ self.weights.astype(np.float64), dtype=np.float32)


def activated(logits: np.ndarray, activation: Activation) -> np.ndarray:
    """Raw outputs (B, L) turned into probabilities, or left as they are: float64 array (B, L)."""
    from scipy.special import expit, softmax

    raw = np.asarray(logits, dtype=np.float64)
    if activation == "softmax":
        return np.asarray(softmax(raw, axis=1))
    if activation == "sigmoid":
        return np.asarray(expit(raw))
    return raw


def head_of(config: Any, options: Mapping[str, str] | None = None) -> Head:
    """Head of a sequence classifier by its configuration, unless the options say otherwise.

    Of the options ``head`` is softmax, sigmoid or none; ``targets`` has comma-separated labels, ``a-minus-b`` for a
    difference of two, ``expected`` for the expected value of numbered labels; ``range`` is ``low..high`` of a raw
    number. Raises `ModelError` when an option is not understood or names a label that the model does not have.
    """
    options = options or {}
    labels = labels_of(config)
    activation = _activation(config, labels, asked=options.get("head", ""))
    low, high = parse_range(options.get("range", "0..1"))
    return head_of_labels(labels, options.get("targets", ""), activation=activation, low=low, high=high)


def head_of_labels(
    labels: Sequence[str], targets: str = "", *, activation: Activation = "softmax", low: float = 0.0, high: float = 1.0
) -> Head:
    """Head over given labels; `targets` as in `head_of`, [low, high] the range of a raw number."""
    requested = [part.strip() for part in targets.split(",") if part.strip()]
    columns = [_column(name, labels) for name in requested] if requested else _default_columns(labels, activation)
    if activation == "none":
        meaning = "as the model gives it; it may go past the range"
        columns = [(Target(t.name, low, high, f"{t.name} {meaning}"), weights) for t, weights in columns]
    targets_found, weights = zip(*columns, strict=True)
    names = safe_names([target.name for target in targets_found])
    named = tuple(replace(target, name=name) for name, target in zip(names, targets_found, strict=True))
    return Head(activation, tuple(labels), named, np.stack(weights, axis=1))


def labels_of(config: Any) -> tuple[str, ...]:
    """Label of each raw output; ``LABEL_<i>`` for all when the configuration's map does not fit the outputs."""
    names = {int(index): str(label) for index, label in (config.id2label or {}).items()}
    positions = range(config.num_labels)
    # A map that counts from 1, say, would give each output its neighbour's label.
    fits = set(names) == set(positions)
    return tuple((fits and names[index]) or f"LABEL_{index}" for index in positions)


def safe_names(labels: Sequence[str]) -> list[str]:
    """Labels as distinct names that can stand in a file name: letters, digits, ``_ . + -``; others become ``_``."""
    names: list[str] = []
    for position, label in enumerate(labels):
        stem = re.sub(r"[^\w.+-]+", "_", label).strip("_.-")[:60] or f"label_{position}"
        taken, name, count = {known.casefold() for known in names}, stem, 2
        while name.casefold() in taken:
            name, count = f"{stem}_{count}", count + 1
        names.append(name)
    return names


def _activation(config: Any, labels: Sequence[str], *, asked: str) -> Activation:
    if asked:
        if asked not in get_args(Activation):
            raise ModelError("head", got=repr(asked), expected=" or ".join(get_args(Activation)))
        return asked  # type: ignore[return-value]
    kind = getattr(config, "problem_type", None)
    if kind == "regression":
        return "none"
    jigsaw = sum(label.lower().replace(" ", "_") in JIGSAW for label in labels)
    if kind == "multi_label_classification" or len(labels) == 1 or (kind is None and jigsaw >= 3):
        return "sigmoid"
    return "softmax"


def _default_columns(labels: Sequence[str], activation: Activation) -> list[tuple[Target, np.ndarray]]:
    if activation == "softmax" and _numbers(labels, "star") is not None:
        return [_column(EXPECTED, labels)]
    columns = [_column(label, labels, position=position) for position, label in enumerate(labels)]
    lowered = [label.casefold().strip() for label in labels]
    signs = np.array([(label in POSITIVE) - (label in NEGATIVE) for label in lowered], np.float32)
    # One positive and one negative label, with or without neutral ones.
    is_sentiment = sorted(signs[signs != 0]) == [-1, 1] and set(lowered) <= POSITIVE | NEGATIVE | NEUTRAL
    if activation == "softmax" and is_sentiment:
        meaning = f"P({labels[int(signs.argmax())]}) minus P({labels[int(signs.argmin())]})"
        columns.append((Target("sentiment", -1.0, 1.0, meaning), signs))
    return columns


def _column(name: str, labels: Sequence[str], *, position: int | None = None) -> tuple[Target, np.ndarray]:
    """One target by its name, and its weights over the labels: float32 (L,)."""
    weights = np.zeros(len(labels), np.float32)
    if position is None and name == EXPECTED and EXPECTED not in labels:
        numbers = _numbers(labels)
        if numbers is None:
            raise _no_label(name, labels)
        weights[:] = numbers
        unit = "stars" if "star" in labels[-1].lower() else EXPECTED
        return Target(unit, float(min(numbers)), float(max(numbers)), f"expected value of {unit}"), weights
    if position is None and name not in labels and MINUS in name:
        plus, minus = (_position(part, labels) for part in name.split(MINUS, 1))
        weights[plus] += 1
        weights[minus] -= 1
        return Target(name, -1.0, 1.0, f"P({labels[plus]}) minus P({labels[minus]})"), weights
    at = _position(name, labels) if position is None else position
    weights[at] = 1
    return Target(labels[at], 0.0, 1.0, f"probability of {labels[at]}"), weights


def _position(label: str, labels: Sequence[str]) -> int:
    known = [each.casefold() for each in labels]
    for names in (list(labels), known, [name.casefold() for name in safe_names(labels)]):
        for spelled in (label, label.casefold()):
            if spelled in names:
                return names.index(spelled)
    raise _no_label(label, labels)


def _no_label(name: str, labels: Sequence[str]) -> ModelError:
    expected = f"a label ({', '.join(labels)}), a difference (a{MINUS}b), or {EXPECTED} of numbered labels"
    return ModelError("targets", got=repr(name), expected=expected)


def _numbers(labels: Sequence[str], unit: str = "") -> list[int] | None:
    """Numbers that labels such as ``1 star`` … ``5 stars`` (or ``1`` … ``5``) begin with, when all do and differ."""
    found = [re.fullmatch(rf"(\d+)[\s_-]*{unit or '[a-z]*'}s?", label.strip().lower()) for label in labels]
    numbers = [int(match.group(1)) for match in found if match]
    return numbers if len(numbers) == len(labels) == len(set(numbers)) and len(labels) > 2 else None
