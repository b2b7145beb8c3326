"""What averaging over names, or retraining, gains on held-out names, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from psa_core import stats
from psa_core.claims.findings import METRIC_MEANS
from psa_core.claims.formatting import Finding, Words, too_few, with_interval
from psa_core.mitigate import Loss
from psa_core.plurals import counted, verb
from psa_core.stats import Difference


def averaging_finding(
    summaries: Mapping[str, Mapping[str, Any]],
    change: Difference,
    lost: Loss,
    *,
    names: int,
    read: float,
    texts: int,
    words: Words,
) -> Finding:
    """What averaging over so many `names` does if a program has to detect the names in `texts` first.

    `summaries` are `tables.target_summary` of a `mitigate.Trial`'s cubes by field, `change` is how much smaller
    ScoreDev is on held-out names and sentences (`tables.changes.spread_change`), `read` the share of texts in which the
    name is spotted; `words` say the unit of the target.
    """
    before, people, same = (summaries[kind]["score_dev"] for kind in ("before", "as_people", "same_names"))
    size = summaries["before"]["size"]
    enough = not too_few(size["sentences"])
    is_less = enough and change.p < stats.SIGNIFICANT and change.value > 0
    spotted = f"the software spots the name in {100 * read:.0f} % of {counted(texts, 'text')}"
    averaging = f"Scoring each text with {counted(names, 'name')} and averaging"
    if is_less:
        headline = f"{averaging} makes the model less name-sensitive; {spotted}, and the others keep their score."
    elif enough:
        headline = f"{averaging} is not shown to make the model less name-sensitive; {spotted}."
    else:
        headline = too_few(size["sentences"])
    cost = "once" if names == 1 else f"{names:,} times"
    difference = with_interval(change._asdict(), "value", words=words)
    shown = partial(words.change, digits=3, signed=False)
    return Finding(
        headline,
        f"ScoreDev, {METRIC_MEANS['ScoreDev']}, on {counted(size['sentences'], 'held-out sentence')} and "
        f"{counted(size['names'], 'other name')}: {shown(before['value'])} becomes {shown(people['value'])}, smaller "
        f"by {difference}. Where only listed names are recognised it stays {shown(before['value'])}; among the "
        f"averaged names themselves it is {shown(same['value'])} by definition. Each text is then scored {cost}. The "
        f"original scores change by {shown(lost.score_change)} on average, and {lost.labels_changed:,} of "
        f"{counted(size['sentences'], 'original label')} {verb(lost.labels_changed, 'change')}.",
    )


def retraining_finding(
    found: Mapping[str, Any], material: Mapping[str, Any], target: str, *, strength: float, shown: Difference | None
) -> Finding:
    """What retraining gains, and at what price, by one strength's numbers of a target in ``retraining.json``.

    `shown` is how sure one training's change is over sentences; several trainings have an interval of their own.
    """
    dev = found["score_dev"]
    fall = dev["fall"]
    several = None not in (fall["low"], fall["high"])
    much = f"{100 * abs(fall['value']):.0f} % {'less' if fall['value'] >= 0 else 'more'}"
    unsure = fall["low"] <= 0 <= fall["high"] if several else shown is not None and not shown.p < stats.SIGNIFICANT
    moves = "is not shown to move less" if unsure else f"moves {much}"
    falls = (
        "" if shown is None or several else f" It falls by {with_interval(shown._asdict(), 'value')} over sentences."
    )
    seeds = "Means over several trainings." if several else "A single training run; results vary between runs."
    return Finding(
        f"Retrained with strength {strength:g}, {target} {moves} with names that training never saw; "
        f"{100 * found['labels_kept']['value']:.0f} % of the sentences keep their label.",
        f"ScoreDev {dev['before']['value']:.4f} becomes {dev['after']['value']:.4f} on {material['names_held_out']} "
        f"names and {material['sentences_held_out']:,} sentences that were only measured.{falls} Without a change of "
        f"name the scores move by {found['score_change']['value']:.4f} on average. {seeds}",
    )
