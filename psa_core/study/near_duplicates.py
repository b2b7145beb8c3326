"""Which texts say the same: but for signs, handles and addresses."""

from __future__ import annotations

import re

_ASIDE = re.compile(r"https?://\S+|[@&]\w+;?|[^\w\s]+")


def normalized(text: str) -> str:
    """A text without what does not tell it from a repeat of it: case, signs, handles, addresses, spaces.

    Examples
    --------
    >>> normalized("RT @someone: He LEFT!  https://t.co/x") == normalized("rt he left.")
    True
    """
    return " ".join(_ASIDE.sub(" ", text.casefold()).split())
