"""The visitor: a login where one is required, and a key for fair scheduling between visitors."""

from __future__ import annotations

import binascii
import hashlib
import os
import secrets

import streamlit as st

from pages.ui.frame import gateway
from psa_core import jobs

HEADER, LOGIN = "PSA_VISITOR_HEADER", "PSA_LOGIN"


def require_login() -> None:
    """End the page with a button to log in, until somebody has, where ``PSA_LOGIN=1`` asks for it: docs/deploy.md.

    The login is Streamlit's own (OpenID Connect); where none is configured, nobody gets past the button.
    """
    if os.environ.get(LOGIN) != "1" or st.user.get("is_logged_in"):
        gateway.admit()
        return
    st.title("Perturbation sensitivity", anchor=False)
    st.button("Log in", type="primary", icon=":material/login:", on_click=st.login)
    st.stop()


def key() -> str:
    """A visitor's key, which cannot be guessed: the same in all tabs and after a reload; empty on one's own machine.

    It is a digest of the name that a login in front of the server puts into the header that ``PSA_VISITOR_HEADER``
    names, of who has logged in, of a random cookie that the server gives each browser, or else of this session's own
    random number. Never of an address: many people share one.
    """
    if jobs.own_machine():
        return ""
    header = os.environ.get(HEADER, "")
    who = st.context.headers.get(header) if header else None
    if not who and os.environ.get(LOGIN) == "1":
        who = "|".join(str(st.user.get(part, "")) for part in ("iss", "sub"))
    who = who or _browser(st.context.cookies.get("_streamlit_xsrf", ""))
    who = who or st.session_state.setdefault("visitor_key", secrets.token_urlsafe(16))
    return hashlib.blake2b(str(who).encode("utf-8", "replace"), digest_size=12, person=b"psa visitor").hexdigest()


def _browser(cookie: str) -> str:
    """The random part of the cookie, which is masked afresh at each load: ``2|mask|masked|time``."""
    try:
        _, mask, masked, _ = cookie.strip("\"'").split("|")
        secret, over = binascii.a2b_hex(masked), binascii.a2b_hex(mask)
        return bytes(byte ^ over[i % len(over)] for i, byte in enumerate(secret)).hex() if over else ""
    except ValueError:
        return ""
