"""The ways a token scorer's logits can be computed here, and how far each is from the scorer's own arithmetic."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np

from psa_core.models import TokenScorer
from psa_core.models._transformers.classifier import TransformersScorer, pad_id
from psa_core.scoring._base import ScoringOptions
from psa_core.scoring.backends import onnx as _onnx
from psa_core.scoring.backends.forward import DeviceForward, Forward, ScorerForward, TokenIds, split_torch
from psa_core.scoring.backends.fused import can_fuse, fused_bert

EXACT = 1e-5
PROBES = 24
# What was found with fewer probes than this is not kept.
FEW_PROBES = 8
SHORT_FORMATS = ("bf16", "tf32")
_LOCK = threading.Lock()


@dataclass(frozen=True)
class Candidate:
    """A way that works here; `difference` is its largest from float32, one text at a time, over the probes."""

    forward: Forward
    difference: float


# What was found lives as long as the model does: page after page scores with the same one.
_VERIFIED: weakref.WeakKeyDictionary[Any, dict[str, tuple[Candidate | None, str]]] = weakref.WeakKeyDictionary()


def names(scorer: TokenScorer, options: ScoringOptions) -> tuple[str, ...]:
    """Backends that could serve, the one to use when nothing was measured first.

    Of torch's exact ones each is the next with less waiting, so the first that can be trusted is the fastest.
    """
    if not _answers_logits(scorer):
        return ("torch",)
    if scorer.device != "cpu":
        return (_short_format(scorer.device), "torch") if options.precision == "fast" else ("torch",)
    onnx = ("onnx",) if options.backend != "torch" and _onnx.is_installed() else ()
    if options.backend == "onnx" and onnx:
        return onnx
    batches = pad_id(scorer.model, scorer.tokenizer) is not None
    fused = ("torch fused",) if batches and can_fuse(scorer.model) else ()
    split = ("torch split",) if batches and _threads() > 1 else ()
    short = (_short_format(scorer.device),) if options.precision == "fast" else ()
    return (*short, *fused, *split, "torch", *onnx)


def _answers_logits(scorer: TokenScorer) -> TypeGuard[TransformersScorer]:
    """Whether the scorer's raw outputs are its model's logits; a language model's are sums over them."""
    return isinstance(scorer, TransformersScorer) and type(scorer).forward is TransformersScorer.forward


def verified(wanted: Iterable[str], scorer: TokenScorer, rows: TokenIds) -> tuple[dict[str, Candidate], list[str]]:
    """Make candidates and compare them with the scorer's own arithmetic; what is known of a model is not done again.

    Parameters
    ----------
    wanted : iterable of str
    scorer : TokenScorer
    rows : token ids to probe with

    Returns
    -------
    candidates : dict
        Those that can be trusted, ``torch`` always among them, without those that are slower for sure.
    notes : list of str
        Why others cannot, and how far a faster format is off.
    """
    on_device = _answers_logits(scorer) and scorer.device != "cpu"
    trusted = {"torch": Candidate(DeviceForward(scorer) if on_device else ScorerForward(scorer), 0.0)}
    probes, notes = _Probes(scorer, _of_all_lengths(rows)), []
    with _LOCK:
        known = _VERIFIED.setdefault(scorer.model, {}) if isinstance(scorer, TransformersScorer) else {}
        for name in wanted:
            if name == "torch" or (name == "torch split" and "torch fused" in trusted):
                continue
            candidate, note = known.get(name) or _verify(name, probes)
            if len(probes.rows) >= FEW_PROBES:
                known[name] = candidate, note
            notes += [note] if note else []
            trusted |= {name: candidate} if candidate else {}
    return trusted, notes


def contenders(trusted: dict[str, Candidate], possible: Sequence[str]) -> dict[str, Forward]:
    """The forwards that may turn out the fastest: ``torch`` as it is only when torch has nothing better."""
    names = [name for name in possible if name in trusted]
    better = {"torch fused", "torch split"}.intersection(names)
    return {name: trusted[name].forward for name in names if name != "torch" or not better} or {
        "torch": trusted["torch"].forward
    }


def forget(scorer: TokenScorer, *, keep: str) -> None:
    """Let go of the graphs and copies of a scorer's model that were made to be compared and are not needed."""
    with _LOCK:
        known = _VERIFIED.get(scorer.model, {}) if isinstance(scorer, TransformersScorer) else {}
        for name in set(known) - {keep}:
            del known[name]


@dataclass(frozen=True)
class _Probes:
    """Token ids that every candidate has to answer as the scorer does, one text at a time."""

    scorer: TokenScorer
    rows: list[Any]

    @cached_property
    def expected(self) -> np.ndarray:
        return self.scorer.reduce(np.concatenate([self.scorer.forward([row]) for row in self.rows]))

    def difference(self, forward: Forward) -> float:
        got = self.scorer.reduce(forward.gather([forward(self.rows)]))
        return float(np.abs(got - self.expected).max())


def _verify(name: str, probes: _Probes) -> tuple[Candidate | None, str]:
    return _onnx_candidate(probes) if name == "onnx" else _torch_candidate(name, probes)


def _onnx_candidate(probes: _Probes) -> tuple[Candidate | None, str]:
    failures = _onnx.failures()
    try:
        forward = _make("onnx", probes.scorer)
        difference = probes.difference(forward)
    except failures as error:
        reason = [*str(error).strip().splitlines(), type(error).__name__][0]
        return None, f"ONNX Runtime cannot run this model ({reason}): torch is used"
    if not difference <= EXACT:  # written so that NaN does not pass
        return None, f"ONNX Runtime differs from torch by {difference:.1g} on probe texts: torch is used"
    return Candidate(forward, difference), ""


def _torch_candidate(name: str, probes: _Probes) -> tuple[Candidate | None, str]:
    forward = _make(name, probes.scorer)
    difference = probes.difference(forward)
    note = "" if difference <= EXACT else f"{name} differs from float32 by up to {difference:.1g} on probe texts"
    trusted = difference <= EXACT or name in SHORT_FORMATS
    return Candidate(forward, difference) if trusted else None, note


def _make(name: str, scorer: TokenScorer) -> Forward:
    if name == "onnx":
        return _onnx.onnx_forward(scorer)
    if name == "torch fused":
        return fused_bert(scorer)
    if name == "torch split":
        return split_torch(scorer)
    return DeviceForward(scorer, name)


def _threads() -> int:
    import torch

    return torch.get_num_threads()


def _short_format(device: str) -> str:
    import torch

    if device.startswith("cuda") and not torch.cuda.is_bf16_supported():
        return "tf32"
    return "bf16"


def _of_all_lengths(rows: TokenIds) -> list[Any]:
    """Some rows, the shortest and the longest included."""
    by_length = sorted(rows, key=len)
    return [by_length[i] for i in np.unique(np.linspace(0, len(rows) - 1, min(PROBES, len(rows))).round().astype(int))]
