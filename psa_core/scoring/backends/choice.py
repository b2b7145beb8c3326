"""Choose how to compute a model: the fastest installed way with the required precision."""

from __future__ import annotations

from collections.abc import Sequence

from psa_core.errors import OptionError
from psa_core.models import Scorer, TokenScorer
from psa_core.models._transformers.classifier import pad_id
from psa_core.models._transformers.language_models import CausalScorer
from psa_core.scoring._base import Backend, ScoringOptions
from psa_core.scoring.backends import calibrate, onnx
from psa_core.scoring.backends.calibrate import Calibration
from psa_core.scoring.backends.device import short_format
from psa_core.scoring.backends.forward import Way
from psa_core.scoring.backends.fused import can_fuse, fastest_first
from psa_core.scoring.backends.plain import WINDOW_SECONDS, PlainBackend
from psa_core.scoring.backends.prefixes import PREFIXES
from psa_core.scoring.backends.split import SPLIT
from psa_core.scoring.backends.tokens import TokenBackend, is_token_scorer
from psa_core.scoring.backends.verify import EXACT, OWN, Verifier, answers_logits

# Measuring takes seconds and gains a tenth or so: fewer texts than this are scored sooner without.
WORTH_MEASURING = 10_000
_UNMEASURED_RATE = 256.0


def choose_backend(scorer: Scorer, options: ScoringOptions, *, sample: Sequence[str] = (), total: int = 0) -> Backend:
    """Decide how to score.

    Parameters
    ----------
    scorer : Scorer
    options : ScoringOptions
    sample : sequence of str
        Some of the texts that will be scored: probes for verification and calibration.
    total : int
        How many texts will be scored; a measurement has to be worth it.

    Raises
    ------
    OptionError
        When a backend was asked for that is not installed.
    """
    if not is_token_scorer(scorer):
        return PlainBackend(scorer)
    if options.backend == "onnx" and not onnx.is_installed():
        fix = "Run: pip install onnx onnxruntime; in a checkout: pip install -r requirements-onnx.txt"
        raise OptionError("backend", got="onnx, which is not installed", expected="torch or auto", fix=fix)
    return _token_backend(scorer, options, sample=sample, total=total)  # type: ignore[arg-type]


def _token_backend(scorer: TokenScorer, options: ScoringOptions, *, sample: Sequence[str], total: int) -> TokenBackend:
    rows = scorer.tokenize(sample)
    groups = ways(scorer, options) if rows else ((OWN,),)
    verifier = Verifier(scorer, rows)
    parts = (scorer.fingerprint, calibrate.place(scorer.device), *(way.name for group in groups for way in group))
    found = calibrate.remembered(*parts)
    if found is None and total >= WORTH_MEASURING:
        contenders = [answer for group in groups if (answer := verifier.first(group))]
        found = calibrate.measure({way.name: served.forward for way, served in contenders}, rows, scorer.device)
        calibrate.remember(found, *parts)
        verifier.forget(keep=found.backend)
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
    if scorer.device != "cpu":
        return (*short, (OWN,))
    batches = pad_id(scorer.model, scorer.tokenizer) is not None
    fused = fastest_first() if batches and can_fuse(scorer.model) else ()
    torch = (*fused, *((SPLIT,) if batches and _threads() > 1 else ()), OWN)
    if options.backend == "torch" or not onnx.is_installed():
        return (*short, torch)
    return ((onnx.ONNX, *torch),) if options.backend == "onnx" else (*short, torch, (onnx.ONNX,))


def _threads() -> int:
    import torch

    return torch.get_num_threads()
