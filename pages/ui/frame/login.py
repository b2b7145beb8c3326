"""Streamlit's own login (OpenID Connect) before every page, where ``PSA_LOGIN=1`` asks for one: see docs/deploy.md."""

from __future__ import annotations

import os

import streamlit as st

from pages.ui.frame import gateway

SETTING = "PSA_LOGIN"


def require() -> None:
    """End the page with a button to log in, until somebody has; without a configured login, nobody gets past it."""
    if os.environ.get(SETTING) != "1" or st.user.get("is_logged_in"):
        gateway.admit()
        return
    st.title("Perturbation sensitivity", anchor=False)
    st.button("Log in", type="primary", icon=":material/login:", on_click=st.login)
    st.stop()


def name() -> str:
    """Who has logged in, as the login service tells people apart; empty where nobody has to."""
    return "|".join(str(st.user.get(part, "")) for part in ("iss", "sub")) if os.environ.get(SETTING) == "1" else ""
