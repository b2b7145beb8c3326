"""Columns of strings, built in parts and within limits."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from psa_core.errors import PsaError
from psa_core.inputs.limits import CELLS, COLUMNS, FILE, ROWS, TEXT, Limit

if TYPE_CHECKING:
    import pyarrow as pa

#: Rows that are read before their size is looked at.
PART = 10_000
MAX_HEADER_LENGTH = 200
JOINERS = "\u200c\u200d"  # which some scripts are written with
INVISIBLE = "\ufeff\u200b\u200e\u200f"  # marks that come along with copied text


@dataclass(frozen=True)
class TableSchema:
    """What a kind of table has to be; how its files are read is the same for all.

    Attributes
    ----------
    field : str
        What the table is to the reader, for messages: ``sentences``, ``names``.
    error : type
        What to raise when it is not.
    formats : tuple of str
        Endings of its files.
    row : str
        What a row is, for messages: ``one text a row``.
    headers : frozenset of str
        Lower-case headers that tell which separator a file has.
    line : str
        Header of the only column of a file with one value a line.
    blanks : bool
        Whether a blank behind a separator belongs to the cell.
    headerless : bool
        Whether a file without a row of headers is read too; its columns are then numbered.
    rows, columns, file : Limit
    """

    field: str
    error: type[PsaError]
    formats: tuple[str, ...]
    row: str
    headers: frozenset[str] = frozenset()
    line: str = "text"
    blanks: bool = True
    headerless: bool = False
    rows: Limit = ROWS
    columns: Limit = COLUMNS
    file: Limit = FILE

    def problem(self, got: str, *, expected: str = "", fix: str = "") -> PsaError:
        """The error to raise."""
        return self.error(self.field, got=got, expected=expected or self.row, fix=fix)

    def check(self, limit: Limit, amount: int, of: str = "") -> None:
        """Refuse an amount above a limit."""
        limit.check(amount, field=self.field, error=self.error, of=of)


def clean_headers(headers: Sequence[object], wanted: TableSchema) -> list[str]:
    """Headers without blanks around them; empty where there is none.

    Raises
    ------
    PsaError
        When there are too many, one is far too long, or two differ by blanks at most: no result folder could keep such
        columns apart.
    """
    wanted.check(wanted.columns, len(headers))
    cleaned = [_clean(str(header)[: 4 * MAX_HEADER_LENGTH]) for header in headers]
    longest = max(cleaned, key=len, default="")
    if len(longest) > MAX_HEADER_LENGTH:
        got = f"a header of over {MAX_HEADER_LENGTH} characters ({longest[:40]!r}…)"
        raise wanted.problem(got, expected="short headers in the first row", fix="Put one above the texts.")
    header, count = Counter(filter(None, cleaned)).most_common(1)[0] if any(cleaned) else ("", 0)
    if count > 1:
        got = f"{'two' if count == 2 else f'{count:,}'} columns {header!r}"
        raise wanted.problem(got, expected="each column once", fix="Rename one; blanks around a header do not count.")
    return cleaned


def _clean(header: str) -> str:
    """Without what does not print: no result folder could hold a NUL, and a page would turn round what it shows."""
    words = unicodedata.normalize("NFC", header).strip(f"{INVISIBLE} ").split()
    return " ".join(filter(None, ("".join(filter(_prints, word)) for word in words)))


def _prints(letter: str) -> bool:
    return letter in JOINERS or unicodedata.category(letter) not in ("Cc", "Cf", "Cs")


@dataclass
class Columns:
    """Cells by header, as they are read; a header that comes late has blanks above it.

    Attributes
    ----------
    wanted : Wanted
    only : collection of str or None
        The headers to keep; None keeps each.
    headers : dict
        Every header of the file, in order; an empty one where a column has none.
    has_header : bool
        Whether the file has them; else they were made up.
    """

    wanted: TableSchema
    only: Collection[str] | None = None
    headers: list[str] = field(default_factory=list)
    has_header: bool = True
    rows: int = 0
    parts: dict[str, list[pa.Array]] = field(default_factory=dict)

    def head(self, spelled: Sequence[object]) -> list[str]:
        """Take the headers as the file spells them; returns them as they are kept (see `clean_headers`)."""
        self.headers = clean_headers(spelled, self.wanted)
        for header in self.headers:
            if self.keeps(header) and header not in self.parts:
                self.parts[header] = [_blanks(self.rows)]
        return self.headers

    def number(self, count: int) -> list[str]:
        """Make up headers for a file that has none: the usual one for one column, else ``column 1``, ``column 2`` …"""
        self.has_header = False
        return self.head([self.wanted.line] if count == 1 else [f"column {number}" for number in range(1, count + 1)])

    def keeps(self, header: str) -> bool:
        """Whether cells of a header are kept."""
        return header != "" and (self.only is None or header in self.only)

    def add(self, cells: Mapping[str, Iterable[str] | pa.Array], count: int) -> None:
        """Put so many rows below the others; what has no cells is blank."""
        import pyarrow as pa

        self.wanted.check(self.wanted.rows, self.rows + count)
        self.wanted.check(CELLS, (self.rows + count) * len(self.parts))
        self.rows += count
        for header, parts in self.parts.items():
            given: Any = cells.get(header)
            array = _blanks(count) if given is None else given
            parts.append(array if isinstance(array, pa.Array) else pa.array(array, pa.large_string()))
            self._check(parts[-1])

    def _check(self, array: pa.Array) -> None:
        import pyarrow.compute as pc

        if pc.any(pc.match_substring(array, "\0")).as_py():
            raise self.wanted.problem("a NUL character in a cell", expected="text", fix="Take it out.")
        if array.nbytes > TEXT.value:
            self.wanted.check(TEXT, pc.max(pc.utf8_length(array)).as_py() or 0, "in one cell")

    def frame(self) -> pd.DataFrame:
        """The table; every cell is a string."""
        import pyarrow as pa

        joined = {header: pa.chunked_array(parts, pa.large_string()) for header, parts in self.parts.items()}
        return pa.table(joined).to_pandas() if joined else pd.DataFrame(index=range(self.rows))


def _blanks(count: int) -> pa.Array:
    import pyarrow as pa

    return pa.repeat(pa.scalar("", pa.large_string()), count)
