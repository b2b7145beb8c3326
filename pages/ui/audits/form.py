"""The form of a specification: a widget for each declared field, whose value stands in the address too."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import streamlit as st

from pages.ui.audits.audit_job import AuditPage
from pages.ui.frame import address
from psa_core import options
from psa_core.options import Field

#: A number without an upper limit of its own; a browser counts exactly up to here.
MAX_VALUE = 2**53 - 1


def ask(page: AuditPage, spec: type, only: Collection[str] | None = None) -> dict[str, Any]:
    """Ask for the fields that have a label; returns their values, checked.

    Parameters
    ----------
    page : AuditPage
        Whose widgets these are.
    spec : type
        A frozen dataclass of `options.option` fields.
    only : collection of str, optional
        The fields to ask for. The others of a page have widgets of their own.

    Raises
    ------
    OptionError
        When a value is out of range.
    """
    shown = {name: item for name, item in options.fields_of(spec).items() if item.option.label}
    asked = {name: item for name, item in shown.items() if only is None or name in only}
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    values = {}
    for name, item in asked.items():
        # A switch in the row would be moved to a line of its own once it is drawn.
        with st.container() if item.kind is bool else row:
            values[name] = item.checked(_widget(page, item, item.option.label))
    return values


def ask_all(page: AuditPage, spec: type) -> dict[str, Any]:
    """Ask for every field, those without a label by their help: the form of an audit that has no page of its own."""
    labels = {
        name: item.option.label or item.option.help.capitalize() for name, item in options.fields_of(spec).items()
    }
    return {
        name: item.checked(_widget(page, item, labels[name] or name)) for name, item in options.fields_of(spec).items()
    }


def _widget(page: AuditPage, item: Field, label: str) -> Any:
    told = item.option
    if item.kind in (str, tuple) and not told.choices:
        first = "" if item.page_default is None else item.text(item.page_default)
        typed = st.text_input(
            label, help=told.tip or None, placeholder=told.metavar, **address.linked(page.key(item.name), first)
        )
        return typed or (None if item.optional else typed)
    link = address.linked(page.key(item.name), item.page_default, read=item.parse)
    if item.kind is bool:
        return st.toggle(label, help=told.tip or None, **link)
    if told.choices:
        choices, tip = list(told.choices), told.tip or None
        words = told.choices.get
        return st.segmented_control(label, choices, required=True, format_func=words, wrap=True, help=tip, **link)
    low = told.low if told.low is not None else told.above
    high = min(told.high, MAX_VALUE) if told.high is not None else MAX_VALUE
    ends = [None if end is None else item.kind(end) for end in (low, high)]
    return st.number_input(label, *ends, help=told.tip or None, width=max(120, 60 + 7 * len(label)), **link)
