"""What is associated with a name's effect (factors: least squares) and with name-sensitive sentences (words)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import CubeError, OptionError
from psa_core.stats.means import CONFIDENCE, adjust

NAMES_PER_COLUMN = 10
N_PERMUTATIONS = 1999
MAX_FACTORS = 12
LEVERAGE = 0.99
ROUNDING = 1e-9
MIN_SENTENCES = 5
PRIOR = 0.1


class Explanation(NamedTuple):
    """Least squares of an outcome over names, in standard deviations of the outcome.

    ``coefficient, low, high, p_value`` (C,) are of each column, with 95 % HC3 intervals: standard deviations of the
    outcome for one of the column, or for being in it where the column is 0 or 1; NaN for a column that is collinear
    with the others. The p-value is the larger of that of the t-test with HC3 errors, which is too sure where few names
    have an effect at all, and that of a permutation test of the same statistic (Freedman and Lane 1983). ``r_squared``
    is the share of the outcome's variance that the columns explain, in [0, 1], ``adjusted`` the same less what as many
    random columns would explain, ``shares`` each factor's part of it. ``residual`` (N,) is what is left of the outcome,
    on its own scale, ``unexplained`` (N,) the Holm-corrected p-value of each name's studentised residual, NaN where it
    cannot be estimated, ``spread`` the outcome's standard deviation.
    """

    coefficient: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p_value: np.ndarray
    r_squared: float
    adjusted: float
    shares: dict[str, float]
    residual: np.ndarray
    unexplained: np.ndarray
    spread: float


def explain(outcome: ArrayLike, columns: ArrayLike, factors: Sequence[str]) -> Explanation:
    """Regress a per-name outcome on candidate factors.

    Parameters
    ----------
    outcome : array (N,)
        Such as the names' mean scores; signed.
    columns : array (N, C)
        Numbers; a column with two values is taken as "in or not in", others in their own standard deviations.
    factors : sequence of str, length C
        Which factor each column belongs to: columns of one factor share one share.

    Raises
    ------
    CubeError, OptionError
        When the outcome does not vary, a value is missing, or there are no more names than columns and two; when there
        are no columns, or more than 12 factors.

    Examples
    --------
    >>> explain([1, 2, 3, 4, 5.5], [[0], [1], [2], [3], [4]], ["length"]).shares["length"] > 0.9
    True
    """
    values, given = np.asarray(outcome, np.float64), np.asarray(columns, np.float64)
    _check(values, given, factors)
    spread = float(values.std(ddof=1))
    standard = (values - values.mean()) / spread
    scaled = given - given.mean(axis=0)
    for column in range(given.shape[1]):
        if len(np.unique(given[:, column])) > 2:
            scaled[:, column] /= given[:, column].std(ddof=1)
    kept = _distinguishable(scaled)
    bounds = np.full((4, given.shape[1]), np.nan)
    bounds[:, kept], residual, unexplained = _fit(standard, scaled[:, kept])
    names = list(dict.fromkeys(factors))
    of_factor = [[c for c in kept if factors[c] == name] for name in names]
    shares = shares_of_variance(standard, [scaled[:, own] for own in of_factor])
    r_squared = float(shares.sum())
    adjusted = 1 - (1 - r_squared) * (len(values) - 1) / (len(values) - 1 - len(kept))
    by_name = dict(zip(names, shares.tolist(), strict=True))
    coefficient, low, high, p_value = bounds
    residual *= spread
    return Explanation(coefficient, low, high, p_value, r_squared, adjusted, by_name, residual, unexplained, spread)


def shares_of_variance(outcome: np.ndarray, blocks: Sequence[np.ndarray]) -> np.ndarray:
    """Each block of columns' share of R²: the proportional marginal variance decomposition (Feldman 2005).

    As LMG (Lindeman, Merenda and Gold 1980) a mean over all orders of the blocks of what each adds to R², but orders
    count more in which less is left to explain after each step. So a block that adds nothing where the others are there
    gets nothing, however much it resembles one of them: with LMG a name's rarity would get a part of what its length
    explains.
    Shares are at least 0 and sum to R².
    """
    count = len(blocks)
    if count > MAX_FACTORS:
        raise OptionError("factors", got=str(count), expected=f"at most {MAX_FACTORS}")
    subsets = [frozenset(chosen) for size in range(count + 1) for chosen in combinations(range(count), size)]
    reached = {subset: _r_squared(outcome, [blocks[block] for block in sorted(subset)]) for subset in subsets}
    everyone = subsets[-1]
    total = reached[everyone]
    if total <= ROUNDING:
        return np.zeros(count)
    weight = {s: 1 / max(total - reached[s], ROUNDING * total) for s in subsets}
    # How much all orders that begin with a subset weigh, and all that go on from it.
    before, after = {subsets[0]: 1.0}, {everyone: 1.0}
    for subset in subsets[1:]:
        before[subset] = weight[subset] * sum(before[subset - {block}] for block in subset)
    for subset in reversed(subsets[:-1]):
        after[subset] = sum(weight[subset | {block}] * after[subset | {block}] for block in everyone - subset)
    shares = np.zeros(count)
    for subset in subsets[:-1]:
        for block in everyone - subset:
            larger = subset | {block}
            gain = max(0.0, reached[larger] - reached[subset])
            shares[block] += before[subset] * weight[larger] * after[larger] * gain
    return shares * total / shares.sum()


def _fit(outcome: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Least squares: coefficient, low, high, p (4, C); residuals and their p-values (N,)."""
    from scipy.stats import t
    from statsmodels.regression.linear_model import OLS

    design = np.column_stack([np.ones(len(outcome)), columns])
    model = OLS(outcome, design)
    plain = model.fit()
    if plain.ssr <= ROUNDING**2 * len(outcome):
        exact = plain.params[1:]
        nothing = np.zeros(len(outcome))
        return np.stack([exact, exact, exact, np.where(np.abs(exact) <= ROUNDING, 1.0, 0.0)]), nothing, nothing + 1
    robust = model.fit(cov_type="HC3", use_t=True)
    low, high = robust.conf_int(1 - CONFIDENCE)[1:].T
    by_chance = _permutation_p(outcome, design)
    bounds = np.stack([robust.params[1:], low, high, np.maximum(robust.pvalues[1:], by_chance)])
    leverage = plain.get_influence().hat_matrix_diag
    degrees = plain.df_resid - 1
    if degrees < 1:
        return bounds, plain.resid, np.full(len(outcome), np.nan)
    # Each name against the fit of the others.
    others = np.maximum(plain.ssr - plain.resid**2 / (1 - leverage), ROUNDING**2) / degrees
    p_value = 2 * t.sf(np.abs(plain.resid) / np.sqrt(others * (1 - leverage)), degrees)
    return bounds, plain.resid, adjust(p_value, "holm")


def _permutation_p(outcome: np.ndarray, design: np.ndarray, n_permutations: int = N_PERMUTATIONS) -> np.ndarray:
    """Permutation p-value of each column but the first, given all others (residuals permuted among the names).

    After Freedman and Lane 1983, with HC3's t statistic: float64 (columns - 1,).
    """
    random = np.random.default_rng(0)
    inverse = np.linalg.pinv(design)
    leverage = (design * inverse.T).sum(axis=1)

    def statistics(outcomes: np.ndarray, column: int) -> np.ndarray:
        """HC3's t of one column for outcomes (N, B): float64 (B,)."""
        solved = inverse @ outcomes
        left = (outcomes - design @ solved) / (1 - leverage)[:, None]
        error = np.sqrt(inverse[column] ** 2 @ left**2)
        return np.divide(solved[column], error, out=np.full(error.shape, np.inf), where=error > ROUNDING)

    found = np.ones(design.shape[1] - 1)
    for column in range(1, design.shape[1]):
        others = np.delete(design, column, axis=1)
        expected = others @ (np.linalg.pinv(others) @ outcome)
        permuted = random.permuted(np.tile(outcome - expected, (n_permutations, 1)), axis=1).T
        observed = np.abs(statistics(outcome[:, None], column))[0]
        as_far = np.abs(statistics(expected[:, None] + permuted, column)) >= observed * (1 - ROUNDING)
        found[column - 1] = (1 + np.count_nonzero(as_far)) / (1 + n_permutations)
    return found


def _distinguishable(columns: np.ndarray) -> list[int]:
    """Positions of the columns that vary, are not collinear with earlier ones, and do not mark a single name."""
    kept: list[int] = []
    for column in range(columns.shape[1]):
        tried = np.column_stack([np.ones(len(columns)), columns[:, [*kept, column]]])
        orthogonal, triangle = np.linalg.qr(tried)
        length = float(np.linalg.norm(tried[:, -1]))
        new = abs(triangle[-1, -1]) > 1e-6 * max(length, ROUNDING)
        if new and length > ROUNDING and (orthogonal**2).sum(axis=1).max() < LEVERAGE:
            kept.append(column)
    return kept


def _r_squared(outcome: np.ndarray, blocks: Sequence[np.ndarray]) -> float:
    columns = np.column_stack(blocks) if blocks else np.empty((len(outcome), 0))
    if not columns.shape[1]:
        return 0.0
    centred = outcome - outcome.mean()
    solved, *_ = np.linalg.lstsq(columns, centred, rcond=None)
    return float(np.clip(1 - ((centred - columns @ solved) ** 2).sum() / (centred**2).sum(), 0, 1))


def _check(outcome: np.ndarray, columns: np.ndarray, factors: Sequence[str]) -> None:
    if columns.ndim != 2 or not columns.shape[1] or len(factors) != columns.shape[1]:
        got = f"columns {columns.shape} of {len(factors)} factors"
        raise OptionError("factors", got=got, expected="at least one, with a factor for each column")
    if outcome.shape != columns.shape[:1] or not (np.isfinite(outcome).all() and np.isfinite(columns).all()):
        raise CubeError("factors", got="missing values or other names", expected="a number for each name and column")
    if len(outcome) < columns.shape[1] + 3:
        raise CubeError(
            "names",
            got=f"{len(outcome)}, for factors with {columns.shape[1]} numbers a name",
            expected=f"at least {columns.shape[1] + 3}, better {NAMES_PER_COLUMN * columns.shape[1]}",
            fix="Choose fewer factors, or run a longer list of names.",
        )
    if not np.ptp(outcome) > ROUNDING * np.abs(outcome).max():
        raise CubeError("effects of names", got="the same for every name", expected="names that differ")


class WordOdds(NamedTuple):
    """How much more often each word occurs in the marked sentences; parallel sequences, largest log-odds first.

    ``sentences`` counts those with the word; ``log_odds`` is the log of the odds ratio with its 95 % interval ``low,
    high`` (above 0 = rather in marked sentences), ``p_adjusted`` Holm-corrected over the words.
    """

    words: tuple[str, ...]
    sentences: np.ndarray
    log_odds: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p_adjusted: np.ndarray


def word_odds(words: Sequence[frozenset[str]], marked: ArrayLike, *, fewest: int = MIN_SENTENCES) -> WordOdds:
    """Compare the words of marked sentences with those of the others (Monroe, Colaresi and Quinn 2008, section 3.3).

    A word counts once a sentence. The prior of each word is its share of all words, worth a tenth of them: it pulls
    rare words, about which little is known, to 0. `words` are the distinct words of each sentence; those in fewer than
    `fewest` sentences are left out, and all where all sentences are marked, or none, or where they have one word only.

    Examples
    --------
    >>> word_odds([frozenset({"a"}), frozenset({"b"})] * 9, [True, False] * 9).words
    ('a', 'b')
    """
    from scipy.stats import norm

    is_marked = np.asarray(marked, dtype=bool)
    if is_marked.shape != (len(words),):
        raise CubeError("marked sentences", got=f"shape {is_marked.shape}", expected=f"one mark for {len(words)}")
    vocabulary = sorted(frozenset().union(*words))
    position = {word: place for place, word in enumerate(vocabulary)}
    counts = np.zeros((2, len(vocabulary)))
    for own, mark in zip(words, is_marked, strict=True):
        counts[int(mark), [position[word] for word in own]] += 1
    total = counts.sum(axis=0)
    kept = np.flatnonzero(total >= fewest)
    if not len(kept) or len(vocabulary) == 1 or is_marked.all() or not is_marked.any():
        return WordOdds((), np.zeros(0, int), *np.zeros((4, 0)))
    prior = PRIOR * total
    known = counts + prior
    others = known.sum(axis=1, keepdims=True) - known
    with np.errstate(divide="ignore"):  # a word that is all there is has no odds
        odds = np.log(known) - np.log(others)
    difference, error = (odds[1] - odds[0])[kept], np.sqrt((1 / known).sum(axis=0))[kept]
    reach = norm.ppf((1 + CONFIDENCE) / 2) * error
    p_value = 2 * norm.sf(np.abs(difference) / error)
    order = np.argsort(-difference, kind="stable")
    return WordOdds(
        tuple(vocabulary[place] for place in kept[order]),
        total[kept][order].astype(int),
        difference[order],
        (difference - reach)[order],
        (difference + reach)[order],
        adjust(p_value, "holm")[order],
    )
