"""Results of an audit of answers: one sentence, one picture, answers to read side by side, all numbers, transcripts."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from pages.ui.audits import compared, frame
from pages.ui.audits.chats import judging
from pages.ui.audits.chats.setup import AUDIT
from pages.ui.frame import address, cached, exports, markup, typography
from psa_core.audits.chats import report
from psa_core.audits.chats.findings import clause, marked, people_words, short
from psa_core.audits.chats.result import ChatResult
from psa_core.audits.chats.tables import differing_answers, measure_titles, people_table, surest_first
from psa_core.charts.answer_gaps import answer_gaps
from psa_core.charts.generation import FIRST, SECOND
from psa_core.claims.findings import Finding
from psa_core.errors import RunFolderError

MEASURE, PAIR, PICTURE = AUDIT.key("measure"), AUDIT.key("pair"), AUDIT.key("picture")
PLAIN = {"displayModeBar": False}
ENOUGH = 2


def show(run_id: str, folder: Path, *, own: bool = True) -> None:
    """The whole page, from the finding to the download."""
    opened = cached.audit(AUDIT.audit.id, run_id, folder)
    typography.finding(report.headline(opened))
    typography.small_print(" ".join(report.method_lines(opened)))
    if opened.tables.gaps.empty:
        _transcripts(opened)
    else:
        measure, pair = _picture(opened)
        _answers(opened, measure, pair)
        _numbers(opened)
        _transcripts(opened)
        judging.show(opened, folder)
    if own:
        frame.end(AUDIT, folder)


def show_so_far(run_id: str, folder: Path) -> None:
    """A running audit: its answers to read, and no claim yet."""
    with suppress(RunFolderError):  # a larger part is being put in its place
        opened = cached.audit(AUDIT.audit.id, run_id, folder)
        k, total = opened.cube.shape[2], opened.manifest.get("options", {}).get("answers")
        said = report.headline(opened)
        words = f"So far, {k} of {total or 'all'} answers to each"
        typography.finding(Finding(f"{words}. {said.headline}", said.evidence) if k > ENOUGH else f"{words}: to read.")
        _transcripts(opened)


def _label(row: Any) -> str:
    return f"{people_words(row['column'], row['group_b'])} against {people_words(row['column'], row['group_a'])}"


def _picture(opened: ChatResult) -> tuple[str, str]:
    """Measures by pairs of groups; the chosen square."""
    titles = measure_titles(opened.measured, opened.manifest)
    gaps = opened.tables.gaps.assign(pair=[_label(row) for _, row in opened.tables.gaps.iterrows()])
    sure = marked(gaps, opened.manifest.get("graders", {}))
    keys = set(zip(sure["measure"], sure["pair"], strict=True))
    error = (gaps["high"] - gaps["low"]).clip(lower=1e-12) / 4
    table = pd.DataFrame(
        {
            "measure": gaps["measure"],
            "title": [titles[name].title for name in gaps["measure"]],
            "pair": gaps["pair"],
            "short": [short(row, titles[row["measure"]]) for _, row in gaps.iterrows()],
            "words": [clause(row, titles[row["measure"]]) for _, row in gaps.iterrows()],
            "strength": gaps["difference"] / error,
            "is_marked": [key in keys for key in zip(gaps["measure"], gaps["pair"], strict=True)],
        }
    )
    first = surest_first(gaps).iloc[0]
    measures, pairs = list(dict.fromkeys(gaps["measure"])), list(dict.fromkeys(gaps["pair"]))
    st.header("Every measure, between every two groups", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = str(st.selectbox("Measure", measures, format_func=lambda name: titles[name].title, width=360,
                                   **address.linked(MEASURE, str(first["measure"]), measures)))  # fmt: skip
        pair = str(st.selectbox("Answers to", pairs, width=520, **address.linked(PAIR, str(first["pair"]), pairs)))

    def take_click() -> None:
        points = st.session_state[PICTURE]["selection"]["points"]
        if points and points[0]["customdata"][0] in measures and points[0]["customdata"][1] in pairs:
            address.put_all({MEASURE: points[0]["customdata"][0], PAIR: points[0]["customdata"][1]})

    figure = answer_gaps(table, selected=(measure, pair))
    # As wide as its squares' words need: a narrow screen scrolls.
    with st.container(key=AUDIT.key("scroll")), st.container(key=AUDIT.key("wide"), width=figure.layout.width):
        alt = "Differences of each measure between each two groups, where beyond chance."
        st.plotly_chart(figure, key=PICTURE, config=PLAIN, on_select=take_click, selection_mode="points", alt=alt)
    typography.small_print(
        "A square says how answers to the first people differ from those to the others; "
        "“·” = could be chance. Colour: the difference in standard errors. Click a square to read answers."
    )
    return measure, pair


def _answers(opened: ChatResult, measure: str, pair: str) -> None:
    """The ten pairs of answers that differ most, with what only one of them says marked."""
    row = next(row for _, row in opened.tables.gaps.iterrows() if _label(row) == pair)
    column, groups = row["column"], (row["group_a"], row["group_b"])
    table = differing_answers(opened.cube, opened.measured[measure], column, groups)
    title = measure_titles(opened.measured, opened.manifest)[measure].title
    st.header(f"Answers that differ most in {markup.literal(title)}", anchor=False)
    typography.small_print(
        "The most different pair of each task, chosen for its size: these are extremes, not examples."
    )
    for found in table.itertuples():
        with st.container(border=True):
            st.html(markup.plain(str(found.task), size="0.9rem", faint=True))
            texts = (str(found.answer_b), str(found.answer_a))
            sides = zip((found.person_b, found.person_a), (found.score_b, found.score_a), texts, (FIRST, SECOND),
                        compared.differing(*texts), strict=True)  # fmt: skip
            st.html(markup.side_by_side([compared.column(*each) for each in sides]))
    words = opened.tables.words
    words = words[(words[["column", "group_a", "group_b"]] == [column, *groups]).all(axis=1)]
    frame.words_apart(AUDIT, words, (people_words(column, groups[0]), people_words(column, groups[1])))


EXPLAINED = {
    report.GAPS: "Noise: the size of a difference when people change groups at random. Sampling alone: when the same "
    "people get other answers. Corrected: what chance does not explain, where corrected p is below 5 %.",
    report.TAILS: "Share of answers beyond the range of 95 % of the others' answers to that task (5 % by chance).",
    report.QUANTILES: "The first people minus the others, with each task's median taken off: q5 to q95.",
    report.DOMAINS: "The same differences in each domain of tasks; p corrected over this table.",
}


def _numbers(opened: ChatResult) -> None:
    with st.expander("All numbers, with floors and intervals", icon=":material/table_chart:"):
        *tabs, people = st.tabs(["Differences", *list(EXPLAINED)[1:], "People"])
        for tab, (title, words) in zip(tabs, EXPLAINED.items(), strict=True):
            with tab:
                frame.table(AUDIT, report.shown_tables(opened)[title], title, words=words)
        with people:
            frame.table(AUDIT, people_table(opened.cube, opened.measured), "Each person's means")
        exports.csv_button(opened.tables.gaps, "differences.csv", key=AUDIT.key("differences_csv"))


def _transcripts(opened: ChatResult) -> None:
    with st.expander("Transcripts: every answer", icon=":material/forum:"):
        tasks, people = (
            opened.cube.templates["template"].astype(str).tolist(),
            opened.cube.values["value"].astype(str).tolist(),
        )
        task, person = (
            st.selectbox("Task", tasks, key=AUDIT.key("task")),
            st.selectbox("Person", people, key=AUDIT.key("who")),
        )
        m, a = tasks.index(str(task)), people.index(str(person))
        for k, text in enumerate(opened.cube.texts[m, a]):
            numbers = [
                f"{name} {scores[m, a, k]:.3g}"
                for name, scores in opened.measured.items()
                if np.isfinite(scores[m, a, k])
            ]
            with st.container(border=True):
                st.html(markup.sentence(str(text) or "(no answer)"))
                st.html(markup.plain(" · ".join(numbers), size="0.8rem", faint=True))
