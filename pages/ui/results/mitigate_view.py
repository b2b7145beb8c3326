"""The parts of Mitigate: how many names, before and after, what it costs and loses, the model itself asked."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from pages.ui.frame import cached, exports, markup, offered, said, shell
from pages.ui.frame.keys import Key
from pages.ui.results import opened
from pages.ui.results.opened import Opened
from psa_core import mitigate, models, stats
from psa_core.charts._altair import drawing_svg
from psa_core.charts.mitigation import averaging_curves, original_scores
from psa_core.cube import ScoreCube
from psa_core.errors import PsaError
from psa_core.tables import findings
from psa_core.tables.findings import Finding
from psa_core.trust import Origin

STEPS = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 500)
CHECKED_SENTENCES = 10
METRICS = {"score_dev": "ScoreDev", "score_range": "ScoreRange", "label_dist": "LabelDist", "flips": "Cells that flip"}


def ask_count(study: Opened) -> int:
    """How many names to average over."""
    total = study.cube.shape[1]
    options = [step for step in STEPS if step < total] + [total]
    return int(
        st.select_slider(
            "Names averaged over",
            options,
            value=total,
            key=f"{Key.MITIGATE_COUNT} {total}",
            format_func=lambda count: f"all {count}" if count == total else str(count),
            help="All names of the list are recognised; this many of them, drawn at random, are averaged over.",
        )
    )


def averaged(study: Opened, count: int) -> ScoreCube:
    """The cube of the name-averaged scorer."""
    return mitigate.averaged_cube(study.cube, mitigate.drawn_names(study.cube, count))


def verdict(study: Opened, count: int) -> None:
    """What averaging does, what it costs and what it loses, in words."""
    after_cube = averaged(study, count)
    lost = mitigate.loss(study.cube, after_cube, study.target.name, threshold=study.threshold)
    before = opened.summary(study)[study.target.name]["score_dev"]["value"]
    after = opened.averaged_summary(study, count)[study.target.name]["score_dev"]["value"]
    over = f"all {count}" if count == study.cube.shape[1] else str(count)
    cost = "1 text" if count == 1 else f"{count:,} texts"
    said.finding(
        Finding(
            f"Averaged over {over} names, {study.target.name} no longer depends on which listed name a sentence has. "
            f"It costs {cost} for each one.",
            f"ScoreDev, {findings.METRIC_MEANS['ScoreDev']}: {before:.3f} becomes {after:.3f}. The original scores "
            f"move by {lost.score_change:.3f} on average, and {lost.labels_changed:,} of {study.cube.shape[0]:,} "
            "original labels change.",
        )
    )


def before_and_after(study: Opened, count: int) -> None:
    """The corpus metrics of the model and of its name-averaged form, side by side."""
    before = opened.summary(study)[study.target.name]
    after = opened.averaged_summary(study, count)[study.target.name]
    for column, (metric, title) in zip(st.columns(len(METRICS)), METRICS.items(), strict=True):
        labels = f" at {study.threshold:g}" if "threshold" in before[metric] else ""
        form = (lambda value: f"{100 * value:.1f} %") if metric == "flips" else (lambda value: f"{value:.3f}")
        column.metric(
            title + labels,
            form(after[metric]["value"]),
            delta=f"before {form(before[metric]['value'])}",
            delta_color="off",
            delta_arrow="off",
            border=True,
        )
    said.small_print(
        "Measured again without a model call: every text that the name-averaged scorer asks for is a cell of this "
        "study already. It recognises the names of the list; a name that is on no list keeps its own score. Averaging "
        "takes the name's influence out, also where a name should matter."
    )


def curves(study: Opened, count: int) -> None:
    """What more names lose and gain."""
    st.subheader("How many names are enough?", anchor=False)
    total = study.cube.shape[1]
    counts = [step for step in STEPS if step < total] + [total]
    table = mitigate.averaging_table(study.cube, study.target.name, counts=counts, threshold=study.threshold)
    drawing = averaging_curves(table, chosen=count)
    st.vega_lite_chart(drawing.rows, drawing.spec, alt="Loss and list dependence by the number of names averaged over")
    said.small_print(
        "With few names the score depends on which of them happened to be listed (dashed: standard deviation over all "
        "draws of that many names); with many it does not, and each text costs as many texts as there are names."
    )
    with exports.row():
        exports.csv_button(table, f"averaging.{study.target.name}.csv", key="averaging_csv")
        exports.picture_buttons(
            partial(drawing_svg, drawing), f"averaging.{study.target.name}", key="averaging_picture"
        )


def originals(study: Opened, count: int) -> None:
    """What becomes of the original scores."""
    st.subheader("What becomes of the original scores?", anchor=False)
    before, _ = study.cube.of(study.target.name)
    after, _ = averaged(study, count).of(study.target.name)
    changed = stats.labels_at(before, study.threshold) != stats.labels_at(after, study.threshold)
    table = pd.DataFrame({"before": before, "after": after, "changed": changed})
    table["text"] = study.cube.sentences["text"].to_numpy()
    drawing = original_scores(table, target=study.target.name)
    st.vega_lite_chart(drawing.rows, drawing.spec, alt="Original score of each sentence before and after averaging")
    said.small_print("A point is a sentence as it is; on the dashed line nothing changes.")
    with exports.row():
        exports.picture_buttons(partial(drawing_svg, drawing), f"averaged.{study.target.name}", key="originals_picture")


def ask_the_model(study: Opened, count: int) -> None:
    """Score some sentences with the name-averaged scorer itself, beside what follows from the study."""
    with st.expander("Ask the model itself, or use the scorer in your own code", icon=":material/verified:"):
        spec = study.cube.provenance.get("study", {})
        model = str(spec.get("model", ""))
        names = mitigate.drawn_names(study.cube, count)
        said_by = _confirmed(study.run, model)
        if said_by is not None and st.button(
            f"Score {CHECKED_SENTENCES} sentences again, averaged over names", key=Key.MITIGATE_CHECK
        ):
            with shell.mending("The model of this study cannot be asked"), st.spinner("Asking the model"):
                averaged = mitigate.NameAveraged(
                    cached.scorer(model, said_by),
                    names,
                    cached.finder(str(spec.get("anchors", "pronouns"))),
                    recognised=tuple(study.cube.names["name"]),
                )
                found = mitigate.check(averaged, study.cube, opened.perturbation(study), sentences=CHECKED_SENTENCES)
            said.second(
                f"{found.texts:,} texts of {found.sentences} sentences: two names of one sentence differ by at most "
                f"{found.spread:.2g}, and the answers by at most {found.difference:.2g} from the study's."
            )
        st.code(_example(model), language="python")


def _confirmed(run: str, model: str) -> Origin | None:
    """On whose word the study's model may be loaded; what a file names has to be typed again by a person first."""
    said_by = offered.origin_of(run, model)
    try:
        models.check(model, said_by)
        return said_by
    except PsaError as error:
        why = str(error)
    st.html(markup.plain(f"The model of this study is not loaded. {why}"))
    if not offered.is_offered(model):
        return None
    typed = st.text_input(
        "The model's id, typed by you: the study's file names it, and you say that it may be loaded",
        key=f"{Key.MITIGATE_MODEL} {run}",
        max_chars=300,
    )
    return offered.origin() if typed.strip() == model else None


def _example(model: str) -> str:
    """Code to copy; a model that does more than compute is left to the reader, for the id may be a stranger's."""
    shown = model if offered.is_harmless(model) else "the model's id"
    return (
        "from psa_core import anchors, mitigate, models\n\n"
        f"scorer = mitigate.NameAveraged(models.load({shown!r}), ('Ann Lee', 'Bo Kim'), anchors.finder('pronouns'))\n"
        "scorer.score(['I like Ann Lee.', 'I like her.'])  # the same score twice"
    )
