"""Present: one finding a view, in large type, for a room that looks at a wall."""

from __future__ import annotations

import streamlit as st

from pages.ui.frame import shell
from pages.ui.results import context, present_view

shell.guard()
st.html(present_view.HEADING)
study = context.need_study(alone=True)
with shell.show_errors():
    views = present_view.views(study)
    with st.container():
        view = present_view.ask(list(views))
    with st.container(key="present_stage"):
        views[view]()
