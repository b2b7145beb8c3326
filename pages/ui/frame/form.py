"""The form of a specification: a widget for each declared field, bound to the URL."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import streamlit as st

from pages.ui.frame import address, controls
from psa_core import options
from psa_core.options import Field

#: A number without an upper limit of its own; a browser counts exactly up to here.
MAX_VALUE = 2**53 - 1


def ask(
    key: Callable[[str], str], spec: type, only: Collection[str] | None = None, *, unlabelled: bool = False
) -> dict[str, Any]:
    """Draw widgets for a specification's fields that have a label; returns their validated values.

    `key` makes a field's widget key, which is also its parameter in the address; `only` names the fields to ask for,
    where others have widgets of their own; `unlabelled` also asks for the fields without a label, by their help. Raises
    `OptionError` when a value is out of range.
    """
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    values = {}
    for name, item in options.fields_of(spec).items():
        label = item.option.label or (unlabelled and (item.option.help.capitalize() or name))
        if label and (only is None or name in only):
            # A switch in the row would be moved to a line of its own once it is drawn.
            with st.container() if unlabelled or item.kind is bool else row:
                values[name] = item.checked(_widget(key(name), item, label))
    return values


def _widget(key: str, item: Field, label: str) -> Any:
    declared, tip = item.option, item.option.tip or None
    if item.kind in (str, tuple) and not declared.choices:
        first = "" if item.page_default is None else item.text(item.page_default)
        typed = st.text_input(label, help=tip, placeholder=declared.metavar, **address.linked(key, first))
        return typed or (None if item.optional else typed)
    if declared.choices:
        return controls.choose(label, declared.choices, key, item.page_default, wrap=True, help=tip)
    link = address.linked(key, item.page_default, read=item.parse)
    if item.kind is bool:
        return st.toggle(label, help=tip, **link)
    low = declared.low if declared.low is not None else declared.above
    high = min(declared.high, MAX_VALUE) if declared.high is not None else MAX_VALUE
    ends = [None if end is None else item.kind(end) for end in (low, high)]
    return st.number_input(label, *ends, help=tip, width=max(120, 60 + 7 * len(label)), **link)
