"""One selection for every page (study, target, thresholds, names, sentence), in the session and the URL.

Clicks on charts and tables change it: the functions that begin with ``clicked`` are for their callbacks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from pages.ui.frame import address
from pages.ui.frame.keys import Key
from psa_core.cube import ScoreCube
from psa_core.jobs import RUN_ID

PARAMETERS = ("run", "target", "c", "names", "s")
MAX_NAMES, MAX_LENGTH = 50, 200
#: In the session: the selection, and what of it the address said when it was last read or written.
VIEW, IN_URL = "view", "view_in_url"


@dataclass(frozen=True)
class View:
    """The current selection; None or empty where nothing was chosen.

    `names` are in the order in which they were chosen, `sentence` is an id, and `others` are the thresholds that were
    chosen for other targets; an empty name stands for the study's first.
    """

    run: str | None = None
    target: str | None = None
    threshold: float | None = None
    names: tuple[str, ...] = ()
    sentence: str | None = None
    others: tuple[tuple[str, float], ...] = ()


def sync(page: str = "") -> None:
    """Synchronise session and URL: a link or the Back button wins, a page change keeps the session's view."""
    address.bring_over(page, [*PARAMETERS, "with"])
    linked = _from_url()
    if "run" in st.query_params:
        st.session_state[Key.BROKEN_LINK] = linked.run is None
    if VIEW not in st.session_state or linked != st.session_state.get(IN_URL):
        st.session_state[VIEW] = linked
    texts = _texts(st.session_state[VIEW])
    _write({name: values for name, values in texts.items() if name not in address.waiting()})


def _write(texts: address.Texts) -> None:
    address.write(texts)
    st.session_state[IN_URL] = _from_url()


def is_study_linked() -> bool:
    """Whether a study will be open, by the address or, on a page that was just turned to, by the session."""
    if len(st.query_params):
        return RUN_ID.fullmatch(st.query_params.get("run", "")) is not None
    return VIEW in st.session_state and st.session_state[VIEW].run is not None


def view(cube: ScoreCube | None = None) -> View:
    """The selection; with a cube, target and threshold are always set and what the cube does not have is left out."""
    if VIEW not in st.session_state:
        sync()
    chosen: View = st.session_state[VIEW]
    if cube is None:
        return chosen
    is_known = chosen.target in [target.name for target in cube.targets]
    target = str(chosen.target) if is_known else cube.targets[0].name
    known = frozenset(cube.names["name"]) if chosen.names else frozenset()
    in_study = chosen.sentence is not None and bool((cube.sentences["sentence_id"] == chosen.sentence).any())
    return replace(
        chosen,
        target=target,
        threshold=thresholds(cube)[target],
        names=tuple(name for name in chosen.names if name in known),
        sentence=chosen.sentence if in_study else None,
    )


def thresholds(cube: ScoreCube) -> dict[str, float]:
    """The threshold of each target of a cube: the chosen one where it lies in the target's range, else its default."""
    chosen = view()
    given = dict(chosen.others)
    if chosen.threshold is not None:
        given[chosen.target or ""] = chosen.threshold
    if "" in given:
        given.setdefault(cube.targets[0].name, given[""])
    values = {target.name: given.get(target.name, math.nan) for target in cube.targets}
    return {
        target.name: values[target.name]
        if target.low <= values[target.name] <= target.high
        else target.default_threshold
        for target in cube.targets
    }


def choose(*, at_pause: bool = False, **changes: Any) -> View:
    """Change fields of the `View` and the URL; a change of study drops what belonged to the old one.

    `at_pause` writes the URL when nothing else comes for a while: for what changes many times on its way.
    """
    before = view()
    if changes.get("run", before.run) != before.run:
        before = View()
    if changes.get("target", before.target) != before.target:
        others = {**dict(before.others), before.target or "": before.threshold}
        now = others.pop(changes["target"] or "", None)
        kept = tuple((name, value) for name, value in others.items() if value is not None)
        before = replace(before, threshold=now, others=kept)
    after = replace(before, **changes)
    st.session_state[VIEW] = after
    texts = _texts(after)
    if replace(after, sentence=before.sentence) != before:  # other flips, which are shown from their first page
        texts[Key.SENTENCES_PAGE] = []
    if at_pause:
        address.write_later({name: values for name, values in texts.items() if st.query_params.get_all(name) != values})
        texts = {}
    _write(texts)
    return after


def follow(run: str) -> None:
    """Switch to a copy of the open study and keep the selection."""
    st.session_state[VIEW] = replace(view(), run=run)
    _write(_texts(st.session_state[VIEW]))


def toggle_name(name: str) -> View:
    """Add a name to the selection, or take it out."""
    names = view().names
    return choose(names=tuple(n for n in names if n != name) if name in names else (*names, name)[-MAX_NAMES:])


def _from_url() -> View:
    """What the address says; a threshold stands alone, or behind the name of another target and a colon."""

    def short(parameter: str) -> list[str]:
        """Values that may be names or ids: not empty, not too long, no lone surrogates."""
        values = dict.fromkeys(st.query_params.get_all(parameter))
        lone = re.compile("[\ud800-\udfff]")
        return [value for value in values if 0 < len(value) <= MAX_LENGTH and not lone.search(value)]

    run = st.query_params.get("run", "")
    target, sentence = next(iter(short("target")), None), next(iter(short("s")), None)
    found: dict[str, float] = {}
    for text in short("c")[:MAX_NAMES]:
        name, colon, number = text.rpartition(":")
        with suppress(ValueError):
            if math.isfinite(float(number)):
                found[name if colon else target or ""] = float(number)
    threshold = found.pop(target or "", None)
    names, others = tuple(short("names")[:MAX_NAMES]), tuple(found.items())
    return View(run if RUN_ID.fullmatch(run) else None, target, threshold, names, sentence, others)


def _texts(chosen: View) -> dict[str, list[str]]:
    """The parameters of a view."""
    others = [f"{name}:{value:.6g}" for name, value in chosen.others]
    return {
        "run": [chosen.run] if chosen.run else [],
        "target": [chosen.target] if chosen.target else [],
        "c": [*([] if chosen.threshold is None else [f"{chosen.threshold:.6g}"]), *others],
        "names": list(chosen.names),
        "s": [chosen.sentence] if chosen.sentence else [],
    }


def clicked_names(chart: str) -> None:
    """Toggle the name whose mark was clicked, in a chart with a point selection called ``name``.

    The chart remembers the marks that were clicked an odd number of times; what has changed since is what was clicked.
    """
    now = tuple(str(point["name"]) for point in st.session_state[chart]["selection"].get("name", []))
    before = _clicked_before(chart, now)
    for name in [*(name for name in now if name not in before), *(name for name in before if name not in now)]:
        toggle_name(name)


def clicked_bar(chart: str) -> None:
    """Toggle the name whose bar was clicked; the points of the Plotly chart carry their name first in ``customdata``.

    Plotly's own selection is the bar that was clicked last, or nothing after a second click on it; with the shift key
    it grows and shrinks.
    """
    carried = [point["customdata"] for point in st.session_state[chart]["selection"]["points"] if "customdata" in point]
    now = tuple(str(custom["0"] if isinstance(custom, dict) else custom[0]) for custom in carried)
    before = _clicked_before(chart, now)
    for name in set(now).symmetric_difference(before) if len(now) > 1 else now or before:
        toggle_name(name)


def _clicked_before(chart: str, now: tuple[str, ...]) -> tuple[str, ...]:
    """What was selected in a chart before `now`, which is remembered."""
    before: tuple[str, ...] = st.session_state.get(f"{chart} clicked", ())
    st.session_state[f"{chart} clicked"] = now
    return before


def clicked_sentence(chart: str) -> None:
    """Open the sentence whose point was clicked, in a selection called ``sentence``; a second click closes it."""
    points = st.session_state[chart]["selection"].get("sentence", [])
    choose(sentence=str(points[0]["sentence_id"]) if points else None)


def tick(table: str, names: tuple[str, ...], chosen: Collection[str]) -> None:
    """Tick the rows of the chosen names in a table before it is drawn; no effect if they are ticked already."""
    rows = [row for row, name in enumerate(names) if name in chosen]
    earlier = st.session_state.get(table)
    if rows != (sorted(earlier["selection"]["rows"]) if earlier else []):
        st.session_state[table] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    st.session_state[f"{table} told"] = rows


def clicked_rows(table: str, names: tuple[str, ...]) -> None:
    """Select the names of the ticked rows of a table; selected names that it does not show stay selected.

    A browser confirms the ticks that a table was told, maybe along with the next click elsewhere: that says nothing.
    """
    rows = st.session_state[table]["selection"]["rows"]
    if sorted(rows) == st.session_state.get(f"{table} told"):
        return
    ticked = [names[row] for row in rows if row < len(names)]
    kept = [name for name in view().names if name not in names or name in ticked]
    choose(names=(*kept, *(name for name in ticked if name not in kept))[-MAX_NAMES:])
