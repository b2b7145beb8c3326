"""Several finished audits side by side, as the paper's Tables 2 and 3."""

from __future__ import annotations

import re

import streamlit as st

from pages.ui.audits import frame
from pages.ui.audits.frame import AuditPage
from pages.ui.frame import cached, controls, exports, shell, typography
from pages.ui.results import context
from psa_core import generators, jobs, models
from psa_core.audits.generation import AUDIT as GENERATION
from psa_core.audits.generation import report
from psa_core.audits.generation.result import GenerationResult
from psa_core.charts.caption import Caption
from psa_core.charts.scatter import relevance
from psa_core.errors import PsaError
from psa_core.registry import ASSETS

AUDIT = AuditPage.of(GENERATION)
SEEN, CHOSEN = AUDIT.key("seen"), AUDIT.key("compared")
EXAMPLE = "example"
MOST = 12
LINKED = re.compile(r"(?:^|[?&]generate=)([A-Za-z0-9_-]{16,32})(?=$|[&#\s])")


def show() -> None:
    """Choose audits and compare them in a table."""
    finished = [
        status.run_id for status in jobs.history() if (status.state, status.command) == ("finished", AUDIT.command)
    ]
    runs = list(dict.fromkeys([*st.session_state.get(SEEN, [])[::-1], *finished]))[:MOST]
    audits = {run: opened for run in [*runs, EXAMPLE] if (opened := _open(run)) is not None}
    titles = _titles(audits)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        chosen = st.multiselect(
            "Finished audits",
            list(titles),
            default=list(titles)[:4],
            format_func=titles.__getitem__,
            key=f"{CHOSEN}_{len(titles)}",
            width=760,
            wrap=True,
        )
        _ask_another()
    compared = {titles[run]: audits[run] for run in chosen}
    if len(compared) < 2:
        st.info(
            "Choose two finished audits or more. Each audit that you run or open here joins this list; others can be "
            "added by their link. For the perplexities run `generate` with `--held-out`."
        )
    elif not report.comparable(compared):
        st.warning("These audits have different templates or values: their numbers are not about the same thing.")
    else:
        scorers = list(dict.fromkeys(scorer for opened in compared.values() for scorer in opened.cube.scorers))
        for scorer in scorers:
            typography.second(report.comparison_finding(compared, scorer))
        _relevance(compared, scorers)
    if compared:
        _table(compared)


def _table(compared: dict[str, GenerationResult]) -> None:
    words = (
        "I.F. and G.F. as measured, what chance alone shows (floor), and corrected with a 95 % interval. PPL: of "
        "held-out texts; PPLˢ: of those with a value in them; semantic sim.: share of the continuations that are about "
        "their value; kept: share that could be cut at a full stop. Lower is better, but for the last two."
    )
    shown = report.model_table(compared)
    floors = {f"Floor of {measure}": f"{measure} floor" for measure in ("I.F.", "G.F.")}  # short, so that all fit
    titled = shown.assign(score=shown["score"].map(models.titled))
    alt = "I.F., G.F. and quality of each audit"
    frame.table(AUDIT, titled, alt, words=words, csv="models.csv", file=shown, **floors)


def _relevance(compared: dict[str, GenerationResult], scorers: list[str]) -> None:
    """Figure 4: a model that ignores the value differs little between values, which is no improvement."""
    st.subheader("Do values differ less, or is less written about them?", anchor=False)
    titles = {scorer: models.titled(scorer) for scorer in scorers}
    scorer = controls.choose("Score", titles, AUDIT.key("relevance"))
    table = report.relevance_table(compared, scorer)
    if len(table) < 2:
        typography.small_print("This needs two audits that measured semantic similarity.")
        return
    title = f"Corrected I.F. by {models.titled(scorer)} against semantic similarity"
    note = (
        "Down: values differ less in sentiment. Right: more of what is written is about the value. A point at 0 is not "
        "above noise; one far to the left ignores the value."
    )
    words, stem = Caption(title, report.comparison_finding(compared, scorer)), f"relevance.{scorer}"
    drawing, key = relevance(table), AUDIT.key("relevance")
    exports.figure(drawing, alt=title, note=note, stem=stem, words=words, key=key, table=table)


def _ask_another() -> None:
    with st.popover("Add an audit", icon=":material/add:"):
        typed = st.text_input("Its link on this server", key=AUDIT.key("link"))
        if st.button("Add", key=AUDIT.key("add")) and typed:
            found = LINKED.search(typed.strip())
            run_id = found[1] if found else typed.strip()
            with shell.report_errors("No audit was added"):
                AUDIT.audit.read(jobs.result_folder(run_id))
                context.remember_run(run_id, SEEN)
                st.rerun()


def _open(run: str) -> GenerationResult | None:
    try:
        place = ASSETS / "examples" / "occupations" if run == EXAMPLE else jobs.result_folder(run)
        return cached.audit(AUDIT.audit.id, run, place)
    except PsaError:  # tidied away meanwhile, or damaged
        return None


def _titles(audits: dict[str, GenerationResult]) -> dict[str, str]:
    """Labels of model, prompts and time; numbered where these are equal."""
    titles: dict[str, str] = {}
    for run, opened in audits.items():
        m, a, k = opened.cube.shape
        lm = generators.titled(str(opened.manifest.get("generator", {}).get("id", "a language model")))
        when = str(opened.manifest.get("created", ""))[:16].replace("T", " ")
        words = f"{lm} · {m} × {a} × {k} · {'the finished example' if run == EXAMPLE else when}"
        titles[run] = f"{words} ({len(titles) + 1})" if words in titles.values() else words
    return titles
