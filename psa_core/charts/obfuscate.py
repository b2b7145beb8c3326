"""Names made unreadable but distinct, as in the paper's Figure 1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


def obfuscated(names: Iterable[str]) -> dict[str, str]:
    """Each name to its initials and dots, distinct for distinct names.

    Examples
    --------
    >>> obfuscated(["Ann Lee", "Amy Low", "Cher"])
    {'Ann Lee': 'A•• L••', 'Amy Low': 'A•• L•• (2)', 'Cher': 'C•••'}
    """
    seen: Counter[str] = Counter()
    shown = {}
    for name in names:
        dotted = " ".join(word[0] + "•" * (len(word) - 1) for word in name.split())
        seen[dotted] += 1
        shown[name] = dotted if seen[dotted] == 1 else f"{dotted} ({seen[dotted]})"
    return shown
