"""Compare → Retrain, when it is done: what each strength gains and costs; old and new classifier side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from pages.ui.audits import frame
from pages.ui.audits.frame import AuditPage
from pages.ui.frame import controls, exports, shell, state, typography, visitor
from pages.ui.frame.keys import Key
from pages.ui.results import context
from psa_core import jobs, report
from psa_core.charts.caption import Caption
from psa_core.charts.intervals import MAX_NAMES, WHENS, name_changes
from psa_core.charts.label_dist import CurveOptions, label_dist_figure
from psa_core.charts.scatter import trade_off
from psa_core.claims import mitigation
from psa_core.cube import ScoreCube
from psa_core.errors import RunFolderError
from psa_core.folders import cube_file, manifest
from psa_core.inputs import json_file
from psa_core.retraining import AFTER, BEFORE, FILE
from psa_core.tables import label_dist_table
from psa_core.tables.pairs import names_before_after, sentences_before_after, spread_change

COST = "Change of the sentences as they are"
TASK = "Macro-F1 on the labelled texts"
PRICES = {
    COST: "Right is the price: the classifier says something else of sentences whose name nobody changed.",
    TASK: "Left is the price: the classifier is worse at its own task.",
}
NEXT = ("names", "thresholds", "sentences", "compare")
OLD, NEW = "The classifier as it was", "The retrained one"
NAMES, THRESHOLDS, SENTENCES = "Names", "Thresholds", "Sentences"
COLUMNS = {
    "text": "sentence",
    "spread_before": f"spread {WHENS[0]}",
    "spread_after": f"spread {WHENS[1]}",
    "flips_before": f"flips {WHENS[0]}",
    "flips_after": f"flips {WHENS[1]}",
}
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
    """Build everything that `show` needs, so that a damaged folder raises here."""
    targets = [*content["strengths"][0]["targets"]]
    for target in targets:
        table = _table(content, target).astype(float)
        strengths = table["strength"].iloc[1:]
        if not manifest.TARGET["name"](target) or not np.isfinite(table.to_numpy()).all():
            raise ValueError(target)
        for strength in strengths:
            _finding(content, target, strength)
            settings(content)
            _numbers(content, target, strength)
    if not targets or strengths.empty or strengths.duplicated().any():
        raise ValueError("no targets, no strength, or one twice")


def show(audit: AuditPage, folder: Path) -> None:
    """The trade-off curve, the chosen strength, its numbers, and both classifiers as studies."""
    content = read(folder)
    targets = list(content["strengths"][0]["targets"])
    target = str(st.selectbox("Score", targets, index=len(targets) - 1, key=audit.key("target")))
    table = _table(content, target)
    with shell.headline_slot() as slot:
        left, right = st.columns([3, 2], gap="large")
        with right:
            strengths = table["strength"].iloc[1:].tolist()
            how = {"default": strengths[-1], "required": True, "format_func": "{:g}".format}
            strength = float(st.segmented_control("Strength", strengths, key=audit.key("strength"), **how))
            picked = folder / f"strength-{strength:g}"
            for title, value, before in _numbers(content, target, strength):
                st.metric(title, value, delta=before, delta_color="off", delta_arrow="off", border=True)
        with left:
            cost = TASK if content["strengths"][0]["task"] else COST
            st.header("What does a strength gain, and what does it cost?", anchor=False)
            title = f"What retraining gains for {target} on held-out names, and what it costs"
            exports.figure(
                trade_off(table, chosen=strength, cost=cost),
                alt=f"ScoreDev on held-out names against: {cost}",
                note=f"Lower is better: names move the score less. {PRICES[cost]} Which point is best is for you to "
                "judge.",
                stem=f"retraining.{target}",
                words=Caption(title, PRICES[cost]),
                key="retrain",
                table=table,
            )
        with slot:
            cells = _both(picked)
            typography.finding(_finding(content, target, strength, spread_change(*cells, target)))
            typography.small_print(settings(content))
    st.header("Side by side", anchor=False)
    parts = {NAMES: _names, THRESHOLDS: _thresholds, SENTENCES: _sentences}
    options = {"default": NAMES, "required": True, "key": audit.key("part"), "label_visibility": "collapsed"}
    parts[str(st.segmented_control("Part", list(parts), **options))](*cells, target)
    _as_studies(audit, cells, strength, target)
    frame.end(audit, folder)
    _say_the_id(picked, str(cells[1].asked.get("model", "")))


def _say_the_id(picked: Path, own: str) -> None:
    """The model id of the retrained classifier; its path is shown only to the owner."""
    if str(picked.resolve()) in own and visitor.is_offered(own):
        typography.small_print("The retrained classifier, wherever a model is asked for:")
        st.code(own, language=None, wrap_lines=True)
        return
    adapter = f"{picked.name}/adapter"
    typography.small_print(
        f"The folder holds an adapter and a card for each strength. Use this one as minilm:FOLDER/{adapter}, or "
        f"hf:MODEL?adapter=FOLDER/{adapter}, wherever a model is asked for."
    )


def _finding(content: Content, target: str, strength: float, shown: Any = None) -> mitigation.Finding:
    found, material = _of(content, target, strength), content["runs"][0]["material"]
    return mitigation.retraining_finding(found, material, target, strength=strength, shown=shown)


def settings(content: Content) -> str:
    """What was trained, how, and on what."""
    recipe, words = content["recipe"], content["runs"][0]["material"]
    return (
        f"{content['study']['model']} · method {recipe['method']} · {recipe['steps']:,} steps · trained on "
        f"{words['sentences_trained']:,} sentences with {words['names_trained']} names"
    )


def _of(content: Content, target: str, strength: float) -> Content:
    by_strength = {row["strength"]: row["targets"][target] for row in content["strengths"]}
    found: Content = by_strength[strength]
    return found


def _table(content: Content, target: str) -> pd.DataFrame:
    """One row per strength; strength 0 is the original classifier."""
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


def _numbers(content: Content, target: str, strength: float) -> list[tuple[str, str, str | None]]:
    """Title, value after, and value before, of each number beside the curve."""
    found = _of(content, target, strength)
    sizes = {"ScoreDev": found["score_dev"], "Mean size of a name's effect": found["name_effect"]}
    told = [
        (f"{title}, held-out names", f"{size['after']['value']:.4f}", f"before {size['before']['value']:.4f}")
        for title, size in sizes.items()
    ]
    return [*told, ("Sentences that keep their label", f"{100 * found['labels_kept']['value']:.0f} %", None)]


def _as_studies(audit: AuditPage, cells: tuple[ScoreCube, ScoreCube], strength: float, target: str) -> None:
    """Both classifiers on the held-out cells, as studies for the other pages."""
    st.header("Look closer", anchor=False)
    key = f"{audit.key('studies')} {audit.run_id} {strength:g}"
    if key not in st.session_state:
        if not st.button("Open both as studies", key=audit.key("open"), icon=":material/compare_arrows:"):
            return
        with shell.show_errors("These studies cannot be opened"):
            titles = ("as it was", f"retrained, strength {strength:g}")
            st.session_state[key] = tuple(map(_kept, cells, titles))
    old, new = st.session_state[key]
    for run in (old, new):
        context.remember_run(run)
    which = f"{audit.key('which')} {strength:g}"
    run = new if st.segmented_control("Open", (NEW, OLD), default=NEW, required=True, key=which) == NEW else old
    if state.view().run != run:
        state.choose(run=run, target=target)
        st.session_state[Key.COMPARE_RUNS] = [old, new]
        st.rerun()
    typography.second("The held-out sentences and names are open now. Compare has both classifiers.")
    shell.cards(NEXT)


def _kept(cube: ScoreCube, title: str) -> str:
    run = jobs.keep(cube, report.render, visitor=visitor.key())
    jobs.give_title(run, title)
    return run


def _both(folder: Path) -> tuple[ScoreCube, ScoreCube]:
    """The held-out cells; raises `RunFolderError` if a file is missing, damaged or of another study."""
    try:
        before, after = (_cube(str(folder / file), (folder / file).stat().st_mtime_ns) for file in (BEFORE, AFTER))
    except OSError as error:
        raise RunFolderError("retraining", got=f"no cells in {folder.name}", expected=f"{BEFORE}, {AFTER}") from error
    if before.shape != after.shape:
        raise RunFolderError("retraining", got=f"other cells in {AFTER}", expected=f"those of {BEFORE}")
    return before, after


@st.cache_data(max_entries=8, show_spinner="Opening the held-out cells", show_time=True)
def _cube(place: str, stamp: int) -> ScoreCube:
    return cube_file.load(Path(place))


def _names(before: ScoreCube, after: ScoreCube, target: str) -> None:
    table = names_before_after(before, after, target)
    sizes = table[["before", "after"]].abs().mean()
    found = (
        f"A held-out name moves {target} by {sizes['before']:.4f} on average against the other names as it was, and by "
        f"{sizes['after']:.4f} retrained."
    )
    typography.second(found)
    some = f"The {MAX_NAMES} names with the largest effects as it was; the download has all {len(table)}."
    exports.figure(
        name_changes(table, labels=controls.labels_of(before.names["name"].astype(str).tolist())),
        alt=f"Effect of each held-out name on {target}, before and after",
        note=some if len(table) > MAX_NAMES else "",
        stem=f"names.{target}",
        words=Caption(f"Effect of each held-out name on {target}, before and after retraining", found),
        key="side_names",
        table=table,
    )


def _thresholds(before: ScoreCube, after: ScoreCube, target: str) -> None:
    tables = [label_dist_table(cube, target, interval=False) for cube in (before, after)]
    threshold = before.targets[before.target_index(target)].default_threshold
    means = [float(table["label_dist"].mean()) for table in tables]
    typography.second(
        f"Over all thresholds, LabelDist is {means[0]:.3f} on average as it was and {means[1]:.3f} retrained."
    )
    options = CurveOptions(
        threshold=threshold, curves={WHENS[0]: tables[0]["label_dist"].to_numpy()}, target=target, mean=WHENS[1]
    )
    st.plotly_chart(
        label_dist_figure(tables[1].assign(low=np.nan, high=np.nan), options),
        key="side_thresholds",
        config={"displaylogo": False, "modeBarButtonsToRemove": ["toImage"]},
        alt=f"LabelDist of {target} over the threshold, before and after",
    )
    both = tables[0].merge(tables[1], on="threshold", suffixes=("_before", "_after"))
    exports.csv_button(both, f"label_dist.{target}.csv", key="side_thresholds_csv")
    typography.small_print(
        "Above: LabelDist, the mean over names. Below: the retrained classifier's flips by direction."
    )


def _sentences(before: ScoreCube, after: ScoreCube, target: str) -> None:
    threshold = before.targets[before.target_index(target)].default_threshold
    table = sentences_before_after(before, after, target, threshold=threshold)
    flips = table[["flips_before", "flips_after"]].sum()
    typography.second(
        f"Of {before.shape[0] * before.shape[1]:,} held-out cells {flips['flips_before']:,} change the label at "
        f"{threshold:g} as it was, and {flips['flips_after']:,} retrained."
    )
    shown: pd.DataFrame = table[list(COLUMNS)].rename(columns=COLUMNS)
    heads = {COLUMNS["text"]: exports.head(COLUMNS["text"], "medium")}
    exports.table(shown, "Spread and flips of each sentence", heads, key="side_sentences")
    typography.small_print(
        "Spread: standard deviation of a sentence's score over the held-out names. Flips: names with which it has "
        "another label than as it is."
    )
    exports.csv_button(table, f"sentences.{target}.csv", key="side_sentences_csv")
