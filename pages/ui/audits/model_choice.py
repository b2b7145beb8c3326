"""Choose a model: one that is ready, or a kind with the argument that it takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from pages.ui.audits.audit_job import AuditPage
from pages.ui.frame import permissions


def ask(
    page: AuditPage,
    label: str,
    name: str,
    ready: Mapping[str, str],
    kinds: Mapping[str, Any],
    *,
    check: Callable[[str], str] = permissions.check,
    **told: Any,
) -> str:
    """The id of the chosen model, checked; empty while the argument of a kind is not typed.

    Parameters
    ----------
    page : AuditPage
    label, name : str
        Of the widget, and what it asks for, which is its key.
    ready : mapping
        Id to title; an empty id stands for no model.
    kinds : mapping
        Id of a plug-in to the plug-in, whose ids have an argument.
    check : callable
        Returns an id that this person may use, or raises a `PsaError`.
    **told
        Further arguments of the select box.
    """
    titles = {**ready, **{f"{item}:": f"{plugin.title} …" for item, plugin in kinds.items()}}
    chosen = str(
        st.selectbox(
            label,
            list(titles),
            key=page.key(name),
            format_func=lambda item: titles.get(item, item),
            persist_state="session",
            **told,
        )
    )
    if chosen.endswith(":") and chosen in titles:
        argument = kinds[chosen[:-1]].argument.capitalize()
        typed = st.text_input(argument, key=page.key(f"{name}_{chosen}"), max_chars=permissions.MAX_ID_LENGTH).strip()
        return check(f"{chosen}{typed}") if typed else ""
    return check(chosen) if chosen else ""  # what a client sends need not be one of the options
