"""Overview on one page: the finding, groups, three sentences, possible reasons, and what to do next."""

from __future__ import annotations

import streamlit as st

from pages.ui.frame import address, cached, controls, shell, state, typography, visitor
from pages.ui.frame.keys import Key
from pages.ui.frame.typography import in_words
from pages.ui.results import context, flip_card, groups_view, names_view, why_view
from pages.ui.results.context import StudyContext
from psa_core import jobs, tables
from psa_core.claims import answers, comparison, reasons
from psa_core.claims.formatting import Finding, too_few_in
from psa_core.claims.groups import group_finding
from psa_core.errors import PsaError
from psa_core.jobs import RunStatus
from psa_core.tables import pairs
from psa_core.tables.factors import factor_regression, first_choice
from psa_core.tables.groups import CELLS

SHOWN_ENDS = 5
NEXT = ("sentences", "compare", "report")


def show(status: RunStatus) -> None:
    """The whole page for a run that has finished."""
    study = context.need_study()
    controls.target_picker(study.cube)
    is_enough = not too_few_in(study.cube)  # else the banner says so, and nothing needs to say it again
    with shell.show_errors():
        if missing := answers.unanswered_finding(study.cube, study.target.name, labels=study.labels):
            typography.second(missing)
        if study.do_names_differ:
            _finding(study, is_enough)
            if is_enough:
                _groups(study)
        else:
            typography.finding(study.corpus_finding().headline)
        if study.do_names_differ or len(study.flips()):
            _sentences(study)
        if study.do_names_differ and is_enough:
            _because(study)
    st.header("What to do", anchor=False)
    shell.cards(NEXT)
    _another_model(status)


def _finding(study: StudyContext, is_enough: bool) -> None:
    """The name with the largest effect, its evidence, and whether the ranking replicates."""
    name = study.target.name
    with shell.headline_slot() as slot:
        table = study.names(baseline=study.baseline)
        found = study.name_finding(table, study.baseline)
        if is_enough:
            with slot:
                typography.finding(found.headline)
    words, chart = st.columns([6, 7], gap="large")
    with words:
        typography.second(found.evidence)
        _with_evidence(study.corpus_finding())
        if is_enough:
            _with_evidence(comparison.replicability_finding(study.compute(pairs.order_replicability), name))
        shell.link("names", "Every name, with its interval")
    with chart:
        figure = names_view.few_bars(study, table, SHOWN_ENDS)
        st.plotly_chart(figure, key="overview_bars", config={"displayModeBar": False}, alt=str(found))
        typography.small_print("Whiskers: 95 % interval over sentences. * and full colour: significant at 5 %.")


def _with_evidence(found: Finding) -> None:
    """A finding with its evidence visible: nobody should have to open anything to see how certain it is."""
    typography.second(found.headline)
    if found.evidence:
        typography.small_print(found.evidence)


def _groups(study: StudyContext) -> None:
    """The finding for each group column, and the chart of the most significant one."""
    by_column, drawn = groups_view.by_column(study)
    if not by_column:
        return
    st.header("Groups of names", anchor=False)
    name = study.target.name
    words, chart = st.columns([6, 7], gap="large")
    with words:
        for column, table in by_column.items():
            _with_evidence(group_finding(table, name, column=column))
        asked = study.cube.asked.get("groups")
        if asked in tables.crossings([*by_column], study.cube.names):
            options = {"reference": study.cube.asked.get("reference") or "", "baseline": study.baseline}
            crossed = study.compute_slowly(tables.crossing_table, columns=asked, correction="holm", **options)
            _with_evidence(group_finding(crossed[crossed["part"] == CELLS], name, column=asked))
    with chart:
        groups_view.chart(by_column[drawn])


def _sentences(study: StudyContext) -> None:
    """In how many sentences a label changes, with three examples."""
    st.header("Changed labels", anchor=False)
    _with_evidence(study.sentence_finding())
    flip_card.examples(study)
    shell.link("sentences", "Every changed label")


def _because(study: StudyContext) -> None:
    """The part of the name with the largest effect that explains it, and what is associated with the names' effects."""
    st.header("Because", anchor=False)
    why_view.because(study)
    try:
        why = study.compute_slowly(factor_regression, factors=tuple(first_choice(study.cube)))
        typography.second(reasons.why_finding(why, study.target))
    except PsaError as error:
        typography.second(error.full_message)
    words = in_words("Which parts, factors and sentences")
    if st.button(words, type="tertiary", icon=":material/help:", key="overview_why"):
        address.linked(Key.NAMES_PART, "names", ("names", "why"))
        address.put(Key.NAMES_PART, "why")
        shell.go_to("names")


def _another_model(status: RunStatus) -> None:
    """Run the same sentences, names and options with another model; both then appear in Compare."""
    spec = status.spec
    if spec is None or not jobs.has_inputs(status.run_id):
        return
    titles = {card.id: card.title for card in cached.model_cards() if card.id != spec.model and card.targets}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words = "Ask another model the same"
        model = st.selectbox(words, titles, format_func=titles.get, key="study_other_model", width=360)
        st.button("Run", icon=":material/play_arrow:", key="run_again", on_click=_run_with, args=(status, model))


def _run_with(status: RunStatus, model: str) -> None:
    with shell.report_errors("This study cannot be started"):
        origin = max(visitor.origin(), status.origin)
        new_run = jobs.submit_with(status.run_id, model, origin=origin, visitor=visitor.key())
        context.remember_run(status.run_id)
        state.choose(run=new_run)
