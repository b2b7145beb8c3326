"""The option ``--subjects`` of the commands that plan a study: whom each document is about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from psa_core.errors import OptionError
from psa_core.inputs import spreadsheet, tables
from psa_core.inputs.checks import bytes_of
from psa_core.inputs.limits import FILE
from psa_core.inputs.tables import TableSchema
from psa_core.options import option

FIELD, COLUMNS = "--subjects", ("sentence_id", "person")
EXPECTED = "a csv with the columns sentence_id and person, one text a row"
SCHEMA = TableSchema(FIELD, OptionError, ("csv", "tsv"), row=EXPECTED, headers=frozenset(COLUMNS))
FIX = "`psa sentences --anchors person --out FILE.csv` writes one."
SUBJECTS: Any = option(
    None,
    metavar="FILE.csv",
    help="with anchors person, whom each text is about: columns sentence_id and person, as `sentences --out` writes "
    "them (an empty person: as found)",
)


def subjects_in(path: Path | None) -> dict[str, Any]:
    """The study's field that the file of the option gives; nothing without one.

    Raises `OptionError` when it cannot be read or has other columns.
    """
    if path is None:
        return {}
    try:
        content = bytes_of(path, FILE, field=FIELD, error=OptionError)
    except (OSError, ValueError) as error:
        got = f"{str(path)[:80]!r}, no file that can be read"
        raise OptionError(FIELD, got=got, expected=EXPECTED, fix=FIX) from error
    table = tables.read(path.name, content, SCHEMA, COLUMNS)
    if set(COLUMNS) - set(table.frame):
        got = f"the columns {', '.join(table.headers)}"[:120]
        raise OptionError(FIELD, got=got, expected=EXPECTED, fix=FIX)
    pairs = zip(*(table.frame[column].astype(str).map(spreadsheet.plain) for column in COLUMNS), strict=True)
    return {"subjects": tuple(pairs)}
