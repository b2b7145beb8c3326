"""Files that a user brought along: kept for the session, so that a page change does not lose them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from pages.ui.frame import markup
from psa_core.inputs.checks import file_name

# Of a file's name; file systems take 255, and a run puts a word before some.
MOST_BYTES = 200


@dataclass(frozen=True, eq=False)
class Upload:
    """A file's name, as a run keeps it, and its bytes; its hash stands for it wherever something is remembered."""

    name: str
    content: bytes
    sha256: str


def ask_file(label: str, kinds: Sequence[str], *, key: str) -> Upload | None:
    """A file picker whose file stays until another one is chosen or it is taken away."""
    kept = f"{key}_kept"
    held: Upload | None = st.session_state.get(kept)
    chosen = st.file_uploader(label, list(kinds), key=f"{key}_{st.session_state.get(f'{key}_round', 0)}")
    if chosen is not None:
        content = chosen.getvalue()
        held = Upload(file_name(chosen.name, MOST_BYTES), content, hashlib.sha256(content).hexdigest())
        st.session_state[kept] = held
    elif held is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(markup.plain(f"Using {held.name} ({len(held.content) / 1e6:,.1f} MB)"), width="content")
            st.button("Take away", key=f"{key}_away", on_click=_forget, args=(key,), type="tertiary")
    return held


def _forget(key: str) -> None:
    st.session_state.pop(f"{key}_kept", None)
    st.session_state[f"{key}_round"] = st.session_state.get(f"{key}_round", 0) + 1
