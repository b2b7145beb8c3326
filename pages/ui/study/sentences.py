"""Step 1 of a study: the sentences, packaged, pasted or uploaded."""

from __future__ import annotations

import hashlib

import streamlit as st

from pages.ui.frame import cached, markup, uploads
from pages.ui.frame.keys import Key
from pages.ui.frame.uploads import Upload
from pages.ui.study import plans
from pages.ui.study.plans import Source
from psa_core.inputs import corpus as corpora
from psa_core.plurals import counted

PASTE, OWN = "Type or paste", "Your own file"
PASTED_FILE = "pasted-sentences.txt"
KINDS = ("csv", "tsv", "txt", "jsonl", "parquet", "gz")
PREVIEW_ROWS = 200


def ask() -> Source | None:
    """Let the user choose; None while there are none yet."""
    ids = sorted(corpora.packaged(), key=lambda item: item != cached.EXAMPLE.sentences)
    packaged = {item: item.capitalize() for item in ids}
    choice = st.segmented_control(
        "Sentences",
        [*packaged, PASTE, OWN],
        default=next(iter(packaged)),
        required=True,
        key=Key.STUDY_SOURCE,
        format_func=lambda item: packaged.get(item, item),
        label_visibility="collapsed",
        wrap=True,
        persist_state="session",
    )
    if choice == PASTE:
        return _pasted()
    if choice != OWN:
        return _preview(Source(str(choice)))
    st.caption(
        "One text a row. csv, tsv, txt (one a line), jsonl or parquet, gzipped or not; from Excel, save as CSV UTF-8. "
        "It stays on this machine."
    )
    upload = uploads.ask_file("Sentences file", KINDS, key=Key.STUDY_FILE, read=_read)
    if upload is None:
        return None
    return _preview(_with_column(_source(upload)))


def _pasted() -> Source | None:
    text = st.text_area(
        "Sentences, one per line",
        key=Key.STUDY_PASTED,
        height=180,
        placeholder="He said the meeting went well.\nI think she deserves the job.\n\nor with a marker for the name:\n"
        "I hate {name}.",
        persist_state="session",
    )
    if not text.strip():
        return None
    content = text.encode(errors="replace")
    return _preview(_source(Upload(PASTED_FILE, content, hashlib.sha256(content).hexdigest())))


def _source(upload: Upload) -> Source:
    return Source(upload.name, upload)


def _read(upload: Upload) -> None:
    plans.corpus(_source(upload))


def _with_column(source: Source) -> Source:
    """Let the user choose the text column where there are several."""
    found = plans.corpus(source)
    others = [str(name) for name in found.sentences.columns if name not in ("sentence_id", "text")]
    if not others:
        return source
    columns = list(dict.fromkeys([found.text_column, *others]))
    chosen = st.selectbox("Column with the text", columns, key=f"{Key.STUDY_COLUMN}_{source.key}")
    return source if chosen == found.text_column else Source(source.spec, source.upload, chosen)


def _preview(source: Source) -> Source:
    found = plans.corpus(source)
    count = len(found.sentences)
    for note in found.notes:
        st.html(markup.plain(note, size="0.9rem", faint=True))
    with st.expander(counted(count, "sentence")):
        if count > PREVIEW_ROWS:
            st.caption(f"The first {PREVIEW_ROWS} of them.")
        st.dataframe(found.sentences.head(PREVIEW_ROWS), hide_index=True, height=260, alt="The first sentences")
    return source
