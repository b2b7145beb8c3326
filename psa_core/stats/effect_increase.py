"""Has a name's effect grown by more than a limit since an earlier result on the same sentences?"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import OptionError
from psa_core.stats.moments import sentence_moments
from psa_core.stats.significance import t_statistic


def growth_p(now: ArrayLike, before: ArrayLike, limit: float) -> np.ndarray:
    """P-values of the paired test that a name's effect is by more than `limit` further from 0 than it was.

    The null hypothesis is ``|mean now| - |mean before| <= limit``. The earlier effect may have had either sign, so the
    later one has to be shown to exceed both (intersection–union); it may itself have either sign, so the smaller of
    the two p-values counts double. An effect that shrank, or that was there before, is no growth.

    Parameters
    ----------
    now, before : arrays (S,) or (S, N)
        Differences from a baseline; the same sentences and names in the same order.
    limit : float
        On the scale of the scores, 0 or more.

    Returns
    -------
    float64 array () or (N,)
        In [0, 1]; small = grown by more than the limit. NaN for one sentence. Under six sentences never below
        ``2 ** (1 - S)``: so few can agree by chance.

    Raises
    ------
    CubeError, OptionError
        When there is no sentence; when the limit is negative.

    Examples
    --------
    >>> now, before = np.array([0.3, 0.4, 0.3, 0.4, 0.3, 0.4, 0.3, 0.4]), np.zeros(8)
    >>> growth_p(now, before, 0.1) < 0.001, growth_p(now, now, 0.1) < 0.001, growth_p(before, now, 0.1) < 0.001
    (np.True_, np.False_, np.False_)
    """
    if not limit >= 0:
        raise OptionError("limit", got=f"{limit}", expected="a number, 0 or more")
    later, earlier = np.asarray(now, dtype=np.float64), np.asarray(before, dtype=np.float64)
    one_sided = [np.maximum(*(_exceeds(sign * later, was * earlier, limit) for was in (1, -1))) for sign in (1, -1)]
    return np.minimum(1.0, np.maximum(2 * np.minimum(*one_sided), 2.0 ** (1 - len(later)) if len(later) < 6 else 0.0))


def _exceeds(later: np.ndarray, earlier: np.ndarray, limit: float) -> np.ndarray:
    """P-values of the one-sided paired t-test that ``later - earlier`` is above the limit on average."""
    from scipy.stats import t

    count, mean, deviation = sentence_moments(later - earlier)
    return np.asarray(t.sf(t_statistic(mean - limit, deviation, count), max(count - 1, 1)))
