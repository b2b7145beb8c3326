"""Choose how to compute a model: the fastest installed way that is as exact as the model itself, verified once."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
import torch

from psa_core.environment import versions
from psa_core.errors import OptionError
from psa_core.models import TokenScorer
from psa_core.models._transformers.classifier import TransformersScorer, pad_id
from psa_core.models._transformers.language_models import CausalScorer
from psa_core.scoring._base import WINDOW_SECONDS, ScoringOptions
from psa_core.scoring.backends import calibrate, onnx
from psa_core.scoring.backends.calibrate import Calibration
from psa_core.scoring.backends.families import family_of
from psa_core.scoring.backends.forward import (
    SPLIT,
    DeviceForward,
    Forward,
    ScorerForward,
    TokenBackend,
    TokenIds,
    Way,
    short_format,
)
from psa_core.scoring.backends.fused import ENCODER, fastest_first
from psa_core.scoring.backends.prefixes import PREFIXES

EXACT = 1e-5
PROBES = 24
# What was found with fewer probes than this is not kept.
FEW_PROBES = 8
# Measuring takes seconds and gains a tenth or so: fewer texts than this are scored sooner without.
WORTH_MEASURING = 10_000
_UNMEASURED_RATE = 256.0
_LOCK = threading.Lock()


def answers_logits(scorer: TokenScorer) -> TypeGuard[TransformersScorer]:
    """Whether the scorer's raw outputs are its model's logits; a language model's are sums over them."""
    return isinstance(scorer, TransformersScorer) and type(scorer).forward is TransformersScorer.forward


def _own(scorer: TokenScorer) -> Forward:
    return DeviceForward(scorer) if answers_logits(scorer) and scorer.device != "cpu" else ScorerForward(scorer)


#: The scorer's own arithmetic, which needs no proof.
OWN = Way("torch", _own)


def token_backend(scorer: TokenScorer, options: ScoringOptions, *, sample: Sequence[str], total: int) -> TokenBackend:
    """The backend of a scorer that shows its steps; see `psa_core.scoring.backends.choose_backend`."""
    if options.backend == "onnx" and not onnx.is_installed():
        fix = "Run: pip install onnx onnxruntime; in a checkout: pip install -r requirements-onnx.txt"
        raise OptionError("backend", got="onnx, which is not installed", expected="torch or auto", fix=fix)
    rows = scorer.tokenize(sample)
    groups = ways(scorer, options) if rows else ((OWN,),)
    verifier = Verifier(scorer, rows)
    parts = (scorer.fingerprint, calibrate.place(scorer.device), *(way.name for group in groups for way in group))
    found = calibrate.remembered(*parts)
    if found is None and total >= WORTH_MEASURING:
        contenders = [answer for group in groups if (answer := verifier.first(group))]
        found = calibrate.measure({way.name: served.forward for way, served in contenders}, rows, scorer.device)
        calibrate.keep(vars(found), *parts)
        with _LOCK:  # graphs and copies of the model that were made to be compared are not needed
            for name in set(verifier.known) - {found.backend}:
                del verifier.known[name]
    found = found or Calibration("", calibrate.budgets(scorer.device)[0], _UNMEASURED_RATE)
    # What was measured as the fastest comes first; should it fail now, the others follow in their order.
    fastest = found.backend
    in_order = sorted(groups, key=lambda group: all(way.name != fastest for way in group))
    way, served = next(answer for group in (*in_order, (OWN,)) if (answer := verifier.first(group)))
    return TokenBackend(
        scorer,
        served.forward,
        budget=found.budget,
        window_texts=min(65_536, max(128, round(found.texts_per_second * WINDOW_SECONDS))),
        name=way.name,
        precision="exact" if served.difference <= EXACT else "fast",
        notes=tuple(verifier.notes),
    )


def ways(scorer: TokenScorer, options: ScoringOptions) -> tuple[tuple[Way, ...], ...]:
    """The ways that may serve a scorer here, in groups.

    Inside a group each is slower than the one before it, so the first that can be trusted serves; between groups only
    a measurement tells.
    """
    if isinstance(scorer, CausalScorer):
        return ((PREFIXES, OWN),)
    if not answers_logits(scorer):
        return ((OWN,),)
    short = ((short_format(scorer.device),),) if options.precision == "fast" else ()
    takes_batches = pad_id(scorer.model, scorer.tokenizer) is not None
    can_be_fused = takes_batches and family_of(scorer.model) is not None
    if scorer.device != "cpu":
        return (*short, (OWN,), *(((ENCODER,),) if can_be_fused else ()))
    fused = fastest_first() if can_be_fused else ()
    by_torch = (*fused, *((SPLIT,) if takes_batches and torch.get_num_threads() > 1 else ()), OWN)
    if options.backend == "torch" or not onnx.is_installed():
        return (*short, by_torch)
    return ((onnx.ONNX, *by_torch),) if options.backend == "onnx" else (*short, by_torch, (onnx.ONNX,))


@dataclass(frozen=True)
class Served:
    """A way that works here; `difference` is its largest from float32, one text at a time, over the probes.

    Of an answer larger than 1 it is the share, since float32 has so many digits and no more.
    """

    forward: Forward
    difference: float


@dataclass
class Verifier:
    """Compares ways with a scorer's own arithmetic, on probes taken from some rows of token ids.

    `notes` say why ways that were asked for cannot serve, and how far a shorter format is off.
    """

    scorer: TokenScorer
    rows: TokenIds
    notes: list[str] = field(default_factory=list)

    def first(self, group: tuple[Way, ...]) -> tuple[Way, Served] | None:
        """The first way of a group that can be trusted, if any."""
        for way in group:
            served = Served(way.make(self.scorer), 0.0) if way is OWN else self._served(way)
            if served is not None:
                return way, served
        return None

    @cached_property
    def known(self) -> dict[str, tuple[Served | None, str]]:
        """What was found about the scorer; it lives as long as the scorer, since it is kept there."""
        return self.scorer.known_ways if isinstance(self.scorer, TransformersScorer) else {}

    def _served(self, way: Way) -> Served | None:
        with _LOCK:
            served, note = self.known.get(way.name) or self._verified(way)
            if len(self._probes) >= FEW_PROBES:
                self.known[way.name] = served, note
        if note and note not in self.notes:
            self.notes.append(note)
        return served

    def _verified(self, way: Way) -> tuple[Served | None, str]:
        """Make a way and measure how far it is off, or take the measure of an earlier start."""
        parts = (self.scorer.fingerprint, calibrate.place(self.scorer.device), way.name, _code())
        difference = calibrate.recall("difference", *parts).get("difference")
        if not isinstance(difference, float) or not math.isfinite(difference):  # never measured, or a damaged note
            difference = None
        try:
            forward = way.make(self.scorer)
            if difference is None:
                difference = self._difference(forward)
        except way.failures() as error:
            reason = [*str(error).strip().splitlines(), type(error).__name__][0]
            return None, f"{way.name} cannot run this model here ({reason}): another way is used"
        if len(self._probes) >= FEW_PROBES:
            calibrate.keep({"difference": difference}, "difference", *parts)
        if difference <= EXACT:  # NaN is not
            return Served(forward, difference), ""
        note = f"{way.name} differs from the model in float32 by up to {difference:.1g} on probe texts"
        return (None, f"{note}: another way is used") if way.exact else (Served(forward, difference), note)

    @cached_property
    def _probes(self) -> list[Any]:
        """Some rows, the shortest and the longest included."""
        by_length = sorted(self.rows, key=len)
        places = np.linspace(0, len(by_length) - 1, min(PROBES, len(by_length))).round().astype(int)
        return [by_length[i] for i in np.unique(places)]

    @cached_property
    def _expected(self) -> np.ndarray:
        return self.scorer.reduce(np.concatenate([self.scorer.forward([row]) for row in self._probes]))

    def _difference(self, forward: Forward) -> float:
        got = self.scorer.reduce(forward.gather([forward(self._probes)]))
        return float((np.abs(got - self._expected) / np.maximum(1.0, np.abs(self._expected))).max())


@cache
def _code() -> str:
    """Digest of these files and of the libraries' versions: another program's proof is no proof."""
    digest = blake2b(repr(sorted(versions().items())).encode(), digest_size=12)
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()
