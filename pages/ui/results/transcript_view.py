"""What a language model was asked about one text with one name, and what it answered."""

from __future__ import annotations

import html
from pathlib import Path

import numpy as np
import streamlit as st

from pages.ui.frame import markup
from pages.ui.results import context
from pages.ui.results.context import StudyContext
from psa_core import jobs, models, stats, trust
from psa_core.asking import journal
from psa_core.report import swap_pieces, transcripts
from psa_core.trust import Origin

STYLE = "white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 0 0.7rem; font-size: 0.95rem; line-height: 1.5"


def show(study: StudyContext, sentence: int, name: str) -> None:
    """A section that opens on a click, for studies of language models that are asked; nothing for others."""
    model = str(study.cube.provenance.get("study", {}).get("model", ""))
    answers = (context.result_folder(study.run) or Path()) / journal.FILE
    if not models.is_asked(model) and not answers.is_file():
        return
    place = study.cube.names["name"].tolist().index(name)
    key = f"transcript {study.target.name} {sentence} {name}"
    with st.expander("What the model was asked", icon=":material/chat:", on_change="rerun", key=key) as section:
        if not section.open:
            return
        inputs = jobs.run_path(study.run) / jobs.INPUTS
        with trust.acting(Origin.FILE, inside=inputs):
            (found,) = transcripts.of_cells(study.cube, study.target.name, [(sentence, place)], answers, inputs)
        pieces = swap_pieces(study.perturbation, sentence, study.labels[name])
        for transcript in found:
            for heading, words in transcript.parts(pieces):
                marked = "".join(
                    f'<mark style="{markup.MARK}">{html.escape(text)}</mark>' if kind == "come" else html.escape(text)
                    for kind, text in words
                )
                st.html(f'<b>{html.escape(heading)}</b><div style="{STYLE}">{_hidden(marked, study, name)}</div>')
        if not found:
            st.caption("Nothing is kept of what was asked here.")
        scores = study.cube.perturbed[sentence, place]
        told = zip((target.name for target in study.cube.targets), scores.tolist(), strict=True)
        values = (f"{target} {'no valid answer' if np.isnan(score) else f'{score:.3f}'}" for target, score in told)
        st.html(markup.plain(f"Scores: {', '.join(values)}", size="0.9rem"))


def of_name(study: StudyContext) -> None:
    """The text in which the name that was clicked last is furthest from the others."""
    names = study.cube.names["name"].tolist()
    chosen = [name for name in study.seen.names if name in names]
    if chosen:
        effects = stats.effect_differences(*study.cube.scores(study.target.name), baseline="names")
        furthest = np.abs(effects[:, names.index(chosen[-1])])
        if not np.isnan(furthest).all():
            show(study, int(np.nanargmax(furthest)), chosen[-1])


def _hidden(words: str, study: StudyContext, name: str) -> str:
    """The words without the name where names are hidden: a model may repeat it in its answer."""
    if study.labels[name] == name:
        return words
    for part in sorted({name, *name.split()}, key=len, reverse=True):
        words = words.replace(html.escape(part), html.escape(study.labels[name]))
    return words
