"""Which way scores a scorer's texts: the fastest that is installed and keeps the precision that was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from psa_core.errors import OptionError
from psa_core.models import Scorer, TokenScorer
from psa_core.scoring._base import Backend, ScoringOptions
from psa_core.scoring._tokens import TokenBackend, is_token_scorer
from psa_core.scoring.backends import calibrate, candidates, onnx
from psa_core.scoring.backends.calibrate import Calibration
from psa_core.scoring.backends.local import WINDOW_SECONDS, PlainBackend

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
        fix = "Run: pip install -r requirements-onnx.txt"
        raise OptionError("backend", got="onnx, which is not installed", expected="torch or auto", fix=fix)
    return _token_backend(scorer, options, sample=sample, total=total)  # type: ignore[arg-type]


def _token_backend(scorer: TokenScorer, options: ScoringOptions, *, sample: Sequence[str], total: int) -> TokenBackend:
    rows = scorer.tokenize(sample)
    possible = candidates.names(scorer, options) if rows else ("torch",)
    parts = (scorer.fingerprint, calibrate.place(scorer.device), *possible)
    found = calibrate.remembered(*parts)
    if found is None and total < WORTH_MEASURING:
        found = Calibration(possible[0], calibrate.budgets(scorer.device)[0], _UNMEASURED_RATE)
    trusted, notes = candidates.verified((found.backend,) if found else possible, scorer, rows)
    if found is None:
        found = calibrate.measure(candidates.contenders(trusted, possible), rows, scorer.device)
        calibrate.remember(found, *parts)
        candidates.forget(scorer, keep=found.backend)
    name = found.backend if found.backend in trusted else "torch"
    return TokenBackend(
        scorer,
        trusted[name].forward,
        budget=found.budget,
        window_texts=min(65_536, max(128, round(found.texts_per_second * WINDOW_SECONDS))),
        name=name,
        precision="exact" if trusted[name].difference <= candidates.EXACT else "fast",
        notes=tuple(notes),
    )
