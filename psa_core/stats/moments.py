"""Count, mean and standard deviation over sentences."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import CubeError


def sentence_moments(differences: ArrayLike) -> tuple[int, np.ndarray, np.ndarray]:
    """Number, mean and sample standard deviation (ddof 1) over the first axis.

    A column whose values are all equal has exactly that mean and exactly the deviation 0: rounding in the mean would
    otherwise turn "no spread at all" into a spread of 1e-17 and a t statistic of 1e16.

    Parameters
    ----------
    differences : array (S,) or (S, N)

    Returns
    -------
    count : int
    mean, deviation : float64 arrays () or (N,)
        The deviation is NaN for one sentence.

    Raises
    ------
    CubeError
        When there is no sentence, or a value is not finite.

    Examples
    --------
    >>> sentence_moments([0.1, 0.1, 0.1])[1:]
    (array(0.1), array(0.))
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.size == 0:
        raise CubeError("differences", got="no sentence", expected="at least one sentence")
    if not np.isfinite(values).all():
        raise CubeError("differences", got="missing or infinite values", expected="finite values")
    count = len(values)
    is_constant = (values == values[0]).all(axis=0)
    mean = np.where(is_constant, values[0], values.mean(axis=0))
    if count == 1:
        return count, mean, np.full(mean.shape, np.nan)
    return count, mean, np.where(is_constant, 0.0, values.std(axis=0, ddof=1))
