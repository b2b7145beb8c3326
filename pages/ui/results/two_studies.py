"""Two studies on the same cells: a metric tested, names against each other, the cells they disagree on most."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from pages.ui.frame import clicks, exports, markup, shell, shown_names, typography
from pages.ui.frame.keys import Key
from pages.ui.results.compare_studies import Compared
from pages.ui.results.compare_view import IN_PARTS, titled
from pages.ui.results.context import StudyContext
from psa_core import stats
from psa_core.charts._altair import drawing_svg
from psa_core.charts.comparison import name_scatter
from psa_core.charts.print.caption import Caption
from psa_core.cube import ScoreCube, Target
from psa_core.errors import PsaError
from psa_core.plurals import counted, verb
from psa_core.study import perturbation_of
from psa_core.study.perturbation import Perturbation
from psa_core.tables import findings, replicability
from psa_core.tables.pairs import SharedCells, disagreements, metric_differences, name_agreement, shared_cells

SHOWN_CELLS, MIN_NAMES = 100, 3
#: Of a score's range: with less between them two studies agree.
ALIKE = 0.001
SCATTER = "compare_scatter"
Choice = tuple[Compared, Target]


def show(study: StudyContext, studies: list[Compared], table: pd.DataFrame, metric: str) -> None:
    """Two studies on the same cells: the metric tested, names against each other, the cells that differ most."""
    st.header("Two models, same sentences", anchor=False)
    choices = {f"{c.label} · {target.name}": (c, target) for c in studies for target in c.cube.targets}
    if len(choices) < 2:
        typography.second(
            "For this, run the same sentences and names with a second model on the Study page, or add the study of a "
            "model before and after a change."
        )
        shell.link("study", "Run another model")
        return
    first, second = _ask_pair(study, choices)
    if second is None:
        typography.second(
            f"{_lacking(choices, first)} Add one above, run the same sentences and names with another model, or choose "
            "what to compare it with."
        )
        shell.link("study", "Run another model")
        return
    (left, left_target), (right, right_target) = choices[first], choices[second]
    titles = (_brief(*choices[first]), _brief(*choices[second]))
    targets = (left_target.name, right_target.name)
    if agreement := replicability.order_in_both(left.cube, right.cube, targets):
        typography.second(replicability.agreement_finding(agreement))
    try:
        shared = shared_cells(left.cube, right.cube)
    except PsaError as error:
        typography.second(f"These two cannot be compared. {error.told}")
        return
    _warn(shared, (left_target, right_target))
    thresholds = table.set_index(["run", "target"])["threshold"]
    differences = metric_differences(
        shared, targets, thresholds=(thresholds[left.run, targets[0]], thresholds[right.run, targets[1]])
    )
    _tested(differences, metric, titles=titles)
    _names_against(study, shared, targets, titles=titles)
    _cells(study, shared, targets, titles=titles)


def _tested(differences: pd.DataFrame, metric: str, *, titles: tuple[str, str]) -> None:
    """Whether the chosen metric differs between the two, in a sentence."""
    row = differences.set_index("metric").loc[metric].copy()
    if metric in IN_PARTS:
        row[["first", "second", "difference", "low", "high"]] *= 100
    typography.second(findings.difference_finding(row, titled(metric) + "," * (metric in IN_PARTS), titles))


def _ask_pair(study: StudyContext, choices: dict[str, Choice]) -> tuple[str, str | None]:
    """The chosen target of the open study and, at first, the same target of another study; None where none has it."""
    names = list(choices)
    own = next((n for n, (c, t) in choices.items() if c.run == study.run and t.name == study.target.name), names[0])
    _reset(Key.COMPARE_FIRST, own, when=(study.target.name, *names))
    columns = st.columns(2)
    first = str(columns[0].selectbox("First", names, key=Key.COMPARE_FIRST))
    _reset(Key.COMPARE_SECOND, _partner(choices, first), when=(first, *names))
    second = columns[1].selectbox("Second", names, index=None, key=Key.COMPARE_SECOND, placeholder="Choose a study")
    return first, second


def _reset(key: str, value: str | None, *, when: tuple[str, ...]) -> None:
    """Put a choice back to a value whenever what it was chosen from has changed."""
    if st.session_state.get(f"{key} of") != when or key not in st.session_state:
        st.session_state[key] = value
    st.session_state[f"{key} of"] = when


def _partner(choices: dict[str, Choice], first: str) -> str | None:
    """The same target of another study that shares sentences and names with it, rather one of another model."""
    one, _ = choices[first]
    others = [name for name in _same_target(choices, first) if _share_enough(one.cube, choices[name][0].cube)]
    return max(others, key=lambda name: _model(choices[name][0].cube) != _model(one.cube), default=None)


def _same_target(choices: dict[str, Choice], first: str) -> list[str]:
    one, target = choices[first]
    return [name for name, (c, t) in choices.items() if c.run != one.run and t.name == target.name]


def _share_enough(first: ScoreCube, second: ScoreCube) -> bool:
    """Whether two studies have a sentence and the names of a correlation in common."""
    sentences, names = (
        frozenset(one) & frozenset(two)
        for one, two in (
            (first.sentences["text"], second.sentences["text"]),
            (first.names["name"], second.names["name"]),
        )
    )
    return bool(sentences) and len(names) >= MIN_NAMES


def _lacking(choices: dict[str, Choice], first: str) -> str:
    """Why no study stands beside the first one."""
    target = choices[first][1].name
    if _same_target(choices, first):
        return f"No other study here has the target {target} for enough of the same sentences and names."
    return f"No other study here has the target {target}."


def _model(cube: ScoreCube) -> str:
    return str(cube.provenance.get("study", {}).get("model", ""))


def _warn(shared: SharedCells, targets: tuple[Target, Target]) -> None:
    """Say where the two studies differ in sentences, names or scale, so that no difference is taken for the models'."""
    words = [
        f"only {counted(len(matched), noun)} {verb(len(matched), 'are', 'is')} in both "
        f"({one:,} in the first, {two:,} in the second)"
        for matched, noun, one, two in (
            (shared.sentences, "sentence", shared.first.shape[0], shared.second.shape[0]),
            (shared.names, "name", shared.first.shape[1], shared.second.shape[1]),
        )
        if not len(matched) == one == two
    ]
    if targets[0].name != targets[1].name:
        words.append(f"{targets[0].name} and {targets[1].name} are different targets")
    elif (targets[0].low, targets[0].high) != (targets[1].low, targets[1].high):
        words.append("the two scores have different ranges")
    if words:
        st.html(markup.spoken(f"These studies differ: {'; '.join(words)}. What follows is about what they share."))


def _names_against(
    study: StudyContext, shared: SharedCells, targets: tuple[str, str], *, titles: tuple[str, str]
) -> None:
    agreement = name_agreement(shared, targets)
    words = _agreement_words(shared, stats.pearson(agreement["first"], agreement["second"]))
    typography.second(words)
    drawing = name_scatter(
        agreement, titles=titles, selected=study.seen.names, labels=shown_names.labels_of(agreement["name"].tolist())
    )
    st.vega_lite_chart(
        drawing.rows, drawing.spec, key=SCATTER, on_select=partial(clicks.toggle_names, SCATTER), alt=words
    )
    with exports.row():
        picture = Caption("Effects of the names in two studies", words, " against ".join(titles))
        exports.picture_buttons(partial(drawing_svg, drawing), "two-studies", picture, key="scatter_picture")


def _brief(compared: Compared, target: Target) -> str:
    return f"{compared.brief} · {target.name}"


def _agreement_words(shared: SharedCells, r: stats.Correlation) -> str:
    cells = f"{counted(len(shared.sentences), 'sentence')} and {counted(len(shared.names), 'name')} in common"
    if r.reason:
        return f"With {cells}, no correlation can be computed: {r.reason}."
    words = f"{r.r:+.2f}".replace("-", "−")
    bounds = "" if pd.isna(r.low) else f" (95 % interval {r.low:+.2f} to {r.high:+.2f})".replace("-", "−")
    return f"With {cells}, the two studies' effects of names correlate with r = {words}{bounds}."


def _cells(study: StudyContext, shared: SharedCells, targets: tuple[str, str], *, titles: tuple[str, str]) -> None:
    found = disagreements(shared, targets, limit=SHOWN_CELLS)
    if found["disagreement"].max() < ALIKE:
        typography.second("The two agree everywhere to within 0.1 % of the score range.")
        return
    columns = (titles[0], titles[1] + (" " if titles[0] == titles[1] else ""))
    st.markdown("**Where they disagree most**, as changes from the original score, in % of each score's range")
    st.dataframe(
        _cell_rows(found, _shown_texts(shared.first), columns),
        hide_index=True,
        column_config={
            **dict.fromkeys(columns, st.column_config.NumberColumn(format="%+.1f")),
            "apart": st.column_config.NumberColumn(format="%.1f"),
            "sentence": st.column_config.TextColumn(width="large"),
        },
        alt="Cells sorted by disagreement of the two studies",
    )
    exports.csv_button(
        _cell_rows(found, perturbation_of(shared.first), columns), "disagreements.csv", key="disagreements_csv"
    )


def _shown_texts(cube: ScoreCube) -> Perturbation:
    """The texts as they are shown: with other words for the names while those are hidden."""
    texts = perturbation_of(cube)
    labels = shown_names.labels_of(texts.names)
    return replace(texts, names=tuple(labels[name] for name in texts.names))


def _cell_rows(found: pd.DataFrame, texts: Perturbation, columns: tuple[str, str]) -> pd.DataFrame:
    cells = zip(found["sentence_position"], found["name_position"], strict=True)
    return pd.DataFrame(
        {
            "sentence": [texts.text(int(s), int(n)) for s, n in cells],
            columns[0]: 100 * found["first"],
            columns[1]: 100 * found["second"],
            "apart": 100 * found["disagreement"],
        }
    )
