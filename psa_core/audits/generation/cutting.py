"""Cut a continuation at its last full stop or line break."""

from __future__ import annotations

import re

#: A full stop that ends something, with the quotes and brackets that close behind it, or a line break.
_END = re.compile(r"""(?<![\s.])\.+["'”’)\]]*(?=\s|$)|\n""")


def cut(sampled: str) -> str:
    """The continuation up to its last full stop or line break, trimmed; empty when nothing is left.

    Examples
    --------
    >>> cut(" a teacher. Next week I will"), cut(" paid 3.50 an hour"), cut(" glad.”\\n\\nShe said")
    ('a teacher.', '', 'glad.”')
    """
    ends = [found.end() for found in _END.finditer(sampled)]
    whole = sampled[: ends[-1]].strip() if ends else ""
    return whole if any(letter.isalnum() for letter in whole) else ""
