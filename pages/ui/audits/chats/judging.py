"""Judge pairs of answers yourself, without the names, and see how often the grader agrees."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import streamlit as st

from pages.ui.audits.chats.setup import AUDIT
from pages.ui.frame import exports, markup, shell, typography, visitor
from psa_core import jobs
from psa_core.audits.chats.agreement import BlindPair, agreement_words, blind_pairs, judge
from psa_core.audits.chats.result import ChatResult, judgements


def show(opened: ChatResult, folder: Path) -> None:
    """Two answers to one task at a time, who got them hidden; F picks the first, J the second. The folder keeps it."""
    graders = [name for name in opened.measured if name.startswith("picked.")]
    if not graders:
        return
    with st.expander("Judge pairs yourself: does the grader agree with you?", icon=":material/balance:"):
        grader = str(st.selectbox("Grader", graders, key=AUDIT.key("judged_grader")))
        question = markup.literal(grader.removeprefix("picked.").replace("_", " ").replace("-", " "))
        rows = judgements(folder)
        choices = dict(rows.loc[rows["grader"] == grader, ["pair", "choice"]].to_numpy())
        pairs = blind_pairs(opened, grader)
        pair = next((each for each in pairs if each.id not in choices), None)
        if pair is None:
            st.info("Every pair is judged.")
        else:
            st.html(markup.plain(pair.task, faint=True))
            blocks = [f'<div style="flex: 1 1 18rem">{markup.sentence(text)}</div>' for text in pair.texts]
            st.html(markup.side_by_side(blocks))
            labels = {"first": (f"First ({question})", "f"), "neither": ("Neither more", "g")}
            labels["second"] = (f"Second ({question})", "j")
            with st.container(horizontal=True):
                for choice, (words, key) in labels.items():
                    st.button(words, key=AUDIT.key(f"judge_{key}"), shortcut=key, on_click=_take,
                              args=(grader, pair, choice))  # fmt: skip
        typography.small_print(agreement_words(pairs, choices))
        judged = [(each.task, *each.texts, choices[each.id], each.grader) for each in pairs if each.id in choices]
        if judged:
            table = pd.DataFrame(judged, columns=["task", "first", "second", "choice", "grader"])
            exports.csv_button(table, "judgements.csv", key=AUDIT.key("judged_csv"))


def _take(grader: str, pair: BlindPair, choice: str) -> None:
    """Keep a choice; for a shared audit, in a copy that belongs to this visitor from now on."""
    with shell.report_errors("This judgement was not saved"):
        own = jobs.own_copy(str(AUDIT.run_id), visitor=visitor.key())
        judge(jobs.result_folder(own), grader, pair, choice)
        AUDIT.open(own)
