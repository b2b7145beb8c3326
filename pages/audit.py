"""Other audits: which there are, and any that has no page of its own."""

from __future__ import annotations

import streamlit as st

from pages.ui.audits import frame
from pages.ui.frame import shell
from psa_core import audits

shell.guard()
asked = st.query_params.get("audit", "")
named = asked or shell.page_shown()
if named in audits.plugins() and named not in shell.OWN_PAGE:
    frame.any_audit(audits.plugins()[named])
else:
    shell.heading("Other audits", "Other questions about names, each with its own method.")
    if asked:
        st.info(f"There is no such audit here. Known: {', '.join(audits.plugins())}.")
    shell.audit_cards()
