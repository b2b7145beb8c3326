"""Macro-averaged quality of predicted labels."""

from __future__ import annotations

import numpy as np


def quality(true: np.ndarray, predicted: np.ndarray) -> dict[str, float]:
    """Macro-F1, macro-recall and accuracy of predicted classes.

    Parameters
    ----------
    true, predicted : int array (R,)
        Class indices.

    Returns
    -------
    dict
        ``macro_f1``, ``macro_recall``, ``accuracy``: each in [0, 1], larger = better. Macro means: the plain mean
        over the classes that occur in ``true``. TweetEval (Barbieri et al. 2020, section 2) ranks by the first for
        emotion, hate and offensive language, and by the second for sentiment.

    Examples
    --------
    >>> quality(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]))["macro_recall"]
    0.75
    """
    from sklearn.metrics import accuracy_score, f1_score, recall_score

    macro = {"labels": np.unique(true), "average": "macro", "zero_division": 0}
    return {
        "macro_f1": float(f1_score(true, predicted, **macro)),
        "macro_recall": float(recall_score(true, predicted, **macro)),
        "accuracy": float(accuracy_score(true, predicted)),
    }
