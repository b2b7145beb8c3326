"""Average over names: half of a study's names are averaged over, the other half and half of the sentences measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
import streamlit as st

from pages.ui.frame import address, cached, exports, shell, typography, visitor
from pages.ui.results import context, study_model
from pages.ui.results.context import StudyContext
from psa_core import anchors, mitigate, stats, tables
from psa_core.charts.scatter import averaging_curves, original_scores
from psa_core.claims import mitigation
from psa_core.claims.formatting import Words
from psa_core.mitigate import Halves, Trial
from psa_core.plurals import counted
from psa_core.study import perturbation_of
from psa_core.study.perturbation import Perturbation
from psa_core.tables.corpus import Metrics
from psa_core.tables.pairs import spread_change

#: Texts in which people are looked for when the page opens: a few seconds of spaCy.
TEXTS = 600
STEPS = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 500)
CHECKED_SENTENCES = 10
METRICS = {"score_dev": "ScoreDev", "score_range": "ScoreRange", "label_dist": "LabelDist", "flips": "Flips"}
#: Of the metrics, those in the unit of the score.
ON_SCALE = ("score_dev", "score_range")
KINDS = {
    "before": "other names, before",
    "as_people": "after, where the names are spotted",
    "as_they_are": "after, only listed names recognised",
    "same_names": "averaged names (0 by definition)",
}
CODE = """from psa_core import anchors, mitigate, models

finder = mitigate.AlsoPeople(*map(anchors.finder, (anchors.default(), anchors.people())))
scorer = mitigate.NameAveraged(models.load({model!r}), ('Ann Lee', 'Bo Kim'), finder)
scorer.score(['I like Ann Lee.', 'I like her.', 'I like Zoe Park.'])  # the same score three times"""


@dataclass(frozen=True, eq=False)
class HeldOut:
    """A study whose rows are split into halves, without the sentences to measure that take too long to read.

    Of the names to average over, `count` are.
    """

    study: StudyContext
    names: Halves
    sentences: Halves
    count: int

    @property
    def key(self) -> tuple[context.RunKey, int]:
        """The cache key of a result."""
        return self.study.key, len(self.sentences.measured)

    @cached_property
    def perturbation(self) -> Perturbation:
        """The texts of the sentences and names that are measured."""
        cube = self.study.cube.rows(self.sentences.measured, self.names.measured)
        return perturbation_of(cube)

    @cached_property
    def spotted(self) -> np.ndarray:
        """Where a measured name is recognised as a person: bool (S, M)."""
        return _spotted(self.key, self.perturbation)

    @cached_property
    def used(self) -> np.ndarray:
        """Positions of the names averaged over."""
        return mitigate.drawn(self.names.used, self.count)

    @cached_property
    def trial(self) -> Trial:
        """Before and after."""
        rows = self.study.cube.rows(self.sentences.measured)
        return mitigate.trial(rows, used=self.used, measured=self.names.measured, seen=self.spotted)

    @cached_property
    def summaries(self) -> dict[str, Metrics]:
        """The corpus metrics of the chosen target, for each cube of the trial."""
        name, threshold = self.study.target.name, self.study.threshold

        def measure() -> dict[str, Metrics]:
            cubes = self.trial._asdict().items()
            return {kind: tables.target_summary(cube, name, threshold=threshold) for kind, cube in cubes}

        return cached.measured("averaging", self.key, self.count, name, threshold, _measure=measure)


@st.cache_data(max_entries=16, show_spinner="Looking for people in the texts", show_time=True)
def _spotted(key: tuple[context.RunKey, int], _perturbation: Perturbation) -> np.ndarray:
    return mitigate.recognised(_perturbation, cached.finder(anchors.people()))


def ask(study: StudyContext) -> HeldOut:
    """The study split into halves, and how many names to average over.

    Unless somebody wants all of them, only so many sentences are measured as are read in a few seconds.
    """
    names, sentences = mitigate.halves_of_names(study.cube.names), mitigate.split_sentences(study.cube)
    every, few = len(sentences.measured), max(2, TEXTS // len(names.measured))
    if few < every and not st.toggle(
        f"Measure all {every:,} held-out sentences, not only {few:,}",
        key=f"mitigate_full {study.run}",
        help=f"Looks for people in {len(names.measured) * every:,} texts, about 200 a second.",
    ):
        sentences = replace(sentences, measured=sentences.measured[:few])
    total = len(names.used)
    options = [step for step in STEPS if step < total] + [total]
    count = st.select_slider(
        "Names averaged over",
        options,
        format_func=lambda count: f"all {count} of one half" if count == total else str(count),
        help="Half of the list's names, split by group, are averaged over; the other half is measured.",
        **address.linked(f"mitigate_count {total}", total, options),
    )
    return HeldOut(study, names, sentences, int(count))


def headline(halved: HeldOut) -> None:
    """The effect of averaging on names outside the average, its cost, and what it misses, in words."""
    trial, target = halved.trial, halved.study.target.name
    lost = mitigate.loss(trial.before, trial.as_people, target, threshold=halved.study.threshold)
    change, read = spread_change(trial.before, trial.as_people, target), float(halved.spotted.mean())
    found = mitigation.averaging_finding(
        halved.summaries,
        change,
        lost,
        names=halved.count,
        read=read,
        texts=halved.spotted.size,
        words=halved.study.words,
    )
    typography.finding(found)


def before_and_after(halved: HeldOut) -> None:
    """The corpus metrics for names that were not averaged over, before and after, and the trivial case beside them."""
    study, found = halved.study, halved.summaries
    with st.container(key="mitigate_tiles"), st.grid(min_column_width=150):  # two beside each other on a phone
        for metric, title in METRICS.items():
            labels = f" at {study.words.at(study.threshold)}" if "threshold" in found["before"][metric] else ""
            st.metric(
                title + labels,
                _number(metric, found["as_people"][metric]["value"], study.words),
                delta=f"before {_number(metric, found['before'][metric]['value'], study.words)}",
                delta_color="off",
                delta_arrow="off",
                border=True,
            )
    table = pd.DataFrame(
        {
            title: [_interval(metric, found[kind][metric], study.words) for metric in METRICS]
            for kind, title in KINDS.items()
        },
        index=pd.Index(METRICS.values(), name=typography.in_words("over sentences")),
    )
    with st.container(key="mitigate_numbers"):
        st.dataframe(table, key="mitigate_table")
    names, sentences = halved.names, halved.sentences
    typography.small_print(
        f"Names and sentences are split at random into halves, group by group: {counted(len(names.used), 'name')} to "
        f"average over and {len(names.measured):,} to measure, {counted(len(sentences.used), 'sentence')} to choose "
        f"how many names are enough and {len(sentences.measured):,} to measure. The cards show all of these sentences, "
        "with the names spotted or not. No model call is needed. A name is "
        "recognised if spaCy tags exactly that name as a person; otherwise the text keeps its own score, unless a "
        "later pronoun is found instead (ask the model below). Averaging removes the name's influence even where a "
        "name should matter."
    )


def _number(metric: str, value: float, words: Words) -> str:
    if metric in ON_SCALE:
        return words.change(value, digits=3, signed=False)
    return f"{100 * value:.1f} %" if metric == "flips" else f"{value:.3f}"


def _interval(metric: str, numbers: Mapping[str, float | None], words: Words) -> str:
    low, high = numbers["low"], numbers["high"]
    bounds = (
        "" if low is None or high is None else f" ({_number(metric, low, words)} to {_number(metric, high, words)})"
    )
    return f"{_number(metric, numbers['value'] or 0.0, words)}{bounds}"


def curves(halved: HeldOut) -> None:
    """The trade-off of averaging over more names, on the sentences that are not measured."""
    st.header("How many names are enough?", anchor=False)
    study, total = halved.study, len(halved.names.used)
    counts = [step for step in STEPS if step < total] + [total]
    chosen_on = study.cube.rows(halved.sentences.used, halved.names.used)
    table = mitigate.averaging_table(chosen_on, study.target.name, counts=counts, threshold=study.threshold)
    exports.figure(
        averaging_curves(table, chosen=halved.count, scale=study.target.scale),
        alt="Loss and list dependence by the number of names averaged over",
        note="With few names the score depends on which of them happened to be listed (dashed: standard deviation over "
        "all draws of that many names); with many it does not, and each text costs as many texts as there are names. "
        "Drawn from the half of the sentences that is not measured.",
        stem=f"averaging.{study.target.name}",
        words=study.caption(f"What averaging over more names loses and gains, {study.words.phrase}"),
        key="averaging",
        table=table,
    )


def originals(halved: HeldOut) -> None:
    """How the original scores change."""
    st.header("What becomes of the original scores?", anchor=False)
    study, trial, names = halved.study, halved.trial, counted(halved.count, "name")
    before, after = (cube.scores(study.target.name)[0] for cube in (trial.before, trial.as_people))
    changed = stats.labels_at(before, study.threshold) != stats.labels_at(after, study.threshold)
    texts = trial.before.sentences["text"].to_numpy()
    table = pd.DataFrame({"before": before, "after": after, "changed": changed, "text": texts})
    exports.figure(
        original_scores(table, target=study.axis, scale=study.target.scale),
        alt="Original score of each sentence before and after averaging",
        note="A point is a measured sentence as it is; on the dashed line nothing changes.",
        stem=f"averaged.{study.target.name}",
        words=study.caption(f"{study.axis} of the originals before and after averaging over {names}"),
        key="originals",
    )


def ask_the_model(halved: HeldOut) -> None:
    """Score some sentences with the name-averaged scorer itself, to check the study's estimate."""
    study = halved.study
    with st.expander("Ask the model itself, or use the scorer in your own code", icon=":material/verified:"):
        model = str(study.cube.asked.get("model", ""))
        origin = study_model.confirmed(study.run, model)
        label = f"Score {CHECKED_SENTENCES} sentences with the held-out names, averaged over names"
        if origin is not None and st.button(label, key="mitigate_check"):
            failed = "The model of this study cannot be asked"
            with shell.show_errors(failed), st.spinner("Asking the model", show_time=True):
                own = cached.finder(str(study.cube.asked.get("anchors", anchors.default())))
                averaged = mitigate.NameAveraged(
                    cached.scorer(model, origin),
                    tuple(study.cube.names["name"].iloc[halved.used]),
                    mitigate.AlsoPeople(own, cached.finder(anchors.people())),
                )
                expected = halved.trial.as_people
                found = mitigate.check(averaged, expected, halved.perturbation, sentences=CHECKED_SENTENCES)
            typography.second(
                f"{found.texts:,} texts of {counted(found.sentences, 'sentence')}: two held-out names of one sentence "
                f"differ by at most {found.spread:.2g}, and the answers by at most {found.difference:.2g} from the "
                "above."
            )
        # An id may be a stranger's: one that does more than compute is left to the reader.
        st.code(CODE.format(model=model if visitor.is_harmless(model) else "the model's id"), language="python")
