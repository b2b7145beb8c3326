"""State in the URL: it can be shared, survives a reload, and each change is one step for the Back button.

Streamlit's own binding of widgets to the address replaces the entry of the browser's history, so that Back undoes
several changes at once, and leaves entries behind at each change of the page. Here each change is written in one go.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

import streamlit as st

from psa_core.errors import PsaError

T = TypeVar("T")
MAX_LENGTH = 600
#: Somebody who types, or moves a slider, has paused when nothing came for so long.
PAUSE_SECONDS = 1.0
Texts = Mapping[str, list[str]]

#: In the session: the parameters of the last run, and the page they were on; those that go from page to page.
LAST, PAGE, CARRIED = "address", "address_page", "address_carried"
#: The linked widgets of the last run, and of this one; what is written at a pause, and since when it waits.
SHOWN, SHOWING, WAITING, WAITING_SINCE = "address_shown", "address_showing", "address_waiting", "address_waiting_since"


def bring_over(page: str, ours: Collection[str]) -> None:
    """Restore the URL's parameters at the start of a run, since Streamlit clears them when the page changes.

    `ours` are parameters that go from page to page, beside those of `linked` widgets.
    """
    session = st.session_state
    carried = session.setdefault(CARRIED, set())
    carried.update(ours)
    session[SHOWN] = session.pop(SHOWING, set())
    turned = session.setdefault(PAGE, page) != page
    session[PAGE] = page
    if turned and not len(st.query_params):
        stood = {name: values for name, values in session.get(LAST, {}).items() if name in carried}
        write({**stood, **session.pop(WAITING, {})})
    _remember()


def write(texts: Texts) -> None:
    """Set URL parameters in one step; an empty list removes a parameter."""
    changed = {name: values for name, values in texts.items() if st.query_params.get_all(name) != values}
    if changed:
        st.query_params.update(changed)
        for name in [name for name, values in changed.items() if not values]:
            st.query_params.pop(name)
        _remember()


def _remember() -> None:
    """Keep the order of existing parameters, since an unchanged URL adds no step to the history."""
    st.session_state[LAST] = {name: st.query_params.get_all(name) for name in st.query_params}


def write_later(texts: Texts) -> None:
    """Set URL parameters after a pause, so that a stream of values is one step."""
    st.session_state[WAITING] = {**waiting(), **texts}
    st.session_state[WAITING_SINCE] = time.monotonic()


def waiting() -> Texts:
    """The values that `write_later` has yet to write."""
    found: Texts = st.session_state.get(WAITING, {})
    return found


def write_waiting() -> None:
    """Write the pending values once no more arrive; called before a page is drawn."""

    def at_pause() -> None:
        if waiting() and time.monotonic() - st.session_state[WAITING_SINCE] >= PAUSE_SECONDS:
            _write_widgets(waiting())
            st.rerun()

    if waiting():
        st.fragment(at_pause, run_every=PAUSE_SECONDS)()


def linked(
    key: str,
    default: T,
    options: Collection[Any] | None = None,
    *,
    typing: bool = False,
    longest: int = MAX_LENGTH,
    clears: tuple[str, ...] = (),
    read: Callable[[str], T] | None = None,
) -> dict[str, Any]:
    """Arguments for a widget bound to a URL parameter; a link or the Back button wins.

    `default` is the value that is not written: text, a number, one of the `options`, or a list of some. Anything but
    an option is left unheard; of a mapping, the labels are heard as well, since links that were sent earlier have them.
    Where `typing` says that the value comes letter by letter, it is written at the next pause. At most `longest`
    letters are taken from the address. A new value takes the parameters `clears` out of the address. `read` reads
    values of another kind, and raises a `PsaError` where a text is none.
    """
    session = st.session_state
    session.setdefault(CARRIED, set()).add(key)
    texts, memory = st.query_params.get_all(key), f"{key} in address"
    if key not in session or texts != session.get(memory, []):
        session[key] = _value(texts, default, options, longest, read)
    elif options is not None and not all(item in options for item in _listed(session[key])):
        session[key] = default
    showing = session.setdefault(SHOWING, set())
    if key not in showing and key not in session.get(SHOWN, ()):
        session[key] = session[key]  # a widget that was away comes back with its default, unless told
    showing.add(key)
    session[memory] = texts

    def changed() -> None:
        new, cleared = {key: _texts(session[key], default)}, {name: [] for name in clears}
        if typing:
            write_later(cleared | new)
        else:
            _write_widgets(new, cleared)

    return {"key": key, "on_change": changed}


def put(key: str, value: Any) -> None:
    """Set the value of a linked widget, for example after a click elsewhere."""
    put_all({key: value})


def put_all(values: Mapping[str, Any]) -> None:
    """Set the values of linked widgets in one step of the history."""
    st.session_state.update(values)
    _write_widgets({key: _texts(value, None) for key, value in values.items()})


def _write_widgets(texts: Texts, cleared: Texts | None = None) -> None:
    """Write the URL parameters of widgets, which then need not read them back; those that are `cleared` have to."""
    st.session_state[WAITING] = {key: later for key, later in waiting().items() if key not in texts}
    write({**(cleared or {}), **texts})
    st.session_state.update({f"{key} in address": values for key, values in texts.items()})


def _texts(value: Any, default: Any) -> list[str]:
    return [] if value in (None, "", default) else [str(item) for item in _listed(value)]


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _value(
    texts: list[str],
    default: T,
    options: Collection[Any] | None,
    longest: int,
    read: Callable[[str], T] | None,
) -> Any:
    """The value that a widget's URL parameters encode; the default if they are not valid."""
    if not texts:
        return default
    if options is not None:
        labels = options.items() if isinstance(options, Mapping) else ()
        by_text = {str(label): option for option, label in labels} | {str(option): option for option in options}
        found = [by_text[text] for text in texts if text in by_text]
        if isinstance(default, list):
            return found or default
        return found[-1] if found else default
    text = texts[-1][:longest]
    try:
        if read is not None:
            return read(text)
        if isinstance(default, float):
            return float(text) if math.isfinite(float(text)) else default
    except (PsaError, ValueError):
        return default
    return text.encode("utf-8", "ignore").decode("utf-8")
