"""What names look like."""

from __future__ import annotations

import re

ALLOW = "PSA_HTTP_ALLOW"
HUB_ID = re.compile(r"[\w.-]{1,96}(/[\w.-]{1,96})?")


def is_hub_id(name: str) -> bool:
    """Whether it has the form of a model hub's id, such as ``owner/model``."""
    return HUB_ID.fullmatch(name) is not None and not name.startswith(".")
