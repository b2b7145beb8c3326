"""What a kind of table must be, and its columns of strings, built in parts and within limits."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from psa_core.errors import PsaError
from psa_core.inputs.limits import CELLS, COLUMNS, FILE, NAME_COLUMNS, NAMES, NAMES_FILE, ROWS, TEXT, Limit

if TYPE_CHECKING:
    import pyarrow as pa

#: Rows that are read before their size is looked at.
PART = 10_000
MAX_HEADER_LENGTH = 200
JOINERS = "\u200c\u200d"  # which some scripts are written with
UNSEEN = ("Cc", "Cf", "Cs")
INVISIBLE = "\ufeff\u200b\u200e\u200f"  # marks that come along with copied text


@dataclass(frozen=True)
class TableSchema:
    """The demands on one kind of table; how its files are read is the same for all.

    `field` and `row` are what the table and one row of it are to the reader (``sentences``, ``one text a row``);
    `formats` the endings of its files; `headers` lower-case headers that tell which separator a file has; `line` the
    header of a file with one value a line. `blanks`: a blank behind a separator belongs to the cell. `reads_as_data`
    tells of a first row, beside the columns below it, whether it is a row of data: with it a file without headers is
    read too, and its columns are numbered.
    """

    field: str
    error: type[PsaError]
    formats: tuple[str, ...]
    row: str
    headers: frozenset[str] = frozenset()
    line: str = "text"
    blanks: bool = True
    reads_as_data: Callable[[list[str], list[list[str]]], bool] | None = None
    rows: Limit = ROWS
    columns: Limit = COLUMNS
    file: Limit = FILE

    def problem(self, got: str, *, expected: str = "", fix: str = "") -> PsaError:
        """The error to raise."""
        return self.error(self.field, got=got, expected=expected or self.row, fix=fix)

    def check(self, limit: Limit, amount: int, of: str = "") -> None:
        """Refuse an amount above a limit."""
        limit.check(amount, field=self.field, error=self.error, of=of)


@dataclass(frozen=True)
class ListSchema(TableSchema):
    """The demands on a short list, such as names or tasks, which somebody has written by hand."""

    rows: Limit = NAMES
    columns: Limit = NAME_COLUMNS
    file: Limit = NAMES_FILE


def clean_headers(headers: Iterable[object], schema: TableSchema) -> list[str]:
    """Headers without blanks around them; empty where there is none.

    Raises the schema's error when there are too many, one is far too long, or two differ by blanks at most: no result
    folder could keep such columns apart.
    """
    cleaned = []
    for header in headers:
        # No result folder could hold a NUL, and a direction mark would turn round what a page shows.
        words = unicodedata.normalize("NFC", str(header)[: 4 * MAX_HEADER_LENGTH]).strip(f"{INVISIBLE} ").split()
        shown = ("".join(c for c in word if c in JOINERS or unicodedata.category(c) not in UNSEEN) for word in words)
        cleaned.append(" ".join(filter(None, shown)))
    schema.check(schema.columns, len(cleaned))
    longest = max(cleaned, key=len, default="")
    if len(longest) > MAX_HEADER_LENGTH:
        got = f"a header of over {MAX_HEADER_LENGTH} characters ({longest[:40]!r}…)"
        raise schema.problem(got, expected="short headers in the first row", fix="Put one above the texts.")
    header, count = Counter(filter(None, cleaned)).most_common(1)[0] if any(cleaned) else ("", 0)
    if count > 1:
        got = f"{'two' if count == 2 else f'{count:,}'} columns {header!r}"
        raise schema.problem(got, expected="each column once", fix="Rename one; blanks around a header do not count.")
    return cleaned


@dataclass
class Columns:
    """Cells by header, as they are read; a header that comes late has blanks above it.

    `only` are the headers to keep, None all of them; `headers` are those of the file, in order, empty where a column
    has none; without `has_header` they were made up.
    """

    schema: TableSchema
    only: Collection[str] | None = None
    headers: list[str] = field(default_factory=list)
    has_header: bool = True
    rows: int = 0
    parts: dict[str, list[pa.Array]] = field(default_factory=dict)

    def head(self, spelled: Sequence[object]) -> list[str]:
        """Take the headers as the file spells them; returns them as they are kept (see `clean_headers`)."""
        self.headers = clean_headers(spelled, self.schema)
        for header in self.headers:
            if self.keeps(header) and header not in self.parts:
                self.parts[header] = [_blanks(self.rows)]
        return self.headers

    def number(self, count: int) -> list[str]:
        """Make up headers for a file that has none: the usual one for one column, else ``column 1``, ``column 2`` …"""
        self.has_header = False
        return self.head([self.schema.line] if count == 1 else [f"column {number}" for number in range(1, count + 1)])

    def keeps(self, header: str) -> bool:
        """Whether cells of a header are kept."""
        return header != "" and (self.only is None or header in self.only)

    def add(self, cells: Mapping[str, Iterable[str] | pa.Array], count: int) -> None:
        """Put so many rows below the others; what has no cells is blank."""
        import pyarrow as pa
        import pyarrow.compute as pc

        self.schema.check(self.schema.rows, self.rows + count)
        self.schema.check(CELLS, (self.rows + count) * len(self.parts))
        self.rows += count
        for header, parts in self.parts.items():
            given: Any = cells.get(header)
            array = _blanks(count) if given is None else given
            array = array if isinstance(array, pa.Array) else pa.array(array, pa.large_string())
            if pc.any(pc.match_substring(array, "\0")).as_py():
                raise self.schema.problem("a NUL character in a cell", expected="text", fix="Take it out.")
            if array.nbytes > TEXT.value:
                self.schema.check(TEXT, pc.max(pc.utf8_length(array)).as_py() or 0, "in one cell")
            parts.append(array)

    @property
    def text_bytes(self) -> int:
        """Bytes of all cells, without the eight that tell where each one ends."""
        return sum(part.nbytes - 8 * len(part) for parts in self.parts.values() for part in parts)

    def frame(self) -> pd.DataFrame:
        """The table; every cell is a string."""
        import pyarrow as pa

        joined = {header: pa.chunked_array(parts, pa.large_string()) for header, parts in self.parts.items()}
        return pa.table(joined).to_pandas() if joined else pd.DataFrame(index=range(self.rows))


def _blanks(count: int) -> pa.Array:
    import pyarrow as pa

    return pa.repeat(pa.scalar("", pa.large_string()), count)
