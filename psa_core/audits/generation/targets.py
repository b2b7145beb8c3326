"""Which of a scorer's targets an audit measures, put on [0, 1]."""

from __future__ import annotations

import numpy as np

from psa_core.cube import Target
from psa_core.models import Scorer


def measured_targets(scorer_id: str, scorer: Scorer) -> dict[int, Target]:
    """Which targets of a scorer are measured, by position, as targets on [0, 1].

    A signed target (*sentiment* beside *negative*, *neutral*, *positive*) stands for the others. A scorer with several
    equals has one name each: ``minilm-emotion.anger``.
    """
    signed = [t for t, target in enumerate(scorer.targets) if target.low < 0]
    taken = signed[:1] or range(len(scorer.targets))
    found = {}
    for t in taken:
        target = scorer.targets[t]
        name = scorer_id if len(taken) == 1 else f"{scorer_id}.{target.name}"
        threshold = (target.default_threshold - target.low) / (target.high - target.low)
        found[t] = Target(name, 0.0, 1.0, target.meaning, threshold)
    return found


def on_unit(scores: np.ndarray, scorer: Scorer, targets: dict[int, Target]) -> np.ndarray:
    """Scores (n, T) of the measured targets, put on [0, 1]: float32 (n, measured)."""
    low = np.array([scorer.targets[t].low for t in targets])
    high = np.array([scorer.targets[t].high for t in targets])
    return np.clip((scores[:, list(targets)].astype(float) - low) / (high - low), 0, 1).astype(np.float32)
