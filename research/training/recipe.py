"""Hyper-parameters of a training run, all of which appear on the model card."""

from __future__ import annotations

from dataclasses import dataclass

from psa_core.errors import OptionError

METRICS = ("macro_f1", "macro_recall")
PRECISIONS = ("float32", "bfloat16")


@dataclass(frozen=True)
class Recipe:
    """How an adapter is trained.

    The epoch with the best validation `metric` (macro-F1 or macro-recall: unweighted mean over classes) is kept;
    `learning_rate` is the peak of a one-cycle schedule (Smith and Topin 2019); `rank` is that of the low-rank update of
    each linear layer (Hu et al. 2021, LoRA, section 4.1), scaled by alpha = 2 rank; `dropout` is of the updates' inputs
    (the encoder's own stays as it is), and slow on a CPU. `class_weights` say what a mistake costs per class: a dearer
    class is less often missed and more often claimed; with two classes, weight w on the first moves the second's
    log-odds down by log w. `seed` is that of the head, the updates, dropout and the order of the texts. ``bfloat16``
    runs the matrix products of training in that `precision`: faster on processors made for it; scores are always
    computed in float32. Raises `OptionError` when a value is out of its range.
    """

    epochs: int = 3
    learning_rate: float = 5e-4
    batch_size: int = 32
    rank: int = 16
    dropout: float = 0.0
    weight_decay: float = 0.01
    label_smoothing: float = 0.0
    class_weights: tuple[float, ...] = ()
    max_tokens: int = 128
    seed: int = 0
    precision: str = "float32"
    metric: str = "macro_f1"

    def __post_init__(self) -> None:
        for field in ("epochs", "batch_size", "rank"):
            if getattr(self, field) < 1:
                raise OptionError(field, got=str(getattr(self, field)), expected="at least 1")
        if not 0 < self.learning_rate < 1:
            raise OptionError("learning_rate", got=str(self.learning_rate), expected="a number between 0 and 1")
        if self.max_tokens < 4:
            raise OptionError("max_tokens", got=str(self.max_tokens), expected="at least 4")
        for field in ("dropout", "weight_decay", "label_smoothing"):
            if not 0 <= getattr(self, field) < 1:
                raise OptionError(field, got=str(getattr(self, field)), expected="at least 0 and below 1")
        if not all(0 < weight < float("inf") for weight in self.class_weights):
            raise OptionError("class_weights", got=str(self.class_weights), expected="numbers above 0")
        for field, allowed in (("metric", METRICS), ("precision", PRECISIONS)):
            if getattr(self, field) not in allowed:
                raise OptionError(field, got=getattr(self, field), expected=" or ".join(allowed))
