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

from pages.ui.frame.keys import Key
from psa_core.errors import PsaError

T = TypeVar("T")
MAX_LENGTH = 600
#: Somebody who types, or moves a slider, has paused when nothing came for so long.
PAUSE_SECONDS = 1.0
Texts = Mapping[str, list[str]]


def bring_over(page: str, ours: Collection[str]) -> None:
    """Restore the URL's parameters at the start of a run, since Streamlit clears them when the page changes.

    `ours` are parameters that go from page to page, beside those of `linked` widgets.
    """
    carried = st.session_state.setdefault(Key.ADDRESS_CARRIED, set())
    carried.update(ours)
    st.session_state[Key.ADDRESS_SHOWN] = st.session_state.pop(Key.ADDRESS_SHOWING, set())
    turned = st.session_state.setdefault(Key.ADDRESS_PAGE, page) != page
    st.session_state[Key.ADDRESS_PAGE] = page
    if turned and not len(st.query_params):
        stood = {name: values for name, values in st.session_state.get(Key.ADDRESS, {}).items() if name in carried}
        write({**stood, **st.session_state.pop(Key.ADDRESS_WAITING, {})})
    _remember()


def write(texts: Texts) -> None:
    """Set URL parameters in one step; an empty list removes a parameter."""
    changed = {name: values for name, values in texts.items() if st.query_params.get_all(name) != values}
    if not changed:
        return
    st.query_params.update(changed)
    for name in [name for name, values in changed.items() if not values]:
        st.query_params.pop(name)
    _remember()


def _remember() -> None:
    """Keep the order of existing parameters, since an unchanged URL adds no step to the history."""
    st.session_state[Key.ADDRESS] = {name: st.query_params.get_all(name) for name in st.query_params}


def write_later(texts: Texts) -> None:
    """Set URL parameters after a pause, so that a stream of values is one step."""
    st.session_state[Key.ADDRESS_WAITING] = {**waiting(), **texts}
    st.session_state[Key.ADDRESS_WAITING_SINCE] = time.monotonic()


def waiting() -> Texts:
    """The values that `write_later` has yet to write."""
    found: Texts = st.session_state.get(Key.ADDRESS_WAITING, {})
    return found


def write_waiting() -> None:
    """Write the pending values once no more arrive; called before a page is drawn."""

    def at_pause() -> None:
        if waiting() and time.monotonic() - st.session_state[Key.ADDRESS_WAITING_SINCE] >= PAUSE_SECONDS:
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

    Parameters
    ----------
    key : str
    default : object
        The value that is not written: text, a number, one of the options, or a list of some.
    options : collection, optional
        What may be chosen; anything else in the address is left unheard. Of a mapping, the labels are heard as well:
        links that were sent earlier have them.
    typing : bool
        Whether the value comes letter by letter: then it is written at the next pause; see `write_later`.
    longest : int
        Letters that are taken from the address.
    clears : tuple of str
        Parameters that a new value takes out of the address.
    read : callable, optional
        Reads the value of a text and raises a `PsaError` where it is none, for values of another kind.
    """
    st.session_state.setdefault(Key.ADDRESS_CARRIED, set()).add(key)
    texts, memory = st.query_params.get_all(key), f"{key} in address"
    if key not in st.session_state or texts != st.session_state.get(memory, []):
        st.session_state[key] = _value(texts, default, options, longest, read)
    elif options is not None and not all(item in options for item in _listed(st.session_state[key])):
        st.session_state[key] = default
    showing = st.session_state.setdefault(Key.ADDRESS_SHOWING, set())
    if key not in showing and key not in st.session_state.get(Key.ADDRESS_SHOWN, ()):
        st.session_state[key] = st.session_state[key]  # a widget that was away comes back with its default, unless told
    showing.add(key)
    st.session_state[memory] = texts

    def changed() -> None:
        new = {key: _texts(st.session_state[key], default)}
        if typing:
            write_later({**{name: [] for name in clears}, **new})
        else:
            _write_widgets(new, clears)

    return {"key": key, "on_change": changed}


def put(key: str, value: Any) -> None:
    """Set the value of a linked widget, for example after a click elsewhere."""
    put_all({key: value})


def put_all(values: Mapping[str, Any]) -> None:
    """Set the values of linked widgets in one step of the history."""
    st.session_state.update(values)
    _write_widgets({key: _texts(value, None) for key, value in values.items()})


def _write_widgets(texts: Texts, clears: tuple[str, ...] = ()) -> None:
    """Write the URL parameters of widgets, which then need not read them back."""
    st.session_state[Key.ADDRESS_WAITING] = {key: later for key, later in waiting().items() if key not in texts}
    write({**{name: [] for name in clears}, **texts})
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
    if read is not None:
        try:
            return read(texts[-1][:longest])
        except PsaError:
            return default
    if options is not None:
        labels = options.items() if isinstance(options, Mapping) else ()
        by_text = {str(label): option for option, label in labels} | {str(option): option for option in options}
        found = [by_text[text] for text in texts if text in by_text]
        if isinstance(default, list):
            return found or default
        return found[-1] if found else default
    if not isinstance(default, float):
        return texts[-1][:longest].encode("utf-8", "ignore").decode("utf-8")
    try:
        number = float(texts[-1])
    except ValueError:
        return default
    return number if math.isfinite(number) else default
