"""What a retrained classifier's card says: what it was trained on, and what was measured on what it never saw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LIMITS = (
    "Measured on names and sentences that training never saw, drawn from one list and one kind of text: other names "
    "and other texts may move it more. That answers move less with a name says nothing of other words, and not that "
    "the classifier is right. The name's influence is less also where a name should matter."
)


def card(content: Mapping[str, Any]) -> str:
    """Markdown card of a retraining.

    Parameters
    ----------
    content : mapping
        What `retraining.json` holds.
    """
    recipe, spec, seeds = content["recipe"], content["study"], content["seeds"]
    words = content["runs"][0]["material"]
    settings = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in recipe.items())
    return (
        "\n\n".join(
            [
                f"# {spec['model']}, retrained so that it moves less with the name",
                f"Low-rank updates of the last {recipe['layers']} layers (*{recipe['method']}*), trained on "
                f"{words['sentences_trained']:,} sentences with {words['names_trained']} names of `{spec['names']}`; "
                f"the other {words['names_held_out']} names and {words['sentences_held_out']:,} other sentences (of "
                f"`{spec['sentences']}`) were for measuring only. Settings: {settings}; seeds "
                f"{', '.join(map(str, seeds))}, each with its own split of the names.",
                "## On names and sentences that training never saw\n\n" + sensitivity_table(content),
                "*Name effect*: mean over names of the size of a name's effect against the names' mean. *ScoreDev*: "
                "mean over sentences of the standard deviation over names. *Originals*: mean size of the change of a "
                "sentence's score as it is, and the share that keep their label. Mean over seeds"
                + (" with 95 % t intervals." if len(seeds) > 1 else "; one seed gives no interval."),
                *(["## The task\n\n" + _task(content)] if content["strengths"][0]["task"] else []),
                f"## Limits\n\n{LIMITS}",
            ]
        )
        + "\n"
    )


def _task(content: Mapping[str, Any]) -> str:
    labelled = f"{content['runs'][0]['labelled']:,}"
    return f"{task_table(content)}\n\nOn {labelled} labelled texts, none of which was trained on."


def sensitivity_table(content: Mapping[str, Any]) -> str:
    """Markdown rows: strength and target, name effect and ScoreDev before and after, what became of the originals."""
    rows = [
        "| strength | target | name effect before | after | fall | ScoreDev before | after | fall | originals move "
        "| keep label |",
        "|" + "---|" * 10,
    ]
    for strength in content["strengths"]:
        for target, found in strength["targets"].items():
            cells = [f"{strength['strength']:g}", f"`{target}`"]
            for number in ("name_effect", "score_dev"):
                cells += [number_of(found[number][part]) for part in ("before", "after")]
                cells.append(percent_of(found[number]["fall"]))
            cells += [number_of(found["score_change"]), percent_of(found["labels_kept"])]
            rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def task_table(content: Mapping[str, Any]) -> str:
    """Markdown rows: the task's score before and after."""
    rows = ["| strength | metric | before | after | change |", "|---|---|---|---|---|"]
    for strength in content["strengths"]:
        for metric, found in strength["task"].items():
            cells = [number_of(found[part]) for part in ("before", "after", "change")]
            rows.append(f"| {strength['strength']:g} | {metric.replace('_', ' ')} | {' | '.join(cells)} |")
    return "\n".join(rows)


def number_of(found: Mapping[str, float | None]) -> str:
    """A number with its interval, where it has one."""
    text = f"{found['value']:.4f}"
    if found["low"] is not None:
        text += f" ({found['low']:.4f} to {found['high']:.4f})"
    return text.replace("-", "−")


def percent_of(found: Mapping[str, float | None]) -> str:
    """The same of a share, which is never above 100 %."""
    value, low, high = (None if found[part] is None else 100 * found[part] for part in ("value", "low", "high"))  # type: ignore[operator]
    text = f"{value:z.0f} %"
    if low is not None and high is not None:
        text += f" ({low:z.0f} to {min(high, 100):z.0f})"
    return text.replace("-", "−")
