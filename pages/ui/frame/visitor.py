"""Who uses these pages: a login where one is required, a key of each visitor, and which models they may name.

The rules for models are in `psa_core.trust`.
"""

from __future__ import annotations

import binascii
import hashlib
import os
import secrets

import streamlit as st

from pages.ui.frame import gateway
from psa_core import jobs, models, trust
from psa_core.errors import PsaError
from psa_core.models import ModelPlugin
from psa_core.trust import Origin

HEADER, LOGIN = "PSA_VISITOR_HEADER", "PSA_LOGIN"
#: Characters of a model's id that somebody types.
MAX_ID_LENGTH = 300


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


def origin() -> Origin:
    """On whose word models are loaded here: the owner of the machine, or a visitor."""
    return Origin.OWN_MACHINE if jobs.own_machine() else Origin.VISITOR


def origin_of(run_id: str, model_id: str) -> Origin:
    """The origin of a run's model id: a file, unless a person submitted the run with it."""
    run = jobs.status(run_id)
    is_its_own = run.spec is not None and run.spec.model == model_id
    return max(origin(), run.origin) if is_its_own else Origin.FILE


def kinds() -> dict[str, ModelPlugin]:
    """The kinds of models that take an argument, by id: one that this person may give, or a file to upload."""
    return {
        item: plugin
        for item, plugin in models.plugins().items()
        if plugin.argument and (plugin.uploads or trust.offered_to(plugin.takes, origin()))
    }


def check(model_id: str) -> str:
    """Return an id that the current user may use; raises a `PsaError` for others."""
    return models.check(model_id, origin())


def is_offered(model_id: str, to: Origin | None = None) -> bool:
    """Whether the current user, or `to`, may use an id."""
    try:
        models.check(model_id, origin() if to is None else to)
    except PsaError:
        return False
    return True


def is_harmless(model_id: str) -> bool:
    """Whether a model can be loaded without access to files or the network, whoever asks for it."""
    return is_offered(model_id, Origin.FILE)
