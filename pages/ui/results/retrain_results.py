"""Mitigate → Retrain, when it is done: what each strength gains and costs; old and new classifier as studies."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from pages.ui.audits import audit_job
from pages.ui.audits.audit_job import AuditPage
from pages.ui.frame import exports, permissions, shell, state, typography, visitor
from pages.ui.frame.keys import Key
from pages.ui.results import context, side_by_side
from psa_core import jobs, report, stats
from psa_core.charts._altair import drawing_svg
from psa_core.charts.print.caption import Caption
from psa_core.charts.tradeoff import trade_off
from psa_core.errors import RunFolderError
from psa_core.folders import cube_file, manifest
from psa_core.inputs import json_file
from psa_core.retraining import AFTER, BEFORE, FILE
from psa_core.stats import Difference
from psa_core.tables.findings import Finding
from psa_core.tables.formatting import with_interval

COST = "Change of the sentences as they are"
TASK = "Macro-F1 on the labelled texts"
PRICES = {
    COST: "Right is the price: the classifier says something else of sentences whose name nobody changed.",
    TASK: "Left is the price: the classifier is worse at its own task.",
}
NEXT = ("names", "thresholds", "sentences", "compare")
OLD, NEW = "The classifier as it was", "The retrained one"
Content = dict[str, Any]


def read(folder: Path) -> Content:
    """What ``retraining.json`` of a result folder holds; raises `RunFolderError` when it is not there or damaged."""
    try:
        content: Content = json_file.read(folder / FILE)
        _check(content)
        return content
    except (OSError, ValueError, ArithmeticError, LookupError, TypeError, AttributeError) as error:
        raise RunFolderError("retraining", got="a damaged result", expected=FILE) from error


def _check(content: Content) -> None:
    """Make all that `show` makes of it; what is damaged raises on the way."""
    targets = [*content["strengths"][0]["targets"]]
    for target in targets:
        table = _table(content, target).astype(float)
        strengths = table["strength"].iloc[1:]
        if not manifest.TARGET["name"](target) or not np.isfinite(table.to_numpy()).all():
            raise ValueError(target)
        for strength in strengths:
            finding(content, target, strength)
            settings(content)
            _numbers(content, target, strength)
    if not targets or strengths.empty or strengths.duplicated().any():
        raise ValueError("no targets, no strength, or one twice")


def show(audit: AuditPage, folder: Path) -> None:
    """The curve, the strength that a person picks, its numbers, and both classifiers as studies."""
    content = read(folder)
    targets = list(content["strengths"][0]["targets"])
    target = str(st.selectbox("Score", targets, index=len(targets) - 1, key=audit.key("target")))
    table = _table(content, target)
    with shell.headline_slot() as slot:
        left, right = st.columns([3, 2], gap="large")
        with right:
            strength = _pick(audit, table)
            picked = folder / f"strength-{strength:g}"
            for title, value, before in _numbers(content, target, strength):
                st.metric(title, value, delta=before, delta_color="off", delta_arrow="off", border=True)
        with left:
            _curve(table, target, strength, TASK if content["strengths"][0]["task"] else COST)
        with slot:
            typography.finding(finding(content, target, strength, side_by_side.change(picked, target)))
            typography.small_print(settings(content))
    side_by_side.show(picked, target, key=audit.key("part"))
    _as_studies(audit, folder, strength, target)
    with st.container(horizontal=True):
        audit_job.ask_download(audit, folder)
        audit_job.ask_another(audit)
    _say_the_id(picked)


def _say_the_id(picked: Path) -> None:
    """How the retrained classifier is named where a model is asked for; where it lies only its owner is told."""
    own = side_by_side.model_of(picked)
    if str(picked.resolve()) in own and permissions.is_offered(own):
        typography.small_print("The retrained classifier, wherever a model is asked for:")
        st.code(own, language=None, wrap_lines=True)
        return
    adapter = f"{picked.name}/adapter"
    typography.small_print(
        f"The folder holds an adapter and a card for each strength. Use this one as minilm:FOLDER/{adapter}, or "
        f"hf:MODEL?adapter=FOLDER/{adapter}, wherever a model is asked for."
    )


def finding(content: Content, target: str, strength: float, shown: Difference | None = None) -> Finding:
    """What the picked strength gains, and at what price; `shown` is how sure one training's change is."""
    found = _of(content, strength)["targets"][target]
    dev, words = found["score_dev"], content["runs"][0]["material"]
    fall = dev["fall"]
    several = None not in (fall["low"], fall["high"])
    much = f"{100 * abs(fall['value']):.0f} % {'less' if fall['value'] >= 0 else 'more'}"
    unsure = fall["low"] <= 0 <= fall["high"] if several else shown is not None and not shown.p < stats.SIGNIFICANT
    moves = "is not shown to move less" if unsure else f"moves {much}"
    sure = "" if shown is None or several else f" It falls by {with_interval(shown._asdict(), 'value')} over sentences."
    seeds = "Means over several trainings." if several else "A single training run; results vary between runs."
    return Finding(
        f"Retrained with strength {strength:g}, {target} {moves} with names that training never saw; "
        f"{100 * found['labels_kept']['value']:.0f} % of the sentences keep their label.",
        f"ScoreDev {dev['before']['value']:.4f} becomes {dev['after']['value']:.4f} on {words['names_held_out']} names "
        f"and {words['sentences_held_out']:,} sentences that were only measured.{sure} Without a change of name the "
        f"scores move by {found['score_change']['value']:.4f} on average. {seeds}",
    )


def settings(content: Content) -> str:
    """What was trained, how, and on what."""
    recipe, words = content["recipe"], content["runs"][0]["material"]
    return (
        f"{content['study']['model']} · method {recipe['method']} · {recipe['steps']:,} steps · trained on "
        f"{words['sentences_trained']:,} sentences with {words['names_trained']} names"
    )


def _of(content: Content, strength: float) -> Content:
    by_strength: dict[float, Content] = {row["strength"]: row for row in content["strengths"]}
    return by_strength[strength]


def _table(content: Content, target: str) -> pd.DataFrame:
    """One row a strength, and strength 0: the classifier as it was."""
    rows, own = [], 0.0
    for row in content["strengths"]:
        found = row["targets"][target]
        dev, cost = found["score_dev"], found["score_change"]["value"]
        if row["task"]:
            cost, own = (row["task"]["macro_f1"][when]["value"] for when in ("after", "before"))
        after = dev["after"]
        low, high = (after["value"] if after[end] is None else after[end] for end in ("low", "high"))
        before = dev["before"]["value"]
        rows.append({"strength": row["strength"], "cost": cost, "score_dev": after["value"], "low": low, "high": high})
    first = {"strength": 0.0, "cost": own, "score_dev": before, "low": before, "high": before}
    return pd.DataFrame([first, *[row for row in rows if row["strength"] > 0]])


def _pick(audit: AuditPage, table: pd.DataFrame) -> float:
    strengths = table["strength"].iloc[1:].tolist()
    options = {"options": strengths, "key": audit.key("strength"), "format_func": lambda strength: f"{strength:g}"}
    return float(st.segmented_control("Strength", default=strengths[-1], required=True, **options))  # type: ignore[arg-type]


def _numbers(content: Content, target: str, strength: float) -> list[tuple[str, str, str | None]]:
    """Title, value after, and value before, of each number beside the curve."""
    found = _of(content, strength)["targets"][target]
    sizes = (("ScoreDev", found["score_dev"]), ("Mean size of a name's effect", found["name_effect"]))
    return [
        *(
            (f"{title}, held-out names", _four(size["after"]), f"before {_four(size['before'])}")
            for title, size in sizes
        ),
        ("Sentences that keep their label", f"{100 * found['labels_kept']['value']:.0f} %", None),
    ]


def _four(number: Content) -> str:
    return f"{number['value']:.4f}"


def _curve(table: pd.DataFrame, target: str, strength: float, cost: str) -> None:
    st.header("What does a strength gain, and what does it cost?", anchor=False)
    drawing = trade_off(table, chosen=strength, cost=cost)
    st.vega_lite_chart(drawing.rows, drawing.spec, alt=f"ScoreDev on held-out names against: {cost}")
    typography.small_print(
        f"Lower is better: names move the score less. {PRICES[cost]} Which point is best is for you to judge."
    )
    with exports.row():
        exports.csv_button(table, f"retraining.{target}.csv", key="retrain_csv")
        words = Caption(f"What retraining gains for {target} on held-out names, and what it costs", PRICES[cost])
        exports.picture_buttons(partial(drawing_svg, drawing), f"retraining.{target}", words, key="retrain_picture")


def _as_studies(audit: AuditPage, folder: Path, strength: float, target: str) -> None:
    """Both classifiers on the held-out cells, as studies for the other pages."""
    st.header("Look closer", anchor=False)
    key = f"{audit.key('studies')} {audit.run_id} {strength:g}"
    if key not in st.session_state:
        if not st.button("Open both as studies", key=audit.key("open"), icon=":material/compare_arrows:"):
            return
        with shell.show_errors("These studies cannot be opened"):
            st.session_state[key] = _kept(folder, strength)
    old, new = st.session_state[key]
    for run in (old, new):
        context.remember_run(run)
    picked = st.segmented_control(
        "Open", (NEW, OLD), default=NEW, required=True, key=f"{audit.key('which')} {strength:g}"
    )
    run = new if picked == NEW else old
    if state.view().run != run:
        state.choose(run=run, target=target)
        st.session_state[Key.COMPARE_RUNS] = [old, new]
        st.rerun()
    typography.second("The held-out sentences and names are open now. Compare has both classifiers.")
    shell.cards(NEXT)


def _kept(folder: Path, strength: float) -> tuple[str, str]:
    """Run ids of two new studies."""
    runs = []
    for file, words in ((BEFORE, "as it was"), (AFTER, f"retrained, strength {strength:g}")):
        run = jobs.keep(cube_file.load(folder / f"strength-{strength:g}" / file), report.render, visitor=visitor.key())
        jobs.give_title(run, words)
        runs.append(run)
    return runs[0], runs[1]
