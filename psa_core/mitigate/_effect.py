"""What averaging over names does to a study, computed from its cells without a model call."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.errors import OptionError
from psa_core.mitigate._scorer import NameAveraged, refuse_forms
from psa_core.study.perturbation import Perturbation


class Check(NamedTuple):
    """What the name-averaged scorer itself answered on some sentences, beside what a cube says it should answer.

    ``difference`` is the largest difference of the two, ``spread`` the largest difference between two names of one
    sentence, both on the scale of the scores.
    """

    sentences: int
    texts: int
    difference: float
    spread: float


def check(averaged: NameAveraged, expected: ScoreCube, perturbation: Perturbation, *, sentences: int = 20) -> Check:
    """Ask the name-averaged scorer about a study's first sentences, as they are and with every name.

    `expected` is what it should answer (see `held_out_cube`), `perturbation` has the texts behind that. Raises
    `AnchorError` where they mention a person in several forms.
    """
    refuse_forms(perturbation.spans)
    count = min(sentences, expected.shape[0])
    texts = [text for s in range(count) for text in (perturbation.texts[s], *perturbation.row(s))]
    answers = averaged.score(texts).reshape(count, 1 + expected.shape[1], -1)
    expected_answers = np.concatenate([expected.original[:count, None], expected.perturbed[:count]], axis=1)
    spread = float(np.ptp(answers[:, 1:], axis=1).max())
    return Check(count, len(texts), float(np.abs(answers - expected_answers).max()), spread)


def averaging_table(
    cube: ScoreCube, target: str, *, counts: ArrayLike, threshold: float, draws: int = 20
) -> pd.DataFrame:
    """What averaging over K names costs and loses, for several K.

    Parameters
    ----------
    cube : ScoreCube
    target : str
    counts : int array
        Values of K, each from 1 to N.
    threshold : float
    draws : int
        Random choices of K names to take the mean over.

    Returns
    -------
    DataFrame
        One row per K: ``names`` (K, also the texts to score per text), ``score_change`` (mean over sentences of the
        size of the change of the original score), ``labels_changed`` (originals whose label changes), both means over
        draws;
        ``list_dependence`` (how far the averaged score depends on which K names of the list were drawn: its standard
        deviation over all such draws, mean over sentences; 0 for the whole list).

    Raises
    ------
    OptionError
        When a K is out of its range.
    """
    original, perturbed = stats.paired_scores(*cube.scores(target))
    sizes = np.atleast_1d(np.asarray(counts, dtype=np.int64))
    total = perturbed.shape[1]
    if sizes.min(initial=1) < 1 or sizes.max(initial=1) > total:
        raise OptionError("names to average over", got=str(sizes.tolist()), expected=f"numbers from 1 to {total}")
    generator = np.random.default_rng(0)
    changes, labels = np.zeros(len(sizes)), np.zeros(len(sizes))
    before = stats.labels_at(original, threshold)[:, None]
    for _ in range(draws):
        means = np.cumsum(perturbed[:, generator.permutation(total)], axis=1)[:, sizes - 1] / sizes
        changes += np.abs(means - original[:, None]).mean(axis=0)
        labels += (stats.labels_at(means, threshold) != before).sum(axis=0)
    # Variance of the mean of K drawn from N without replacement.
    shrink = np.sqrt((total - sizes) / (sizes * max(1, total - 1)))
    dependence = perturbed.std(axis=1).mean() * shrink
    columns = {"score_change": changes / draws, "labels_changed": labels / draws, "list_dependence": dependence}
    return pd.DataFrame({"names": sizes, **columns})


class Loss(NamedTuple):
    """What averaging does to the originals: mean size of the change of the score, and labels that change."""

    score_change: float
    labels_changed: int


def loss(before: ScoreCube, after: ScoreCube, target: str, *, threshold: float) -> Loss:
    """What became of the original sentences' scores and labels between two cubes of the same sentences."""
    first, second = before.scores(target)[0].astype(np.float64), after.scores(target)[0].astype(np.float64)
    changed = stats.labels_at(first, threshold) != stats.labels_at(second, threshold)
    return Loss(float(np.abs(second - first).mean()), int(changed.sum()))
