"""How often an effect of a given size is found, in studies of a given size."""

from __future__ import annotations

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.errors import OptionError

EFFECTS = (0.1, 0.2, 0.3, 0.5, 0.8)
SENTENCES = (30, 100, 300, 1000)
NAMES = 100
MOVED = 10
POWER, QUANTILES = 0.8, 4000


def power_table(repetitions: int = 100, *, seed: int = 0) -> pd.DataFrame:
    """Share of the moved names that are found, with Holm over the list.

    Of 100 names 10 have the effect; differences are normal. One row per number of ``sentences``, one column per effect
    (d_z), and ``detectable``, the effect that `detectable_effect` says is found in 80 %.
    """
    random = np.random.default_rng(seed)
    rows = []
    for sentences in SENTENCES:
        found = np.zeros(len(EFFECTS))
        for _ in range(repetitions):
            noise = random.normal(0, 1, (sentences, NAMES))
            found += [_share_found(noise, effect) for effect in EFFECTS]
        shares = dict(zip(map(str, EFFECTS), found / repetitions, strict=True))
        rows.append({"sentences": sentences, **shares, "detectable": detectable_effect(sentences, NAMES)})
    return pd.DataFrame(rows)


def _share_found(noise: np.ndarray, effect: float) -> float:
    moved = np.arange(NAMES) < MOVED
    p_values = stats.paired_t_p(noise + effect * moved)
    return float((stats.adjust(p_values, "holm") < 0.05)[moved].mean())


def detectable_effect(sentences: int, names: int, *, power: float = POWER) -> float:
    """The standardised effect (Cohen's d_z) of one name that a study detects with a power, corrected for all names.

    For the paired t-test at 5 % divided by the number of names: what Bonferroni does, and Holm at least. Multiply it by
    the standard deviation of the differences over sentences to have it on the scale of the score. Raises `OptionError`
    for fewer than two sentences, no name, or a power that is no share from 0.5 to below 1.

    Examples
    --------
    >>> round(detectable_effect(1000, 100), 2)
    0.14
    """
    from scipy.optimize import brentq
    from scipy.special import ndtr
    from scipy.stats import chi2, t

    if sentences < 2 or names < 1:
        raise OptionError("study", got=f"{sentences} sentences and {names} names", expected="at least 2 and 1")
    if not 0.5 <= power < 1:
        raise OptionError("power", got=f"{power}", expected="a number from 0.5 to below 1", fix="Try 0.8.")
    edge = float(t.isf(stats.SIGNIFICANT / names / 2, sentences - 1))
    # Estimated over true standard deviation, at the middles of 4,000 equally likely ranges. The power is averaged over
    # these: scipy's noncentral t is NaN for many of the sizes in question.
    spread = np.sqrt(chi2.ppf((np.arange(QUANTILES) + 0.5) / QUANTILES, sentences - 1) / (sentences - 1))
    shift = brentq(lambda shift: float(ndtr(shift - edge * spread).mean()) - power, 0, 10 * edge + 10)
    return float(shift / sentences**0.5)
