"""How often an effect of a given size is found, in studies of a given size."""

from __future__ import annotations

import numpy as np
import pandas as pd

from psa_core import stats

EFFECTS = (0.1, 0.2, 0.3, 0.5, 0.8)
SENTENCES = (30, 100, 300, 1000)
NAMES = 100
MOVED = 10


def power_table(repetitions: int = 100, *, seed: int = 0) -> pd.DataFrame:
    """Share of the moved names that are found, with Holm over the list.

    Of 100 names 10 have the effect; differences are normal.

    Parameters
    ----------
    repetitions : int
        Studies for each size; each has 10 names to find.

    Returns
    -------
    DataFrame
        One row per number of sentences: ``sentences``, one column per effect (d_z, as text) with the share in [0, 1],
        and ``detectable``, the effect that `stats.detectable_effect` says is found in 80 %.
    """
    random = np.random.default_rng(seed)
    rows = []
    for sentences in SENTENCES:
        found = np.zeros(len(EFFECTS))
        for _ in range(repetitions):
            noise = random.normal(0, 1, (sentences, NAMES))
            found += [_share_found(noise, effect) for effect in EFFECTS]
        shares = dict(zip(map(str, EFFECTS), found / repetitions, strict=True))
        rows.append({"sentences": sentences, **shares, "detectable": stats.detectable_effect(sentences, NAMES)})
    return pd.DataFrame(rows)


def _share_found(noise: np.ndarray, effect: float) -> float:
    moved = np.arange(NAMES) < MOVED
    p_values = stats.paired_t_p(noise + effect * moved)
    return float((stats.adjust(p_values, "holm") < 0.05)[moved].mean())
