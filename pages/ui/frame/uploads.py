"""Uploaded files, kept for the session so that changing the page does not lose them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import streamlit as st

from pages.ui.frame import gateway, markup, shell
from psa_core.errors import OptionError, PsaError
from psa_core.inputs import documents, tables
from psa_core.inputs.checks import file_name
from psa_core.inputs.limits import MB, UPLOADS_EACH

# Of a file's name; file systems take 255, and a run puts a word before some.
MAX_BYTES = 200
#: Endings of tables, and of texts with one a line.
TABLES = ("csv", "tsv", "txt", "jsonl", "parquet", "gz")
#: What several files are called together.
TOGETHER = "documents.zip"


@dataclass(frozen=True, eq=False)
class Upload:
    """A file's name, as a run keeps it, and its bytes; its hash stands for it wherever something is remembered."""

    name: str
    content: bytes

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    def key(self) -> tuple[str, str]:
        """The cache key of its rows: the file's name decides how its bytes are read."""
        return self.sha256, self.name


def ask_file(
    label: str,
    kinds: Sequence[str],
    *,
    key: str,
    read: Callable[[Upload], object] | None = None,
    help: str = "",
    several: bool = False,
) -> Upload | None:
    """A file picker whose file stays until it is replaced or removed.

    It takes every file, since Streamlit's own answer to a wrong kind does not say what to do: a file without one of the
    endings, or for which `read` raises a `PsaError`, is refused with the reason, and the one before it stays.
    Where there may be `several` files, they are kept as one zip.
    """
    kept = f"{key}_kept"
    previous: Upload | None = st.session_state.get(kept)
    most = min(st.get_option("server.maxUploadSize"), UPLOADS_EACH.value // MB)
    widget = f"{key}_{st.session_state.get(f'{key}_round', 0)}"
    how: dict[str, Any] = {"accept_multiple_files": True} if several else {}
    chosen = st.file_uploader(label, key=widget, help=help or None, max_upload_size=most, **how)
    files = chosen if isinstance(chosen, list) else [] if chosen is None else [chosen]
    if files:
        name, content = files[0].name, files[0].getvalue()
        if len(files) > 1:
            UPLOADS_EACH.check(sum(file.size for file in files), field="files", error=OptionError)
            name = TOGETHER
            content = documents.zipped([(file_name(one.name, MAX_BYTES), one.getvalue()) for one in files])
        uploaded = Upload(file_name(name, MAX_BYTES), content)
        try:
            tables.check_ending(uploaded.name, kinds, field="file", error=OptionError)
            if read is not None:
                read(uploaded)
        except PsaError as error:
            if previous is None or (previous.name, previous.sha256) == (uploaded.name, uploaded.sha256):
                raise  # there is none to go on with
            shell.problem(error, "This file was not accepted; the previous one stays in use")
        else:
            st.session_state[kept] = uploaded
            gateway.keep(uploaded, len(content), of=content)
            return uploaded
    if previous is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            size = f"{max(1, round(len(previous.content) / 1000)):,} kB"
            st.html(markup.plain(f"Using {previous.name} ({size})"), width="content")
            st.button("Remove", key=f"{key}_away", on_click=_forget, args=(key,), type="tertiary")
    return previous


def ask_zip(label: str, key: str, keep: Callable[[bytes], str], show: Callable[[str], object]) -> None:
    """A file picker for the zip of a result: `keep` makes a run of it and returns its id, `show` opens that run."""
    chosen, opened = st.file_uploader(label, ["zip"], key=f"{key}_zip"), f"{key}_zip_opened"
    if chosen is None or st.session_state.get(opened) == chosen.file_id:
        return
    with shell.show_errors("This zip cannot be opened"), st.spinner("Opening the zip", show_time=True):
        run_id = keep(chosen.getvalue())
    st.session_state[opened] = chosen.file_id
    show(run_id)
    st.rerun()


def _forget(key: str) -> None:
    st.session_state.pop(f"{key}_kept", None)
    st.session_state[f"{key}_round"] = st.session_state.get(f"{key}_round", 0) + 1
