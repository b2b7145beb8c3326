"""Validate the types of values that callers pass, with messages in their terms."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from os import PathLike, fspath
from os.path import isfile
from pathlib import Path
from typing import Any

from psa_core import trust
from psa_core.errors import CorpusError, OptionError, PsaError
from psa_core.inputs.limits import NAMES_FILE, Limit


def whole_number(field: str, value: Any) -> int:
    """A whole number, NumPy's too, as an `int`; raises `OptionError` for anything else."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise OptionError(field, got=repr(value), expected="a whole number")
    return int(value)


def as_text(field: str, value: Any) -> str:
    """A string, or the string of a path; raises `OptionError` for anything else."""
    plain = fspath(value) if isinstance(value, PathLike) else value
    if not isinstance(plain, str):
        raise OptionError(field, got=repr(value), expected="a string")
    return plain


def path_of(text: str) -> Path:
    """A path as a person writes it: ``~/`` is the home folder; any other ``~`` is a letter of a name.

    >>> path_of("~x.csv")
    PosixPath('~x.csv')
    """
    return Path(text).expanduser() if text == "~" or text.startswith("~/") else Path(text)


def bytes_of(path: Path, limit: Limit, *, field: str, error: type[PsaError]) -> bytes:
    """The bytes of a regular file that is within a limit: a device or a pipe may never end, a file may be sparse.

    Raises `error` when it is larger; OSError, or ValueError for a NUL in the path, when it cannot be read.
    """
    if not isfile(path):  # which Path.is_file answers with an error where a name is too long
        raise FileNotFoundError(2, "no file", str(path))
    limit.check(path.stat().st_size, field=field, error=error, of=f"in {path.name[:60]}")
    return path.read_bytes()


def listed_bytes(
    place: str,
    *,
    field: str,
    error: type[PsaError],
    expected: str,
    fix: str = "",
    origin: trust.Origin | None = None,
) -> bytes:
    """The bytes of a file with a list (names, tasks, templates …) that somebody names by its path.

    Raises `OptionError` when it may not be read on their word, and `error` when it is missing or too large.
    """
    trust.permit_path(field, place, origin)
    try:
        return bytes_of(Path(place), NAMES_FILE, field=field, error=error)
    except (OSError, ValueError) as missing:
        raise error(field, got=f"{place[:80]!r}, no file that can be read", expected=expected, fix=fix) from missing


def yes_or_no(field: str, value: Any) -> bool:
    """True or False, which are all that it takes; raises `OptionError` for anything else."""
    if not isinstance(value, bool):
        raise OptionError(field, got=repr(value), expected="True or False")
    return value


def file_name(name: str, most: int = 255) -> str:
    """The name under which an uploaded file is stored: the last part of its path, at most that many bytes.

    The end counts, since it tells the format. What is left of ``..`` or of nothing is ``upload``.

    >>> file_name("../../comments.csv"), file_name("ö" * 300 + ".csv", 8), file_name("..")
    ('comments.csv', 'öö.csv', 'upload')
    """
    last = Path(name.replace("\0", "")).name.encode("utf-8", "replace")[-most:].decode("utf-8", "ignore")
    return "upload" if last in ("", ".", "..") else last


def as_texts(values: Iterable[str]) -> list[str]:
    """Texts as a list; raises `CorpusError` for one string, no collection, and a text that is no string or has half a
    character.

    >>> as_texts(("He left.", "She stayed."))
    ['He left.', 'She stayed.']
    """
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise CorpusError("texts", got=repr(values)[:60], expected="a list of texts", fix="Put one text into a list.")
    texts = list(values)
    for number, text in enumerate(texts, start=1):
        if not isinstance(text, str):
            raise CorpusError("texts", got=f"{text!r:.60} as text {number}", expected="a string")
        try:
            text.isascii() or text.encode()  # the first is much faster
        except UnicodeEncodeError as error:
            got = f"half a character (a lone surrogate) in text {number}, {text!a:.60}"
            raise CorpusError(
                "texts", got=got, expected="characters that UTF-8 can write", fix="Replace it."
            ) from error
    return texts
