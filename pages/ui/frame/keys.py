"""Keys that several files use; a key of one file stands where it is used, with the page's name before it.

Values can persist across pages, and the key of a linked widget is its parameter in the address.
"""

from __future__ import annotations

from enum import StrEnum


class Key(StrEnum):
    """What the session and the address call it; links that were sent earlier have these words."""

    BROKEN_LINK = "broken_link"
    COMPARE_RUNS = "compare_runs"
    HIDE_NAMES = "hide_names"
    NAMES_BASELINE = "baseline"
    NAMES_PART = "names_part"
    PRESENT_FROM = "present_from"
    PRESENT_VIEW = "view_on"
    RUNS_SEEN = "runs_seen"
    SENTENCES_CARD = "sentences_card"
    SENTENCES_LEAVE_OUT = "sentences_leave_out"
    SENTENCES_PAGE = "sentences_page"
    TRY_LAST = "try_last_sentence"
    TRY_SORT = "try_sort"
