"""One selection for every page (study, target, thresholds, names, sentence), kept in the session and the URL."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from pages.ui.frame import address
from pages.ui.frame.keys import Key
from psa_core.cube import ScoreCube, Target
from psa_core.jobs import RUN_ID

PARAMETERS = ("run", "target", "c", "names", "s")
MAX_NAMES, MAX_LENGTH = 50, 200


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
    if Key.VIEW not in st.session_state or linked != st.session_state.get(Key.VIEW_IN_URL):
        st.session_state[Key.VIEW] = linked
    texts = _texts(st.session_state[Key.VIEW])
    address.write({name: values for name, values in texts.items() if name not in address.waiting()})
    st.session_state[Key.VIEW_IN_URL] = _from_url()


def is_study_linked() -> bool:
    """Whether a study will be open, by the address or, on a page that was just turned to, by the session."""
    if len(st.query_params):
        return RUN_ID.fullmatch(st.query_params.get("run", "")) is not None
    return Key.VIEW in st.session_state and st.session_state[Key.VIEW].run is not None


def view(cube: ScoreCube | None = None) -> View:
    """The selection; with a cube, target and threshold are always set and what the cube does not have is left out."""
    if Key.VIEW not in st.session_state:
        sync()
    chosen: View = st.session_state[Key.VIEW]
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
    st.session_state[Key.VIEW] = after
    texts = _texts(after)
    if replace(after, sentence=before.sentence) != before:  # other flips, which are shown from their first page
        texts[Key.SENTENCES_PAGE] = []
    if at_pause:
        address.write_later({name: values for name, values in texts.items() if st.query_params.get_all(name) != values})
    else:
        address.write(texts)
    st.session_state[Key.VIEW_IN_URL] = _from_url()
    return after


def follow(run: str) -> View:
    """Switch to a copy of the open study and keep the selection."""
    after = replace(view(), run=run)
    st.session_state[Key.VIEW] = after
    address.write(_texts(after))
    st.session_state[Key.VIEW_IN_URL] = _from_url()
    return after


def toggle_name(name: str) -> View:
    """Add a name to the selection, or take it out."""
    names = view().names
    return choose(names=tuple(n for n in names if n != name) if name in names else (*names, name)[-MAX_NAMES:])


def target_of(cube: ScoreCube) -> Target:
    """The chosen target of a cube."""
    return cube.targets[cube.target_index(str(view(cube).target))]


def _from_url() -> View:
    """What the address says; a threshold stands alone, or behind the name of another target and a colon."""

    def short(parameter: str) -> list[str]:
        """Values that may be names or ids: not empty, not too long, no lone surrogates."""
        values = dict.fromkeys(st.query_params.get_all(parameter))
        encodable = [not any("\ud800" <= letter <= "\udfff" for letter in value) for value in values]
        return [
            value
            for value, is_encodable in zip(values, encodable, strict=True)
            if is_encodable and 0 < len(value) <= MAX_LENGTH
        ]

    run = st.query_params.get("run", "")
    target, sentence = next(iter(short("target")), None), next(iter(short("s")), None)
    found: dict[str, float] = {}
    for text in short("c")[:MAX_NAMES]:
        name, colon, number = text.rpartition(":")
        try:
            value = float(number)
        except ValueError:
            continue
        if math.isfinite(value):
            found[name if colon else target or ""] = value
    threshold = found.pop(target or "", None)
    return View(
        run if RUN_ID.fullmatch(run) else None,
        target,
        threshold,
        tuple(short("names")[:MAX_NAMES]),
        sentence,
        tuple(found.items()),
    )


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
