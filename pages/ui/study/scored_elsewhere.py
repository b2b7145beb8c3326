"""Scores computed elsewhere: download the texts, upload the scored file, and see how well they match."""

from __future__ import annotations

import io
import re
import tempfile
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import streamlit as st

from pages.ui.frame import markup, permissions, uploads
from pages.ui.frame.keys import Key
from pages.ui.frame.uploads import Upload
from pages.ui.study import plans
from psa_core import models, trust
from psa_core.errors import ModelError, OptionError
from psa_core.inputs.limits import SEARCH, TEXTS_OUT
from psa_core.models import ModelPlugin
from psa_core.models.predictions import Coverage
from psa_core.plurals import counted
from psa_core.study import Plan
from psa_core.study.selection import READ
from psa_core.study.texts import write

MAX_NAME_LENGTH = 60


def ask(plugin: ModelPlugin, planned: Plan) -> tuple[str, dict[str, bytes]] | None:
    """Give the texts out and take the scored file; its model id and the file, None while there is none.

    Raises
    ------
    PsaError
        When the texts are too many, the file is malformed, or texts of the study have no score in it.
    """
    chosen = planned.selection
    if chosen.looked_at < chosen.account[READ]:
        got = f"{chosen.account[READ]:,} sentences, of which this page looked at {chosen.looked_at:,}"
        raise OptionError(
            "texts to score elsewhere", got=got, expected=f"{SEARCH.words} or fewer", fix=SEARCH.fix_words
        )
    TEXTS_OUT.check(planned.letters, field="texts to score elsewhere", error=OptionError)
    texts = planned.cells + len(planned.selection.sentences)
    st.markdown(
        "Score every row with your model, add a column of numbers for each target, and bring the file back as csv, "
        "tsv, jsonl or parquet; from Excel, save as CSV UTF-8."
    )
    st.download_button(
        f"Download the {texts:,} texts to score",
        partial(_csv, planned),
        file_name="texts.csv",
        mime="text/csv",
        icon=":material/download:",
        key=Key.STUDY_TEXTS,
        on_click="ignore",
    )

    def read(brought: Upload) -> tuple[Any, Coverage]:
        found, fits = _matched(
            plugin.id, brought.sha256, _key(planned), _name(plugin, brought, planned), brought, planned
        )
        if fits.missing:
            raise ModelError(
                "scored file",
                got=f"no score for {fits.missing:,} of {texts:,} texts, first {fits.first_missing!r}{_besides(fits)}",
                expected="a row for every text of this study",
                fix="Download the texts as they are now, score all of them, and bring the file again.",
            )
        return found, fits

    brought = uploads.ask_file("The scored file", plugin.uploads, key=Key.STUDY_SCORED, read=read)
    if brought is None:
        return None
    (scorer, fits), name = read(brought), _name(plugin, brought, planned)
    st.html(markup.plain(f"All {texts:,} texts have a score{_besides(fits)}. Targets: {', '.join(scorer.ranges)}."))
    if scorer.warnings:
        st.markdown(":orange[:material/warning: **Look at the file once more.**]")
        for warning in scorer.warnings:
            st.html(markup.plain(warning))
    return f"{plugin.id}:{name}", {name: brought.content}


@st.cache_resource(max_entries=2, show_spinner="Matching the scores with the texts", show_time=True, scope="session")
def _matched(
    plugin_id: str, sha256: str, texts: str, name: str, _brought: Upload, _planned: Plan
) -> tuple[Any, Coverage]:
    """The scorer in a file, and how it fits the texts of the study."""
    said_by = permissions.origin()
    with tempfile.TemporaryDirectory() as folder, trust.acting(said_by, inside=Path(folder)):
        (Path(folder) / name).write_bytes(_brought.content)
        scorer: Any = models.load(f"{plugin_id}:{Path(folder) / name}", origin=said_by)
    perturbation = _planned.perturbation
    return scorer, scorer.coverage(chain(perturbation.originals(), perturbation))


def _besides(fits: Coverage) -> str:
    """What else the file has that does not count."""
    parts = [
        f"{counted(fits.unscored, 'row')} with an empty score" if fits.unscored else "",
        f"{counted(fits.extra, 'text')} that this study does not have" if fits.extra else "",
    ]
    words = " and ".join(filter(None, parts))
    return f"; the file also has {words}" if words else ""


def _key(planned: Plan) -> str:
    return repr((planned.corpus.sha256, planned.corpus.text_column, planned.names.sha256, planned.spec))


def _name(plugin: ModelPlugin, brought: Upload, planned: Plan) -> str:
    """The file's own name in letters that a model id may have, unless another file of the study is called so."""
    stem, *parts = brought.name.split(".")
    endings = [part.lower() for part in parts if part.lower() in plugin.uploads]
    words = [stem, *(part for part in parts if part.lower() not in plugin.uploads)]
    plain = re.sub(r"[^\w-]+", "-", "-".join(words)).strip("-")[:MAX_NAME_LENGTH]
    name = ".".join([plain or plugin.id, *endings])
    return plans.apart(name, plugin.id, planned.spec.sentences, planned.spec.names)


def _csv(planned: Plan) -> str:
    stream = io.StringIO()
    write(planned, stream)
    return stream.getvalue()
