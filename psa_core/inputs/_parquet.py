"""Read rows of a Parquet file; declared sizes are checked first, actual ones while reading."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import pandas as pd

from psa_core.inputs._columns import PART, Columns, TableSchema
from psa_core.inputs.limits import CELLS

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

INDEX = "__index_level_"  # what pandas calls a row label without a name


def read_parquet(content: bytes, wanted: TableSchema, only: Collection[str] | None = None) -> Columns:
    """The columns of a parquet file, or some of them; raises the table's error when it is damaged or too large.

    What pandas wrote about the table is not read: it can say anything.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(pa.BufferReader(content)) as file:
            return _columns(file, Columns(wanted, only))
    except UnicodeDecodeError as error:
        raise wanted.problem("a parquet column of bytes that are not text", expected="text") from error
    except OverflowError as error:
        raise wanted.problem("a parquet column of dates in no calendar", expected="the years 1 to 9999") from error
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError) as error:
        if isinstance(error, MemoryError):
            raise
        raise wanted.problem("a damaged parquet file", expected="a parquet table", fix="Save it anew.") from error


def _columns(file: pq.ParquetFile, columns: Columns) -> Columns:
    wanted, rows = columns.wanted, file.metadata.num_rows
    spelled = [name for name in file.schema_arrow.names if not name.startswith(INDEX)]
    taken = {name: header for name, header in zip(spelled, columns.head(spelled), strict=True) if columns.keeps(header)}
    wanted.check(wanted.rows, rows)
    wanted.check(CELLS, rows * len(taken))
    for batch in file.iter_batches(PART, columns=[*taken], use_threads=False):
        columns.add({header: _strings(batch.column(name)) for name, header in taken.items()}, batch.num_rows)
    return columns


def _strings(column: pa.Array) -> pa.Array:
    """A column as strings: numbers as Python writes them, and nothing for a missing value."""
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        column = column.cast(pa.large_string()) if kind is not column.type else column
        column.validate(full=True)  # a damaged file may hold bytes that are no UTF-8
        return column.cast(pa.large_string()).fill_null("")
    if pa.types.is_integer(kind):  # not by way of pandas, which makes 1 beside a missing value 1.0
        return column.cast(kind).cast(pa.large_string()).fill_null("")
    if pa.types.is_floating(kind):
        values = pd.Series(column.to_pandas())
        return pa.array(values.astype(str).mask(values.isna(), "").tolist(), pa.large_string())
    return pa.array([_written(value) for value in column.to_pylist()], pa.large_string())


def _written(value: object) -> str:
    if value is None:
        return ""
    return value.decode() if isinstance(value, bytes) else str(value)
