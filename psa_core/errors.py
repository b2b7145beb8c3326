"""One exception tree. Every message names the field, what it got, what was expected and what to do."""

from __future__ import annotations

import copyreg
import difflib
from collections.abc import Iterable
from typing import Any

#: Characters of what was expected: a list of every known id is long.
MAX_LENGTH = 1_000


def in_short(words: str, most: int = 300) -> str:
    r"""What a message quotes, on one line and without what a terminal obeys; a long one is cut in the middle.

    Examples
    --------
    >>> in_short("a\x1b[2Jb"), in_short("abcdefgh", 5)
    ('a\\x1b[2Jb', 'ab…gh')
    """
    shown = words if words.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in words)
    return shown if len(shown) <= most else f"{shown[: most // 2]}…{shown[-(most // 2) :]}"


def near(got: str, known: Iterable[str]) -> str:
    """What somebody may have meant who misspelled one of the known words; empty where none is like it.

    Examples
    --------
    >>> near("orgin", ["origin", "length"]), near("colour", ["origin", "length"])
    ("Did you mean 'origin'?", '')
    """
    found = difflib.get_close_matches(got, list(known), 1)
    return f"Did you mean {found[0]!r}?" if found else ""


class PsaError(Exception):
    """An input or a state that the user can fix; pages and the command line show it as one sentence.

    Parameters
    ----------
    field : str
        What the message is about, in the user's words (``"sentences"``), or an option of the command line
        (``"--max-words"``), which is the parameter ``max_words`` in Python.
    got : str
        What was found there.
    expected : str
        What would have been right.
    fix : str, optional
        What to do about it.

    Examples
    --------
    >>> str(PsaError("names", got="an empty list", expected="at least two names", fix="Add names."))
    'names: got an empty list, expected at least two names. Add names.'
    """

    def __init__(self, field: str, *, got: str, expected: str, fix: str = "") -> None:
        self.option, self.got, self.expected, self.fix = field, in_short(got), in_short(expected, MAX_LENGTH), fix
        # From Python an option of the command line is the parameter of its name.
        self.field = field[2:].replace("-", "_") if field.startswith("--") else field
        super().__init__(f"{self.field}: got {self.got}, expected {self.expected}. {fix}".strip())

    @property
    def with_option(self) -> str:
        """The sentence as the command line says it, where a parameter is an option: ``--max-words``."""
        return f"{self.option}{str(self).removeprefix(self.field)}"

    @property
    def happened(self) -> str:
        """What happened, as a page says it; `remedy` goes on from there."""
        field = self.field if self.option == self.field else self.field.replace("_", " ")
        field = field if "://" in field else f"{field[:1].upper()}{field[1:]}"
        return f"{field}: {self.got}."

    @property
    def remedy(self) -> str:
        """What is needed and what to do, as a page says it."""
        return f"Needed: {self.expected}. {self.fix}".strip()

    @property
    def full_message(self) -> str:
        """Both in one paragraph.

        Examples
        --------
        >>> PsaError("names", got="1 name", expected="at least two", fix="Add names.").full_message
        'Names: 1 name. Needed: at least two. Add names.'
        """
        return f"{self.happened} {self.remedy}"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by content, since the parameters are keyword-only; errors travel between processes."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class CorpusError(PsaError):
    """The sentences cannot be read or none of them can be used."""


class NameListError(PsaError):
    """The name list cannot be read or cannot be studied."""


class AnchorError(PsaError):
    """The anchor specification is unknown, or no sentence has such an anchor."""


class ModelError(PsaError):
    """A model id is unknown, or the model cannot be loaded or does not answer as a scorer must."""


class CubeError(PsaError):
    """Scores, sentences and names do not fit together."""


class RunFolderError(PsaError):
    """A result folder is missing, incomplete or damaged."""


class OptionError(PsaError):
    """A parameter is out of its range."""


class Cancelled(PsaError):  # noqa: N818 - it is a request that was honoured, not an error
    """The user asked a run to stop."""

    def __init__(self) -> None:
        super().__init__("run", got="a request to stop", expected="a finished run", fix="Run it again to resume.")
