"""Has a name's effect grown by more than a limit since an earlier result on the same sentences?"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import OptionError
from psa_core.stats.families import MIN_FAMILIES
from psa_core.stats.moments import sentence_moments
from psa_core.stats.significance import SIGNIFICANT, adjust, t_statistic


def increase_p(now: ArrayLike, before: ArrayLike, limit: float, *, tests: int = 1) -> np.ndarray:
    """Corrected p-values that a name's effect is by more than `limit` further from 0 than it was.

    The null hypothesis is ``|mean now| - |mean before| <= limit``. The earlier effect may have had either sign, so the
    later one has to be shown to exceed both (intersection–union): that the effect moved by more than the limit, towards
    the side on which it now is, and that it did not come from as far on the other side. The first is Holm-corrected
    over all names, the second over those that the first leaves. An effect that shrank, or that was there before, is no
    growth.

    Parameters
    ----------
    now, before : arrays (S, N), or (S,) for one name
        Differences from a baseline; the same sentences and names in the same order.
    limit : float
        On the scale of the scores, 0 or more.
    tests : int
        How many lists of names are judged, one for each target; what Holm's correction gives is multiplied by it.

    Returns
    -------
    float64 array (N,) or ()
        In [0, 1]; small = grown by more than the limit. NaN for one sentence. Under six sentences never below
        ``2 ** (1 - S)``: so few can agree by chance.

    Raises
    ------
    CubeError, OptionError
        When there is no sentence; when the limit is negative.

    Examples
    --------
    >>> now, before = np.array([[0.3], [0.4]] * 4), np.zeros((8, 1))
    >>> increase_p(now, before, 0.1).round(6), increase_p(now, now, 0.1).round(6), increase_p(before, now, 0.1).round(6)
    (array([2.e-06]), array([1.]), array([1.]))
    """
    if not limit >= 0:
        raise OptionError("limit", got=f"{limit}", expected="a number, 0 or more")
    shape = np.shape(now)[1:]
    later, earlier = (np.asarray(given, np.float64).reshape(len(given), -1) for given in (now, before))  # type: ignore[arg-type]
    side = np.where(later.mean(axis=0) < 0, -1.0, 1.0)
    change = side * (later - earlier)
    # Either side was possible: added is the chance of lying as far out on the other one (Hodges and Lehmann 1954).
    moved = np.minimum(1.0, adjust(_above(change, limit) + _above(change, -limit), "holm") * tests)
    further = _above(side * (later + earlier), limit)
    is_left = moved < SIGNIFICANT
    further = np.where(is_left, np.minimum(1.0, adjust(np.where(is_left, further, np.nan), "holm") * tests), further)
    floor = 2.0 ** (1 - len(later)) if len(later) < MIN_FAMILIES else 0.0
    return np.minimum(1.0, np.maximum(np.maximum(moved, further), floor)).reshape(shape)


def _above(differences: np.ndarray, limit: float) -> np.ndarray:
    """P-values of the one-sided paired t-test that the mean difference is above the limit; 1 where it is not."""
    from scipy.stats import t

    count, mean, deviation = sentence_moments(differences)
    p_values = t.sf(t_statistic(mean - limit, deviation, count), max(count - 1, 1))
    return np.where(mean <= limit, np.maximum(p_values, 1.0), p_values)
