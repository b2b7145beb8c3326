"""Numbers of things in sentences: the noun and the verb that go with them."""

from __future__ import annotations


def counted(count: float, noun: str) -> str:
    """A number with its noun.

    Examples
    --------
    >>> counted(1, "name"), counted(1000, "name"), counted(2, "country")
    ('1 name', '1,000 names', '2 countries')
    """
    number = int(count)
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun[:-1]}ies" if noun.endswith("ry") else f"{number:,} {noun}s"


def verb(count: float, plural: str, singular: str = "") -> str:
    """The verb that goes with so many.

    Examples
    --------
    >>> verb(1, "move"), verb(2, "move"), verb(1, "are", "is")
    ('moves', 'move', 'is')
    """
    return (singular or f"{plural}s") if int(count) == 1 else plural
