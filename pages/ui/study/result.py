"""What a finished study shows: the verdict, the names that move most, three flips, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.ui.frame import cached, markup, permissions, shell, state, typography, visitor
from pages.ui.frame.keys import Key
from pages.ui.results import context, flip_card, measured
from pages.ui.results.context import StudyContext
from psa_core import jobs, tables
from psa_core.charts.bar_order import BarOptions
from psa_core.charts.score_sens import score_sens_bars
from psa_core.cube import Target
from psa_core.jobs import RunStatus
from psa_core.plurals import counted
from psa_core.tables import findings
from psa_core.tables.findings import Finding

SHOWN_ENDS = 6


def show(status: RunStatus, look_at: Sequence[str]) -> None:
    """Everything, without the sentences that readers left out."""
    study = context.finished(status.run_id, cached.cube(status.run_id))
    sentences, names, _ = study.cube.shape
    st.markdown(f"{counted(sentences, 'sentence')} × {counted(names, 'name')} = {counted(sentences * names, 'cell')}.")
    for target in study.cube.targets:
        say = typography.finding if target == study.target else typography.second
        say(_verdict(study, target))
    chart, flips = st.columns([7, 6], gap="large")
    with chart:
        _bars(study)
    with flips:
        st.header("Three labels that change with the name", anchor=False)
        flip_card.three(study)
    st.header("What next?", anchor=False)
    _another_model(status)
    shell.cards(look_at)


def _bars(study: StudyContext) -> None:
    st.header(f"What the names do to the {markup.literal(study.target.name)} score", anchor=False)
    table = measured.names_of(study, study.target)
    options = BarOptions(limit=SHOWN_ENDS, axis_title=f"Mean change of {study.target.name}", labels=study.labels)
    st.plotly_chart(
        score_sens_bars(table, options),
        key="result_bars",
        config={"displayModeBar": False},
        alt=str(_verdict(study, study.target)),
    )


def _verdict(study: StudyContext, target: Target) -> Finding:
    table = measured.names_of(study, target)
    shown = table.assign(name=table["name"].map(study.labels))
    return findings.name_finding(shown, target.name, baseline=tables.default_baseline(study.cube))


def _another_model(status: RunStatus) -> None:
    """One click: the same sentences, names and options, another model; both then stand in Compare."""
    spec = status.spec
    if spec is None or not jobs.has_inputs(status.run_id):
        return
    st.markdown("**Ask another model the same** – same sentences, names and options. *Compare* then shows both.")
    with st.container(horizontal=True, gap="small"):
        for card in cached.model_cards():
            if card.id != spec.model and card.targets:
                st.button(
                    card.title,
                    key=f"{Key.STUDY_AGAIN} {card.id}",
                    icon=":material/play_arrow:",
                    on_click=_run_with,
                    args=(status.run_id, card.id),
                )
    typography.small_print(
        "For another model, or scores from elsewhere: Set up another study keeps every choice; change step 4 only."
    )


def _run_with(run_id: str, model: str) -> None:
    with shell.report_errors("This study cannot be started"):
        said_by = max(permissions.origin(), jobs.origin_at(jobs.run_path(run_id)))
        again = jobs.submit_with(run_id, model, origin=said_by, visitor=visitor.key())
        context.remember_run(run_id)
        state.choose(run=again)
