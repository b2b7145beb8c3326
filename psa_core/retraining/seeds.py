"""Trainings of several seeds as one result: means with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psa_core.retraining.measure import interval

Run = dict[str, Any]


def over_seeds(runs: Sequence[Run]) -> dict[str, Any]:
    """What ``retraining.json`` says of several trainings of one classifier.

    Parameters
    ----------
    runs : sequence of mapping
        One a strength and seed, each with the same targets.

    Returns
    -------
    dict
        ``seeds``; ``strengths`` with, for each, ``targets`` (before, after and fall of each number, and what became of
        the sentences as they are) and ``task`` (None without labelled texts), all means over seeds with t intervals;
        ``runs`` as given.
    """
    strengths = []
    for strength in sorted({run["strength"] for run in runs}):
        some = [run for run in runs if run["strength"] == strength]
        targets = {target: _target(some, target) for target in some[0]["after"]}
        strengths.append({"strength": strength, "targets": targets, "task": _task(some)})
    return {"seeds": sorted({run["seed"] for run in runs}), "strengths": strengths, "runs": list(runs)}


def _target(runs: Sequence[Run], target: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for number in ("name_effect", "score_dev"):
        pairs = [(run["before"][target][number], run["after"][target][number]) for run in runs]
        found[number] = {
            "before": interval([before for before, _ in pairs]),
            "after": interval([after for _, after in pairs]),
            "fall": interval([1 - after / before if before else 0.0 for before, after in pairs]),
        }
    return found | {
        number: interval([run["change"][target][number] for run in runs]) for number in ("score_change", "labels_kept")
    }


def _task(runs: Sequence[Run]) -> dict[str, Any] | None:
    if runs[0]["task"] is None:
        return None
    return {
        metric: {
            "before": interval([run["task"]["before"][metric] for run in runs]),
            "after": interval([run["task"]["after"][metric] for run in runs]),
            "change": interval([run["task"]["after"][metric] - run["task"]["before"][metric] for run in runs]),
        }
        for metric in runs[0]["task"]["after"]
    }
