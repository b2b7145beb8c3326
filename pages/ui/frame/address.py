"""What stands in the address: it can be sent, outlives a reload, and each change is one step for the Back button.

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
#: Somebody who types has paused when nothing came for so long.
PAUSE_SECONDS = 1.0
Texts = Mapping[str, list[str]]


def bring_over(page: str, ours: Collection[str]) -> None:
    """Restore the address at the start of a run: Streamlit empties it when the page changes.

    Parameters
    ----------
    page : str
        Which page runs.
    ours : collection of str
        Parameters that go from page to page, beside those of `linked` widgets.
    """
    st.session_state.setdefault(Key.ADDRESS_CARRIED, set()).update(ours)
    turned = st.session_state.setdefault(Key.ADDRESS_PAGE, page) != page
    st.session_state[Key.ADDRESS_PAGE] = page
    if turned and not len(st.query_params):
        carried = st.session_state[Key.ADDRESS_CARRIED]
        stood = {name: values for name, values in st.session_state.get(Key.ADDRESS, {}).items() if name in carried}
        write({**stood, **st.session_state.pop(Key.ADDRESS_TYPED, {})})
    _remember()


def write(texts: Texts) -> None:
    """Put texts in the address, all in one step; an empty list takes a parameter away."""
    changed = {name: values for name, values in texts.items() if st.query_params.get_all(name) != values}
    if not changed:
        return
    st.query_params.update(changed)
    for name in [name for name, values in changed.items() if not values]:
        st.query_params.pop(name)
    _remember()


def _remember() -> None:
    """Keep what stands there, in its order: the same address again is no step in the history."""
    st.session_state[Key.ADDRESS] = {name: st.query_params.get_all(name) for name in st.query_params}


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
    """Arguments for a widget whose value stands in the address under its key; a link and the Back button win.

    Parameters
    ----------
    key : str
    default : object
        The value that is not written: text, a number, one of the options, or a list of some.
    options : collection, optional
        What may be chosen; anything else in the address is left unheard. Of a mapping, the labels are heard as well:
        links that were sent earlier have them.
    typing : bool
        Whether the value comes letter by letter: then it is written at the next pause; see `write_typed`.
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
    elif options is not None and not _is_among(st.session_state[key], options):
        st.session_state[key] = default
    st.session_state[memory] = texts
    return {"key": key, "on_change": _wait_to_write if typing else _write_now, "args": (key, default, clears)}


def put(key: str, value: Any) -> None:
    """Give a linked widget another value, from the click on something else."""
    put_all({key: value})


def put_all(values: Mapping[str, Any]) -> None:
    """Give linked widgets other values, all in one step of the history."""
    st.session_state.update(values)
    _write_widgets({key: _texts(value, None) for key, value in values.items()})


def write_typed() -> None:
    """Write what was typed as soon as nothing comes any more; called before a page is drawn."""
    if st.session_state.get(Key.ADDRESS_TYPED):
        st.fragment(_write_at_pause, run_every=PAUSE_SECONDS)()


def _write_at_pause() -> None:
    typed = st.session_state.get(Key.ADDRESS_TYPED)
    if typed and time.monotonic() - st.session_state[Key.ADDRESS_TYPED_AT] >= PAUSE_SECONDS:
        _write_widgets(typed)
        st.rerun()


def _wait_to_write(key: str, default: Any, clears: tuple[str, ...]) -> None:
    texts = {**{name: [] for name in clears}, key: _texts(st.session_state[key], default)}
    st.session_state[Key.ADDRESS_TYPED] = {**st.session_state.get(Key.ADDRESS_TYPED, {}), **texts}
    st.session_state[Key.ADDRESS_TYPED_AT] = time.monotonic()


def _write_now(key: str, default: Any, clears: tuple[str, ...]) -> None:
    _write_widgets({key: _texts(st.session_state[key], default)}, clears)


def _write_widgets(texts: Texts, clears: tuple[str, ...] = ()) -> None:
    """Write the texts of widgets, which then need not take them from the address."""
    waiting = st.session_state.get(Key.ADDRESS_TYPED, {})
    st.session_state[Key.ADDRESS_TYPED] = {key: typed for key, typed in waiting.items() if key not in texts}
    write({**{name: [] for name in clears}, **texts})
    st.session_state.update({f"{key} in address": values for key, values in texts.items()})


def _texts(value: Any, default: Any) -> list[str]:
    return [] if value in (None, "", default) else [str(item) for item in _listed(value)]


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _is_among(value: Any, options: Collection[Any]) -> bool:
    return all(item in options for item in _listed(value))


def _value(
    texts: list[str],
    default: T,
    options: Collection[Any] | None,
    longest: int,
    read: Callable[[str], T] | None,
) -> Any:
    """The value that a widget's texts in the address encode; the default where they encode none."""
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
