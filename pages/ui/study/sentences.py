"""Step 1 of a new study: the sentences, packaged, pasted or uploaded."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.ui.frame import cached, controls, exports, markup, uploads
from pages.ui.frame.uploads import Upload
from pages.ui.study import plans
from pages.ui.study.plans import Source
from psa_core.inputs import corpus as corpora
from psa_core.inputs.corpus import Corpus
from psa_core.plurals import counted

PASTE, OWN = "Type or paste", "Your own file"
PASTED_FILE = "pasted-sentences.txt"
KINDS = (*uploads.TABLES, "md", "docx", "pdf", "zip")
PREVIEW_ROWS = 200


def title_of(corpus_id: str) -> str:
    """What a packaged corpus is called: *CVs*, *Flat applications*."""
    return "CVs" if corpus_id == "cvs" else corpus_id.replace("-", " ").capitalize()


def ask() -> Source | None:
    """Let the user choose; None while there are none yet."""
    packaged = sorted(corpora.packaged(), key=lambda item: item != cached.EXAMPLE.sentences)
    ways = [*packaged, PASTE, OWN]
    words = {way: title_of(way) if way in packaged else way for way in ways}
    choice = controls.choose("Sentences", words, "study_source", label_visibility="collapsed", wrap=True)
    source = _pasted() if choice == PASTE else _file() if choice == OWN else Source(str(choice))
    if source is None:
        return None
    for note in plans.corpus(source).notes:
        st.html(markup.plain(note, size="0.9rem", faint=True))
    preview(source)
    return source


def _pasted() -> Source | None:
    text = st.text_area(
        "Sentences, one per line",
        key="study_pasted",
        height=180,
        placeholder="He said the meeting went well.\nI think she deserves the job.\n\nor with a marker for the name:\n"
        "I hate {name}.",
        persist_state="session",
    )
    if not text.strip():
        return None
    return Source(PASTED_FILE, Upload(PASTED_FILE, text.encode(errors="replace")))


def _file() -> Source | None:
    st.caption(
        "A table with one text a row: csv, tsv, txt (one a line), jsonl or parquet, gzipped or not; from Excel, save "
        "as CSV UTF-8. Or documents, each one text: several .docx, .pdf, .txt or .md files, or a .zip of them. They "
        "stay on this machine."
    )
    return ask_file("File with texts, or documents", KINDS, "study_file", "study_column", several=True)


def ask_file(label: str, kinds: Sequence[str], key: str, column_key: str, *, several: bool = False) -> Source | None:
    """An uploaded file, and where its texts stand if it has other columns; None while there is none."""

    def read(file: Upload) -> Corpus:
        return plans.corpus(Source(file.name, file))

    upload = uploads.ask_file(label, kinds, key=key, read=read, several=several)
    if upload is None:
        return None
    source, found = Source(upload.name, upload), read(upload)
    others = [str(name) for name in found.sentences.columns if name not in ("sentence_id", "text")]
    if not others:
        return source
    columns = list(dict.fromkeys([found.text_column, *others]))
    chosen = st.selectbox("Column with the text", columns, key=f"{column_key}_{source.key}")
    return source if chosen == found.text_column else Source(source.spec, source.upload, chosen)


def preview(source: Source) -> None:
    """The first texts, behind a click."""
    found = plans.corpus(source)
    with st.expander(counted(len(found.sentences), found.noun)):
        if len(found.sentences) > PREVIEW_ROWS:
            st.caption(f"The first {PREVIEW_ROWS} of them.")
        exports.table(found.sentences.head(PREVIEW_ROWS), "The first texts", height=260)
