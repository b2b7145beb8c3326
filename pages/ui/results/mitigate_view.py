"""The parts of Mitigate: number of names, before and after, cost, and a check with the model itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pandas as pd
import streamlit as st

from pages.ui.frame import address, cached, exports, markup, permissions, shell, typography
from pages.ui.frame.keys import Key
from pages.ui.results import held_out
from pages.ui.results.context import StudyContext
from pages.ui.results.held_out import HeldOut
from psa_core import anchors, mitigate, models, stats
from psa_core.charts._altair import drawing_svg
from psa_core.charts.mitigation import averaging_curves, original_scores
from psa_core.errors import PsaError
from psa_core.plurals import counted, verb
from psa_core.tables import findings
from psa_core.tables.findings import Finding
from psa_core.trust import Origin

STEPS = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 500)
CHECKED_SENTENCES = 10
METRICS = {"score_dev": "ScoreDev", "score_range": "ScoreRange", "label_dist": "LabelDist", "flips": "Cells that flip"}
KINDS = {
    "before": "other names, before",
    "as_people": "after, recognised as people",
    "as_they_are": "after, only listed names recognised",
    "same_names": "averaged names (0 by definition)",
}


def ask_whole(study: StudyContext) -> bool:
    """Whether to measure every sentence of the measured half, where that takes longer than a page should."""
    short, whole = held_out.split(study, whole=False), held_out.split(study, whole=True)
    few, all_of_them = len(short.sentences.measured), len(whole.sentences.measured)
    if few == all_of_them:
        return True
    return st.toggle(
        f"Measure all {all_of_them:,} held-out sentences, not only {few:,}",
        key=f"{Key.MITIGATE_WHOLE} {study.run}",
        help=f"Looks for people in {len(whole.names.measured) * all_of_them:,} texts, about 200 a second.",
    )


def ask_count(halved: HeldOut) -> int:
    """How many names to average over."""
    total = len(halved.names.used)
    options = [step for step in STEPS if step < total] + [total]
    return int(
        st.select_slider(
            "Names averaged over",
            options,
            format_func=lambda count: f"all {count} of one half" if count == total else str(count),
            help="Half of the list's names, split by group, are averaged over; the other half is measured.",
            **address.linked(f"{Key.MITIGATE_COUNT} {total}", total, options),
        )
    )


def headline(halved: HeldOut, count: int) -> None:
    """What averaging does to names that it does not know, what it costs and what it loses, in words."""
    study, found = halved.study, halved.summaries(count)
    before, people, same = (found[kind]["score_dev"] for kind in ("before", "as_people", "same_names"))
    trial = halved.trial(count)
    lost = mitigate.loss(trial.before, trial.as_people, study.target.name, threshold=study.threshold)
    sentences, names, _ = trial.before.shape
    cost = "once" if count == 1 else f"{count:,} times"
    was, now, read = before["value"], people["value"], f"{100 * halved.seen.mean():.0f} % of {halved.seen.size:,} texts"
    typography.finding(
        Finding(
            f"Scoring each text with {counted(count, 'name')} and averaging makes the model "
            f"{'less' if now < was else 'no less'} name-sensitive, but only where the software spots the name "
            f"({read}). Each text is then scored {cost}.",
            f"ScoreDev, {findings.METRIC_MEANS['ScoreDev']}, on held-out names and sentences: "
            f"{was:.3f} becomes {now:.3f} on {counted(names, 'other name')} where spaCy recognises them as people, "
            f"and stays {was:.3f} where only listed names are recognised. "
            f"Among the averaged names themselves it is {same['value']:.3f} by definition. "
            f"The original scores change by {lost.score_change:.3f} on average, "
            f"and {lost.labels_changed:,} of {counted(sentences, 'original label')} "
            f"{verb(lost.labels_changed, 'change')}.",
        )
    )


def before_and_after(halved: HeldOut, count: int) -> None:
    """The corpus metrics for names that were not averaged over, before and after, and the trivial case beside them."""
    study, found = halved.study, halved.summaries(count)
    tiles = st.container(key="mitigate_tiles")
    with tiles, st.grid(min_column_width=150):  # two beside each other on a phone
        for metric, title in METRICS.items():
            labels = f" at {study.threshold:g}" if "threshold" in found["before"][metric] else ""
            st.metric(
                title + labels,
                _number(metric, found["as_people"][metric]["value"]),
                delta=f"before {_number(metric, found['before'][metric]['value'])}",
                delta_color="off",
                delta_arrow="off",
                border=True,
            )
    table = pd.DataFrame(
        {title: [_interval(metric, found[kind][metric]) for metric in METRICS] for kind, title in KINDS.items()},
        index=pd.Index(METRICS.values(), name="over sentences"),
    )
    with st.container(key="mitigate_numbers"):
        st.dataframe(table, key="mitigate_table")
    names, sentences = halved.names, halved.sentences
    typography.small_print(
        f"Names and sentences are split at random into halves, group by group: {counted(len(names.used), 'name')} to "
        f"average over and {len(names.measured):,} to measure, {counted(len(sentences.used), 'sentence')} to choose "
        f"how many names are enough and {len(sentences.measured):,} to measure. No model call is needed. A name is "
        "recognised if spaCy tags exactly that name as a person; otherwise the text keeps its own score, unless a "
        "later pronoun is found instead (ask the model below). Averaging removes the name's influence even where a "
        "name should matter."
    )


def _number(metric: str, value: float) -> str:
    return f"{100 * value:.1f} %" if metric == "flips" else f"{value:.3f}"


def _interval(metric: str, numbers: Mapping[str, float | None]) -> str:
    low, high = numbers["low"], numbers["high"]
    bounds = "" if low is None or high is None else f" ({_number(metric, low)} to {_number(metric, high)})"
    return f"{_number(metric, numbers['value'] or 0.0)}{bounds}"


def curves(halved: HeldOut, count: int) -> None:
    """What more names lose and gain, on the sentences that are not measured."""
    st.header("How many names are enough?", anchor=False)
    study, total = halved.study, len(halved.names.used)
    counts = [step for step in STEPS if step < total] + [total]
    chosen_on = mitigate.part(study.cube, sentences=halved.sentences.used, names=halved.names.used)
    table = mitigate.averaging_table(chosen_on, study.target.name, counts=counts, threshold=study.threshold)
    drawing = averaging_curves(table, chosen=count)
    st.vega_lite_chart(drawing.rows, drawing.spec, alt="Loss and list dependence by the number of names averaged over")
    typography.small_print(
        "With few names the score depends on which of them happened to be listed (dashed: standard deviation over all "
        "draws of that many names); with many it does not, and each text costs as many texts as there are names. Drawn "
        "from the half of the sentences that is not measured."
    )
    with exports.row():
        exports.csv_button(table, f"averaging.{study.target.name}.csv", key="averaging_csv")
        exports.picture_buttons(
            partial(drawing_svg, drawing),
            f"averaging.{study.target.name}",
            study.words(f"What averaging over more names loses and gains, {study.target.name}"),
            key="averaging_picture",
        )


def originals(halved: HeldOut, count: int) -> None:
    """What becomes of the original scores."""
    st.header("What becomes of the original scores?", anchor=False)
    study, trial = halved.study, halved.trial(count)
    before, _ = trial.before.scores(study.target.name)
    after, _ = trial.as_people.scores(study.target.name)
    changed = stats.labels_at(before, study.threshold) != stats.labels_at(after, study.threshold)
    table = pd.DataFrame({"before": before, "after": after, "changed": changed})
    table["text"] = trial.before.sentences["text"].to_numpy()
    drawing = original_scores(table, target=study.target.name)
    st.vega_lite_chart(drawing.rows, drawing.spec, alt="Original score of each sentence before and after averaging")
    typography.small_print("A point is a measured sentence as it is; on the dashed line nothing changes.")
    with exports.row():
        words = study.words(f"Original {study.target.name} before and after averaging over {counted(count, 'name')}")
        stem = f"averaged.{study.target.name}"
        exports.picture_buttons(partial(drawing_svg, drawing), stem, words, key="originals_picture")


def ask_the_model(halved: HeldOut, count: int) -> None:
    """Score some sentences with the name-averaged scorer itself, beside what follows from the study."""
    study = halved.study
    with st.expander("Ask the model itself, or use the scorer in your own code", icon=":material/verified:"):
        spec = study.cube.provenance.get("study", {})
        model = str(spec.get("model", ""))
        said_by = confirmed(study.run, model)
        if said_by is not None and st.button(
            f"Score {CHECKED_SENTENCES} sentences with the held-out names, averaged over names", key=Key.MITIGATE_CHECK
        ):
            with (
                shell.show_errors("The model of this study cannot be asked"),
                st.spinner("Asking the model", show_time=True),
            ):
                averaged = mitigate.NameAveraged(
                    cached.scorer(model, said_by),
                    tuple(study.cube.names["name"].iloc[halved.used(count)]),
                    mitigate.AlsoPeople(
                        cached.finder(str(spec.get("anchors", anchors.default()))), cached.finder(anchors.people())
                    ),
                )
                found = mitigate.check(
                    averaged, halved.trial(count).as_people, halved.perturbation, sentences=CHECKED_SENTENCES
                )
            typography.second(
                f"{found.texts:,} texts of {counted(found.sentences, 'sentence')}: two held-out names of one sentence "
                f"differ by at most {found.spread:.2g}, and the answers by at most {found.difference:.2g} from the "
                "above."
            )
        st.code(_example(model), language="python")


def confirmed(run: str, model: str) -> Origin | None:
    """On whose word the study's model may be loaded; what a file names has to be typed again by a person first."""
    said_by = permissions.origin_of(run, model)
    try:
        models.check(model, said_by)
        return said_by
    except PsaError:
        st.html(markup.plain("The model of this study is not loaded: what a file names is only a suggestion."))
    with shell.report_errors("It cannot be loaded on this page"):
        permissions.check(model)
    if not permissions.is_offered(model):
        return None
    typed = st.text_input(
        "Type the model id to confirm that it may be loaded",
        key=f"{Key.MITIGATE_MODEL} {run}",
        max_chars=300,
    )
    return permissions.origin() if typed.strip() == model else None


def _example(model: str) -> str:
    """Code to copy; a model that does more than compute is left to the reader, for the id may be a stranger's."""
    shown = model if permissions.is_harmless(model) else "the model's id"
    return (
        "from psa_core import anchors, mitigate, models\n\n"
        "finder = mitigate.AlsoPeople(*map(anchors.finder, (anchors.default(), anchors.people())))\n"
        f"scorer = mitigate.NameAveraged(models.load({shown!r}), ('Ann Lee', 'Bo Kim'), finder)\n"
        "scorer.score(['I like Ann Lee.', 'I like her.', 'I like Zoe Park.'])  # the same score three times"
    )
