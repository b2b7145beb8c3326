"""How far names move a classifier's answers, and how good its labels are: before and after, as numbers and a card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from psa_core import mitigate, stats
from psa_core.cube import ScoreCube
from psa_core.errors import CorpusError
from psa_core.inputs import corpus

LIMITS = (
    "Measured on names and sentences that training never saw, drawn from one list and one kind of text: other names "
    "and other texts may move it more. That answers move less with a name says nothing of other words, and not that "
    "the classifier is right. The name's influence is less also where a name should matter."
)
SENSITIVITY = """
| strength | target | name effect before | after | fall | ScoreDev before | after | fall | originals move | keep label |
|---|---|---|---|---|---|---|---|---|---|
"""
TASK = """
| strength | metric | before | after | change |
|---|---|---|---|---|
"""


@dataclass(frozen=True, eq=False)
class Split:
    """Labelled texts of one split; `labels`, int64 (R,), index the task's classes."""

    texts: tuple[str, ...]
    labels: np.ndarray

    def __len__(self) -> int:
        return len(self.texts)


def labelled_texts(source: str, *, most: int) -> tuple[Split, tuple[str, ...]]:
    """Labelled texts of one file, such as an upload, and their classes in alphabetical order; at most so many, sampled.

    Raises `CorpusError` when it cannot be read, has no column ``label_name`` or ``label``, or an empty label.
    """
    table = corpus.load(source).sentences
    column = next((name for name in ("label_name", "label") if name in table), None)
    if column is None:
        raise CorpusError("labelled texts", got="no such column", expected="a column label_name or label")
    table = table.sample(min(most, len(table)), random_state=0)
    labels = table[column].astype(str).str.strip()
    if not labels.all():
        raise CorpusError("labelled texts", got="an empty label", expected="a label in every row")
    classes, numbers = np.unique(labels.to_numpy(dtype=object), return_inverse=True)
    return Split(tuple(table["text"]), numbers.astype(np.int64)), tuple(map(str, classes))


def sensitivity(cube: ScoreCube, target: str) -> dict[str, float]:
    """How far names move one target, on its scale, at least 0; the cube's names and sentences had no part in training.

    ``name_effect``: mean over names of the size of their effect against the names' mean (Prabhakaran et al. 2019,
    section 3, with that baseline); ``score_dev``: mean over sentences of the standard deviation over names.
    """
    scores = cube.scores(target)[1].astype(np.float64)
    effects = (scores - scores.mean(axis=1, keepdims=True)).mean(axis=0)
    return {"name_effect": float(np.abs(effects).mean()), "score_dev": float(scores.std(axis=1).mean())}


def change(before: ScoreCube, after: ScoreCube, target: str) -> dict[str, float]:
    """How the unchanged sentences fared: ``score_change`` (mean absolute) and ``labels_kept`` (share)."""
    threshold = before.targets[before.target_index(target)].default_threshold
    lost = mitigate.loss(before, after, target, threshold=threshold)
    return {"score_change": lost.score_change, "labels_kept": 1 - lost.labels_changed / len(before.sentences)}


def task_score(scorer: Any, split: Split) -> dict[str, float]:
    """Quality of the labels that the classifier gives to labelled texts; see `quality`.

    With a single target the label is 1 from its default threshold on; else it is the most probable class, of one logit
    per class, in the order of the split's labels.
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


def quality(true: np.ndarray, predicted: np.ndarray) -> dict[str, float]:
    """Macro-F1, macro-recall and accuracy of predicted class indices (R,), each in [0, 1], larger = better.

    Macro means: the plain mean over the classes that occur in ``true``. TweetEval (Barbieri et al. 2020, section 2)
    ranks by the first for emotion, hate and offensive language, and by the second for sentiment.

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


def interval(values: Sequence[float]) -> dict[str, float | None]:
    """Mean over seeds with its 95 % t interval: ``value``, ``low``, ``high`` (None with one seed)."""
    found = stats.mean_interval(np.array(values, dtype=np.float64)[:, None])
    numbers = {"value": np.mean(values), "low": found.low[0], "high": found.high[0]}
    return {name: float(number) if np.isfinite(number) else None for name, number in numbers.items()}


def over_seeds(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The content of ``retraining.json`` for several trainings of one classifier, one for each strength and seed.

    Returns
    -------
    dict
        ``seeds``; ``strengths`` with, for each, ``targets`` (before, after and fall of each number, and how the
        unchanged sentences fared) and ``task`` (None without labelled texts), all means over seeds with t intervals;
        ``runs`` as given.
    """
    strengths = []
    for strength in sorted({run["strength"] for run in runs}):
        same = [run for run in runs if run["strength"] == strength]
        targets: dict[str, Any] = {target: {} for target in same[0]["after"]}
        for target, found in targets.items():
            for number in ("name_effect", "score_dev"):
                before, after = ([run[part][target][number] for run in same] for part in ("before", "after"))
                falls = [1 - new / old if old else 0.0 for old, new in zip(before, after, strict=True)]
                found[number] = {"before": interval(before), "after": interval(after), "fall": interval(falls)}
            for number in ("score_change", "labels_kept"):
                found[number] = interval([run["change"][target][number] for run in same])
        task: dict[str, Any] = {}
        for metric in (same[0]["task"] or {"after": ()})["after"]:
            before, after = ([run["task"][part][metric] for run in same] for part in ("before", "after"))
            changes = [new - old for old, new in zip(before, after, strict=True)]
            task[metric] = {"before": interval(before), "after": interval(after), "change": interval(changes)}
        strengths.append({"strength": strength, "targets": targets, "task": task or None})
    return {"seeds": sorted({run["seed"] for run in runs}), "strengths": strengths, "runs": list(runs)}


def card(content: Mapping[str, Any]) -> str:
    """Markdown card of a retraining, by what `retraining.json` holds."""
    recipe, spec, seeds, run = content["recipe"], content["study"], content["seeds"], content["runs"][0]
    counts = run["material"]
    settings = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in recipe.items())
    parts = [
        f"# {spec['model']}, retrained so that it moves less with the name",
        f"Low-rank updates of the last {recipe['layers']} layers (*{recipe['method']}*), trained on "
        f"{counts['sentences_trained']:,} sentences with {counts['names_trained']} names of `{spec['names']}`; "
        f"the other {counts['names_held_out']} names and {counts['sentences_held_out']:,} other sentences (of "
        f"`{spec['sentences']}`) were for measuring only. Settings: {settings}; seeds "
        f"{', '.join(map(str, seeds))}, each with its own split of the names.",
        f"## On names and sentences that training never saw\n\n{sensitivity_table(content)}",
        "*Name effect*: mean over names of the size of a name's effect against the names' mean. *ScoreDev*: "
        "mean over sentences of the standard deviation over names. *Originals*: mean size of the change of a "
        "sentence's score as it is, and the share that keep their label. Mean over seeds"
        + (" with 95 % t intervals." if len(seeds) > 1 else "; one seed gives no interval."),
    ]
    if content["strengths"][0]["task"]:
        measured = f"On {run['labelled']:,} labelled texts, none of which was trained on."
        parts.append(f"## The task\n\n{task_table(content)}\n\n{measured}")
    return "\n\n".join([*parts, f"## Limits\n\n{LIMITS}"]) + "\n"


def sensitivity_table(content: Mapping[str, Any]) -> str:
    """Markdown rows: strength and target, name effect and ScoreDev before and after, and how the originals fared."""
    rows = []
    for strength in content["strengths"]:
        for target, found in strength["targets"].items():
            cells = [f"{strength['strength']:g}", f"`{target}`"]
            for number in ("name_effect", "score_dev"):
                cells += [_number(found[number]["before"]), _number(found[number]["after"])]
                cells.append(percent_of(found[number]["fall"]))
            rows.append([*cells, _number(found["score_change"]), percent_of(found["labels_kept"])])
    return _markdown(SENSITIVITY, rows)


def task_table(content: Mapping[str, Any]) -> str:
    """Markdown rows: the task's score before and after."""
    rows = [
        [f"{strength['strength']:g}", metric.replace("_", " ")]
        + [_number(found[part]) for part in ("before", "after", "change")]
        for strength in content["strengths"]
        for metric, found in strength["task"].items()
    ]
    return _markdown(TASK, rows)


def _markdown(head: str, rows: Sequence[Sequence[str]]) -> str:
    return head.lstrip() + "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _number(found: Mapping[str, float | None]) -> str:
    """A number with its interval, where it has one."""
    bounds = "" if found["low"] is None else f" ({found['low']:.4f} to {found['high']:.4f})"
    return f"{found['value']:.4f}{bounds}".replace("-", "−")


def percent_of(found: Mapping[str, float | None]) -> str:
    """The same of a share, which is never above 100 %."""
    low, high = found["low"], found["high"]
    bounds = "" if low is None or high is None else f" ({100 * low:z.0f} to {min(100 * high, 100):z.0f})"
    return f"{100 * found['value']:z.0f} %{bounds}".replace("-", "−")  # type: ignore[operator]
