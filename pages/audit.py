"""Any audit that has no page of its own."""

from __future__ import annotations

import streamlit as st

from pages.ui.audits import frame
from pages.ui.frame import shell
from psa_core import audits

shell.guard()
named = st.query_params.get("audit", "") or shell.page_shown()
if named in audits.plugins():
    frame.any_audit(audits.plugins()[named])
else:
    shell.heading("Audit", "Which audit?")
    st.info(f"There is no such audit here. Known: {', '.join(audits.plugins())}.")
