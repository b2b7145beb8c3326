"""Read rows of a JSON Lines file."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any

from psa_core.inputs._columns import PART, Columns, TableSchema
from psa_core.inputs.decoding import Text
from psa_core.inputs.limits import CELLS

ONE_A_LINE = "Write each row as {…} on a line of its own, without brackets around them or commas between."


def read_jsonl(text: Text, wanted: TableSchema, only: Collection[str] | None = None) -> Columns:
    """The columns of a jsonl file, one a key; raises the table's error when a line is no object."""
    columns, headers = Columns(wanted, only), dict[str, str]()
    rows = _rows(text, wanted)
    while part := list(islice(rows, PART)):
        spelled = dict.fromkeys([*headers, *(key for row in part for key in row)])
        if len(spelled) > len(headers):
            headers = dict(zip(spelled, columns.head([*spelled]), strict=True))
        kept = {key: header for key, header in headers.items() if columns.keeps(header)}
        wanted.check(CELLS, (columns.rows + len(part)) * len(kept))
        columns.add({header: [row.get(key, "") for row in part] for key, header in kept.items()}, len(part))
    return columns


def _rows(text: Text, wanted: TableSchema) -> Iterator[dict[str, str]]:
    for number, line in enumerate(text.lines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            if not isinstance(row, dict):
                got = f"{type(row).__name__} in line {number}"
                raise wanted.problem(got, expected="an object a line", fix=ONE_A_LINE)
            yield {_whole(key): _cell(value) for key, value in row.items()}
        except (ValueError, RecursionError) as error:
            got = f"invalid JSON in line {number}"
            raise wanted.problem(got, expected="an object a line", fix=ONE_A_LINE) from error


def _cell(value: Any) -> str:
    return "" if value is None or value != value else _whole(value if isinstance(value, str) else str(value))


def _whole(text: str) -> str:
    """Half a character, which JSON can spell and no file can hold, becomes U+FFFD."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
