"""Which studies Compare looks at: the open one, those of the session and the link, and what is on this machine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath

import streamlit as st

from pages.ui.frame import cached, shell
from pages.ui.frame.keys import Key
from pages.ui.results import opened
from pages.ui.results.opened import Opened
from psa_core import jobs
from psa_core.cube import ScoreCube
from psa_core.errors import PsaError

PARAMETER = "with"
MOST_RUNS = 12
RUN_IN_TEXT = re.compile(r"(?:^|run=)([A-Za-z0-9_-]{16,32})(?:$|&|\s)")


@dataclass(frozen=True, eq=False)
class Compared:
    """One study that is compared."""

    run: str
    label: str
    cube: ScoreCube


def ask_studies(study: Opened) -> list[Compared]:
    """The studies of this session, those of the link, and any other by its link."""
    _take_from_link()
    known = list(dict.fromkeys([study.run, *st.session_state[Key.RUNS_SEEN], *_history()]))[:MOST_RUNS]
    found = _open(known)
    labels = {compared.run: compared.label for compared in found}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        chosen = st.multiselect(
            "Studies",
            list(labels),
            default=_at_first(study, found),
            format_func=lambda run: labels.get(run, run),
            key=f"{Key.COMPARE_RUNS} {len(labels)}",
            width=760,
            wrap=True,
        )
        with st.popover("Add a study", icon=":material/add:"):
            st.text_input(
                "Its link or run id",
                key=Key.COMPARE_ADD,
                on_change=_add,
                help="Open the other study in the dashboard and copy the address. To compare two models, run the same "
                "sentences and names with both.",
            )
    others = [run for run in chosen if run != study.run]
    if st.query_params.get_all(PARAMETER) != others:
        st.query_params[PARAMETER] = others
    return [compared for compared in found if compared.run in chosen]


def _at_first(study: Opened, found: list[Compared]) -> list[str]:
    """The open study, what this session or the link brought, and of what else is there the same sentences."""
    sentences = study.whole.sentences["sentence_id"].tolist()
    brought = {study.run, *st.session_state[Key.RUNS_SEEN]}
    return [c.run for c in found if c.run in brought or c.cube.sentences["sentence_id"].tolist() == sentences]


def _take_from_link() -> None:
    for run in st.query_params.get_all(PARAMETER)[:MOST_RUNS]:
        if jobs.RUN_ID.fullmatch(run):
            opened.remember_run(run)


def _add() -> None:
    match = RUN_IN_TEXT.search(str(st.session_state[Key.COMPARE_ADD]).strip())
    if match:
        opened.remember_run(match[1])


def _history() -> list[str]:
    """Finished studies on this machine; audits have pages of their own."""
    return [status.run_id for status in jobs.history() if status.state == "finished" and status.spec is not None]


def _open(runs: list[str]) -> list[Compared]:
    found: list[Compared] = []
    for run in runs:
        try:
            cube = cached.cube(run)
        except PsaError as error:
            st.session_state[Key.RUNS_SEEN] = [known for known in st.session_state[Key.RUNS_SEEN] if known != run]
            shell.problem(error, "A study could not be opened")
            continue
        label = _label(cube)
        same = sum(compared.label.partition(" (")[0] == label for compared in found)
        found.append(Compared(run, f"{label} ({same + 1})" if same else label, cube))
    return found


def _label(cube: ScoreCube) -> str:
    study = cube.provenance.get("study", {})
    source = cube.provenance.get("inputs", {}).get("sentences", {}).get("source", study.get("sentences", "sentences"))
    return f"{study.get('model', 'model')} · {PurePath(str(source)).name}"
