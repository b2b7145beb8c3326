"""The dashboard: `streamlit run app.py`."""

from __future__ import annotations

from pages.ui.frame import shell

shell.run_app()
