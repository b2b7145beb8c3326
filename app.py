"""The dashboard: `streamlit run app.py`. The server imports this file once, and runs it again for every visit."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from pages.ui.frame import gateway, internals, shell

if __name__ == "__main__":
    shell.run_app()
else:
    internals.use_navigation_only()
    app = st.App(Path(__file__), middleware=[Middleware(gateway.Gateway)], lifespan=gateway.opened)
