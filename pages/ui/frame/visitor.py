"""Identify the visitor, so that visitors take turns; the identifier cannot be guessed."""

from __future__ import annotations

import binascii
import hashlib
import os
import secrets

import streamlit as st

from pages.ui.frame import login
from psa_core import jobs

HEADER = "PSA_VISITOR_HEADER"
_COOKIE = "_streamlit_xsrf"
_KEY = "visitor_key"


def key() -> str:
    """A visitor's key, the same in all tabs and after a reload; empty on one person's own machine.

    It is a digest of the name that a login in front of the server puts into the header that ``PSA_VISITOR_HEADER``
    names, of who has logged in (see `login`), of a random cookie that the server gives each browser, or else of this
    session's own random number. Never of an address: many people share one.
    """
    if jobs.own_machine():
        return ""
    name = os.environ.get(HEADER, "")
    said = (st.context.headers.get(name) if name else None) or login.name()
    said = said or _browser(st.context.cookies.get(_COOKIE, ""))
    if not said:
        said = st.session_state.setdefault(_KEY, secrets.token_urlsafe(16))
    return hashlib.blake2b(str(said).encode("utf-8", "replace"), digest_size=12, person=b"psa visitor").hexdigest()


def _browser(cookie: str) -> str:
    """The random part of the cookie, which is masked anew at each load: ``2|mask|masked|time``."""
    try:
        _, mask, masked, _ = cookie.strip("\"'").split("|")
        secret, over = binascii.a2b_hex(masked), binascii.a2b_hex(mask)
        return bytes(byte ^ over[i % len(over)] for i, byte in enumerate(secret)).hex() if over else ""
    except ValueError:
        return ""
