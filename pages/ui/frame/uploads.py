"""Uploaded files, kept for the session so that changing the page does not lose them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from pages.ui.frame import gateway, markup, shell
from psa_core.errors import OptionError, PsaError
from psa_core.inputs import tables
from psa_core.inputs.checks import file_name
from psa_core.inputs.limits import MB, UPLOADS_EACH

# Of a file's name; file systems take 255, and a run puts a word before some.
MAX_BYTES = 200


@dataclass(frozen=True, eq=False)
class Upload:
    """A file's name, as a run keeps it, and its bytes; its hash stands for it wherever something is remembered."""

    name: str
    content: bytes
    sha256: str


def ask_file(
    label: str, kinds: Sequence[str], *, key: str, read: Callable[[Upload], object] | None = None, help: str = ""
) -> Upload | None:
    """A file picker whose file stays until another one is chosen or it is taken away.

    It takes every file, since Streamlit's own answer to a wrong kind does not say what to do.

    Parameters
    ----------
    kinds : sequence of str
        Endings; another one is told like what `read` raises.
    read : callable, optional
        Raises a `PsaError` for a file that is of no use: that is told, and the one before it stays.
    """
    kept = f"{key}_kept"
    held: Upload | None = st.session_state.get(kept)
    most = min(st.get_option("server.maxUploadSize"), UPLOADS_EACH.value // MB)
    widget = f"{key}_{st.session_state.get(f'{key}_round', 0)}"
    chosen = st.file_uploader(label, key=widget, help=help or None, max_upload_size=most)
    if chosen is not None:
        content = chosen.getvalue()
        brought = Upload(file_name(chosen.name, MAX_BYTES), content, hashlib.sha256(content).hexdigest())

        def check(upload: Upload) -> None:
            tables.check_ending(upload.name, kinds, field="file", error=OptionError)
            if read is not None:
                read(upload)

        if _is_of_use(brought, held, check):
            st.session_state[kept] = brought
            gateway.keep(brought, content)
            return brought
    if held is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(
                markup.plain(f"Using {held.name} ({max(1, round(len(held.content) / 1000)):,} kB)"), width="content"
            )
            st.button("Remove", key=f"{key}_away", on_click=_forget, args=(key,), type="tertiary")
    return held


def _is_of_use(brought: Upload, held: Upload | None, read: Callable[[Upload], object]) -> bool:
    """Whether a file can be read; raises what is wrong with it where there is none to go on with."""
    try:
        read(brought)
    except PsaError as error:
        if held is None or (held.name, held.sha256) == (brought.name, brought.sha256):
            raise
        shell.problem(error, "This file was not accepted; the previous one stays in use")
        return False
    return True


def _forget(key: str) -> None:
    st.session_state.pop(f"{key}_kept", None)
    st.session_state[f"{key}_round"] = st.session_state.get(f"{key}_round", 0) + 1
