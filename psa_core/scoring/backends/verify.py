"""Verify, once per model and machine, that a backend is as exact as the model itself."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from psa_core.environment import versions
from psa_core.models import TokenScorer
from psa_core.models._transformers.classifier import TransformersScorer
from psa_core.scoring.backends import calibrate
from psa_core.scoring.backends.device import DeviceForward
from psa_core.scoring.backends.forward import Forward, ScorerForward, TokenIds, Way

EXACT = 1e-5
PROBES = 24
# What was found with fewer probes than this is not kept.
FEW_PROBES = 8
_LOCK = threading.Lock()


def answers_logits(scorer: TokenScorer) -> TypeGuard[TransformersScorer]:
    """Whether the scorer's raw outputs are its model's logits; a language model's are sums over them."""
    return isinstance(scorer, TransformersScorer) and type(scorer).forward is TransformersScorer.forward


def _own(scorer: TokenScorer) -> Forward:
    on_device = isinstance(scorer, TransformersScorer) and scorer.device != "cpu"
    return (
        DeviceForward(scorer)
        if on_device and type(scorer).forward is TransformersScorer.forward
        else ScorerForward(scorer)
    )


#: The scorer's own arithmetic, which needs no proof.
OWN = Way("torch", _own)


@dataclass(frozen=True)
class Served:
    """A way that works here; `difference` is its largest from float32, one text at a time, over the probes.

    Of an answer larger than 1 it is the share, since float32 has so many digits and no more.
    """

    forward: Forward
    difference: float


@dataclass
class Verifier:
    """Compares ways with a scorer's own arithmetic.

    Parameters
    ----------
    scorer : TokenScorer
    rows : token ids
        Probes are taken from them.

    Attributes
    ----------
    notes : list of str
        Why ways that were asked for cannot serve, and how far a shorter format is off.
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

    def forget(self, *, keep: str) -> None:
        """Let go of the graphs and copies of the model that were made to be compared and are not needed."""
        with _LOCK:
            for name in set(self._known) - {keep}:
                del self._known[name]

    @cached_property
    def _known(self) -> dict[str, tuple[Served | None, str]]:
        """What was found about the scorer; it lives as long as the scorer, since it is kept there."""
        return self.scorer.known_ways if isinstance(self.scorer, TransformersScorer) else {}

    def _served(self, way: Way) -> Served | None:
        with _LOCK:
            served, note = self._known.get(way.name) or self._verified(way)
            if len(self._probes) >= FEW_PROBES:
                self._known[way.name] = served, note
        if note and note not in self.notes:
            self.notes.append(note)
        return served

    def _verified(self, way: Way) -> tuple[Served | None, str]:
        """Make a way and measure how far it is off, or take the measure of an earlier start."""
        parts = (self.scorer.fingerprint, calibrate.place(self.scorer.device), way.name, _code())
        difference = calibrate.remembered_difference(*parts)
        try:
            forward = way.make(self.scorer)
            if difference is None:
                difference = self._difference(forward)
        except way.failures() as error:
            reason = [*str(error).strip().splitlines(), type(error).__name__][0]
            return None, f"{way.name} cannot run this model here ({reason}): another way is used"
        if len(self._probes) >= FEW_PROBES:
            calibrate.remember_difference(difference, *parts)
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
