"""Present: one finding a view, in large type, for a room that looks at a wall."""

from __future__ import annotations

from pages.ui.frame import shell
from pages.ui.results import context, present_view

shell.guard()
present_view.heading()
study = context.need_whole_study()
with shell.show_errors():
    views = present_view.views(study)
    view = present_view.ask(list(views))
    views[view]()
