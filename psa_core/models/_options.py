"""The options behind a model's name in its id: ``name?option=value&…``, and behind an address ``#option=value&…``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from urllib.parse import parse_qsl

from psa_core.errors import ModelError

FLAGS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
INTEGERS = ("batch", "retries", "samples", "parallel")


def split_options(argument: str, known: tuple[str, ...], *, mark: str = "?") -> tuple[str, dict[str, str]]:
    """Split ``name?option=value&option=value`` into the name and its options; behind an address the mark is ``#``.

    Raises `ModelError` when an option is not among the known ones or has no value.
    """
    name, _, query = argument.partition(mark)
    options = dict(parse_qsl(query, keep_blank_values=True))
    wrong = [key for key, value in options.items() if key not in known or not value]
    if wrong or (query and not options):
        expected = f"{', '.join(f'{option}=…' for option in known)}, joined by &"
        raise ModelError(
            "model options", got=repr(query), expected=expected, fix=f"For example: {name}{mark}{known[0]}=…"
        )
    return name, options


def flag(options: Mapping[str, str], name: str) -> bool:
    """Whether an option says yes; False when it is not given.

    Raises `ModelError` when its value is neither yes nor no.
    """
    value = options.get(name, "0").lower()
    if value not in FLAGS:
        raise ModelError(f"model option {name}", got=repr(value), expected="1 or 0")
    return FLAGS[value]


def parse_range(text: str) -> tuple[float, float]:
    """Low and high from ``low..high``; raises `ModelError` when it is not that.

    Examples
    --------
    >>> parse_range("-1..1")
    (-1.0, 1.0)
    """
    try:
        low, high = (float(part) for part in text.split(".."))
    except ValueError:
        low = high = 0.0
    if not -math.inf < low < high < math.inf:
        raise ModelError("range", got=repr(text), expected="low..high, as in 1..5")
    return low, high


def numbers_of(given: Mapping[str, str], known: Mapping[str, tuple[float, float, float]]) -> dict[str, float]:
    """The options that are numbers, each from (value where it is not given, least, most).

    Raises `ModelError` when one is no number or out of its range.
    """
    found = {}
    for key, (usual, low, high) in known.items():
        try:
            number = float(given.get(key, usual))
        except ValueError:
            number = math.nan
        if not low <= number <= high or (key in INTEGERS and number % 1):
            expected = f"a {'whole ' * (key in INTEGERS)}number from {low:g} to {high:g}"
            raise ModelError(f"option {key}", got=repr(given[key]), expected=expected)
        found[key] = number
    return found
