"""How far names move a classifier's answers, and what becomes of its task: before and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.retraining.labelled import Split
from psa_core.retraining.quality import quality


def sensitivity(cube: ScoreCube, target: str) -> dict[str, float]:
    """How far names move one target.

    Parameters
    ----------
    cube : ScoreCube
        Names and sentences that had no part in the training.
    target : str

    Returns
    -------
    dict
        ``name_effect``: mean over names of the size of their effect against the names' mean (as in section 3 of
        Prabhakaran et al. 2019, with that baseline); ``score_dev``: mean over sentences of the standard deviation
        over names. Both on the target's scale, at least 0, larger = more sensitive.

    Examples
    --------
    >>> from psa_core.study import run
    >>> sorted(sensitivity(run(sentences="sample", names="demo", model="keyword", sample=4), "toxicity"))
    ['name_effect', 'score_dev']
    """
    scores = cube.scores(target)[1].astype(np.float64)
    effects = (scores - scores.mean(axis=1, keepdims=True)).mean(axis=0)
    return {"name_effect": float(np.abs(effects).mean()), "score_dev": float(scores.std(axis=1).mean())}


def change(before: ScoreCube, after: ScoreCube, target: str) -> dict[str, float]:
    """What became of the sentences as they are: ``score_change`` (mean size) and ``labels_kept`` (share)."""
    scores, threshold = (
        [cube.scores(target)[0] for cube in (before, after)],
        before.targets[before.target_index(target)],
    )
    labels = [stats.labels_at(values, threshold.default_threshold) for values in scores]
    return {
        "score_change": float(np.abs(scores[1].astype(np.float64) - scores[0]).mean()),
        "labels_kept": float((labels[0] == labels[1]).mean()),
    }


def task_score(scorer: Any, split: Split) -> dict[str, float]:
    """Quality of the labels that the classifier gives to labelled texts; see `quality.quality`.

    Parameters
    ----------
    scorer : TransformersScorer
        One with a single target gives the label from that target's default threshold on; another the most probable
        class, of one logit a class, in the order of the split's labels.
    split : Split
    """
    if len(scorer.targets) == 1:
        scores = scorer.score(split.texts)[:, 0]
        return quality(split.labels, stats.labels_at(scores, scorer.targets[0].default_threshold).astype(np.int64))
    rows = scorer.tokenize(split.texts)
    order = np.argsort([len(row) for row in rows], kind="stable")
    answers = np.empty(len(rows), dtype=np.int64)
    for start in range(0, len(order), 64):
        batch = order[start : start + 64]
        answers[batch] = scorer.forward([rows[i] for i in batch]).argmax(axis=1)
    return quality(split.labels, answers)


def interval(values: Sequence[float]) -> dict[str, float | None]:
    """Mean over seeds with its 95 % t interval: ``value``, ``low``, ``high`` (None with one seed)."""
    found = stats.mean_interval(np.array(values, dtype=np.float64)[:, None])
    return {
        name: None if not np.isfinite(number) else float(number)
        for name, number in (("value", np.mean(values)), ("low", found.low[0]), ("high", found.high[0]))
    }
