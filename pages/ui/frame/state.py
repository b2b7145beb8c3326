"""One selection for every page (study, target, threshold, names, sentence), kept in the session and the URL."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from pages.ui.frame import address
from pages.ui.frame.keys import Key
from psa_core.cube import ScoreCube, Target
from psa_core.jobs import RUN_ID

PARAMETERS = {"run": "run", "target": "target", "threshold": "c", "names": "names", "sentence": "s"}
MAX_NAMES, MAX_LENGTH = 50, 200


@dataclass(frozen=True)
class View:
    """What is being looked at; None or empty where nothing was chosen.

    Attributes
    ----------
    run : str or None
        Id of the open study.
    target : str or None
    threshold : float or None
    names : tuple of str
        In the order in which they were chosen.
    sentence : str or None
        A ``sentence_id``.
    """

    run: str | None = None
    target: str | None = None
    threshold: float | None = None
    names: tuple[str, ...] = ()
    sentence: str | None = None


def sync(page: str = "") -> None:
    """Bring session and URL together: a link or the Back button wins, a page change keeps the session's view.

    Parameters
    ----------
    page : str
        Which page runs; see `address.bring_over`.
    """
    address.bring_over(page, [*PARAMETERS.values(), "with"])
    linked = _from_url()
    if "run" in st.query_params:
        st.session_state[Key.BROKEN_LINK] = linked.run is None
    if Key.VIEW not in st.session_state or linked != st.session_state.get(Key.VIEW_IN_URL):
        st.session_state[Key.VIEW] = linked
    _to_url(st.session_state[Key.VIEW])


def view(cube: ScoreCube | None = None) -> View:
    """The selection; with a cube, target and threshold are always set and what the cube does not have is left out."""
    if Key.VIEW not in st.session_state:
        sync()
    chosen: View = st.session_state[Key.VIEW]
    return chosen if cube is None else _within(chosen, cube)


def choose(**changes: Any) -> View:
    """Change the selection and the URL with it; a change of study or target forgets what belonged to the old one."""
    before = view()
    if changes.get("run", before.run) != before.run:
        before = View()
    if changes.get("target", before.target) != before.target:
        before = replace(before, threshold=None)
    after = replace(before, **changes)
    st.session_state[Key.VIEW] = after
    is_other_list = replace(after, sentence=before.sentence) != before
    _to_url(after, clears=(Key.SENTENCES_PAGE,) if is_other_list else ())
    return after


def follow(run: str) -> View:
    """Go on with a copy of the open study: what is looked at stays."""
    after = replace(view(), run=run)
    st.session_state[Key.VIEW] = after
    _to_url(after)
    return after


def toggle_name(name: str) -> View:
    """Add a name to the selection, or take it out."""
    names = view().names
    return choose(names=tuple(n for n in names if n != name) if name in names else (*names, name)[-MAX_NAMES:])


def clear() -> View:
    """Forget everything but the study."""
    return choose(target=None, threshold=None, names=(), sentence=None)


def target_of(cube: ScoreCube) -> Target:
    """The chosen target of a cube."""
    return cube.targets[cube.target_index(str(view(cube).target))]


def _within(chosen: View, cube: ScoreCube) -> View:
    by_name = {target.name: target for target in cube.targets}
    target = by_name.get(chosen.target or "", cube.targets[0])
    threshold = chosen.threshold
    if threshold is None or not target.low <= threshold <= target.high:
        threshold = target.default_threshold
    known = frozenset(cube.names["name"]) if chosen.names else frozenset()
    names = tuple(name for name in chosen.names if name in known)
    is_there = chosen.sentence is not None and bool((cube.sentences["sentence_id"] == chosen.sentence).any())
    sentence = chosen.sentence if is_there else None
    return replace(chosen, target=target.name, threshold=threshold, names=names, sentence=sentence)


def _from_url() -> View:
    run = st.query_params.get("run", "")
    names = [name for name in st.query_params.get_all("names") if _is_short(name)]
    return View(
        run=run if RUN_ID.fullmatch(run) else None,
        target=_short("target"),
        threshold=_number(st.query_params.get("c", "")),
        names=tuple(dict.fromkeys(names))[:MAX_NAMES],
        sentence=_short("s"),
    )


def _short(parameter: str) -> str | None:
    value = st.query_params.get(parameter, "")
    return value if _is_short(value) else None


def _is_short(value: str) -> bool:
    """Whether a value may be a name or an id: neither empty nor long, and without half characters."""
    return 0 < len(value) <= MAX_LENGTH and not any("\ud800" <= letter <= "\udfff" for letter in value)


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _to_url(chosen: View, *, clears: tuple[str, ...] = ()) -> None:
    wanted: dict[str, Any] = {
        "run": chosen.run,
        "target": chosen.target,
        "c": None if chosen.threshold is None else f"{chosen.threshold:.6g}",
        "names": list(chosen.names),
        "s": chosen.sentence,
    }
    address.write(
        {
            **{name: [] for name in clears},
            **{name: value if isinstance(value, list) else [value] if value else [] for name, value in wanted.items()},
        }
    )
    st.session_state[Key.VIEW_IN_URL] = _from_url()
