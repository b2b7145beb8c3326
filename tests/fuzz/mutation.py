"""Changes that damage a file a little: bytes, and values of JSON."""

from __future__ import annotations

import copy
import gzip
import io
import json
import random
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

TOKENS = (
    *(b'"', b'""', b"'", b"\n", b"\r", b"\r\n", b"\t", b",", b";", b"|", b"\0", b"\x1a", b"-", b"=1+1", b"~", b"../"),
    *(b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc3", b"\xe2\x80\xa8", b"\xe2\x80\xae", b"\xf0\x9f\x98\x80"),
    *(b"NaN", b"Infinity", b"1e999", b"9" * 400, b"[[[[", b"{", b"}", b"null", b'{"a":', b"PAR1", b"PK\x03\x04"),
    *(b"text", b"name", b"sentence_id", b"text,text ", b"original.x", b"x" * 300, b",,,,", b"\\u0000", b"\\ud800"),
)
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 7, 2**31, 10**18, 10**400, 0.5, -0.0, 1e300, float("inf"), float("nan")),
    *("", " ", "x", "x" * 300, "../../x", "~x", "a/b", "\ud800", "\0", "\u202e", "nan", "=1+1", "name", "original"),
    *([], {}, [[]], [None], ["name"], ["name", "name"], {"a": 1}, {"": ""}, {"name": "x", "low": 1, "high": 0}),
)


#: One cell each, of kinds and sizes that tables seldom have.
PARQUET: tuple[pa.Array, ...] = (
    *(
        pa.array([2**31 - 1], pa.date32()),
        pa.array([2**62], pa.timestamp("us")),
        pa.array([1], pa.timestamp("us", "No/Where")),
    ),
    *(pa.array([2**62], pa.duration("s")), pa.array([Decimal("1e30")], pa.decimal256(70, 30)), pa.array([b"\xff"])),
    *(pa.array([[1, None]]), pa.array([{"a": {"b": [1]}}]), pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int8()))),
    *(pa.nulls(1), pa.array([1.5], pa.float16()), pa.array([float("inf")]), pa.array([2**64 - 1], pa.uint64())),
    pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), pa.array([b"\xff\xfe"])),
)


def damaged(content: bytes, draw: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """The content with one to six small damages."""
    body = bytearray(content)
    for _ in range(draw.randint(1, 6)):
        place = draw.randint(0, len(body))
        length = min(len(body) - place, draw.choice((1, 2, 8, 64)))
        part = bytes(body[place : place + length])
        match draw.randrange(8):
            case 0 if length:
                body[place] ^= 1 << draw.randrange(8)
            case 1 if length:
                body[place] = draw.choice((0, 1, 127, 128, 255))
            case 2:
                del body[place : place + length]
            case 3:
                body[place:place] = part * draw.choice((1, 2, 50))
            case 4:
                del body[place:]
            case 5 if others:
                other = draw.choice(others)
                start = draw.randint(0, len(other))
                body[place : place + length] = other[start : start + draw.choice((4, 64, 4096))]
            case _:
                body[place:place] = draw.choice(TOKENS)
    return bytes(body)


def odd_json(value: Any, draw: random.Random) -> Any:
    """The same value with one to three places that hold something else, are gone, or are there under another name."""
    changed = copy.deepcopy(value)
    for _ in range(draw.randint(1, 3)):
        place, parent, key = changed, None, None
        while isinstance(place, dict | list) and place and (parent is None or draw.random() < 0.7):
            parent = place
            key = draw.choice(list(place)) if isinstance(place, dict) else draw.randrange(len(place))
            place = place[key]
        if parent is None or draw.random() < 0.02:
            changed = copy.deepcopy(draw.choice(ODD))
        elif draw.random() < 0.15:
            del parent[key]
        elif draw.random() < 0.15 and isinstance(parent, dict):
            parent[str(draw.choice(ODD))] = parent.pop(key)
        else:
            parent[key] = copy.deepcopy(draw.choice(ODD))
    return changed


def odd_file(draw: random.Random, name: str, content: bytes) -> bytes:
    """A damaged file; most often one of JSON has odd values, and is still JSON."""
    if name.endswith(".json") and draw.random() < 0.8:
        return json.dumps(odd_json(json.loads(content), draw)).encode()
    return damaged(content, draw)


def nested(draw: random.Random, value: Any) -> bytes:
    """The value as JSON, where one place, or everything, holds what is nested as deeply as that."""
    opened, closed = draw.choice((("[", "]"), ('{"name":', "}")))
    depth = draw.choice((90, 400, 990, 3_000, 100_000))
    deep = opened * depth + draw.choice(("0", "", '"x"')) + closed * draw.choice((depth, depth, 0))
    if not isinstance(value, dict) or draw.random() < 0.2:
        return deep.encode()
    place = draw.choice(list(value))
    return json.dumps({**value, place: "\0here"}).replace(json.dumps("\0here"), deep).encode()


def odd_text(draw: random.Random) -> str:
    """A short text of what is unusual, and of what is usual."""
    pieces = [token.decode("utf-8", "surrogateescape") for token in TOKENS] + ["Ann", "Bob", "he", " ", "%s", "\ud800"]
    return "".join(draw.choice(pieces) for _ in range(draw.randint(0, 8)))


def every_format(columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> dict[str, bytes]:
    """The same table in every format, by the name of its file."""
    frame = pd.DataFrame(rows, columns=list(columns))
    csv, parquet = frame.to_csv(index=False).encode(), io.BytesIO()
    frame.to_parquet(parquet)
    plain = {
        "a.csv": csv,
        "a.tsv": frame.to_csv(index=False, sep="\t").encode(),
        "b.csv": frame.to_csv(index=False, sep=";").encode("utf-16"),
        "c.csv": csv.decode().encode("cp1252", "replace"),
        "a.txt": "\n".join(frame[columns[1]].astype(str)).encode(),
        "a.jsonl": frame.to_json(orient="records", lines=True).encode(),
        "a.parquet": parquet.getvalue(),
    }
    return plain | {f"{name}.gz": gzip.compress(content, mtime=0) for name, content in plain.items()}


def odd_parquet(draw: random.Random, content: bytes) -> bytes:
    """The same Parquet file with a column or two of a kind that tables seldom have, whole."""
    table, changed = pq.read_table(io.BytesIO(content)), io.BytesIO()
    for _ in range(draw.randint(1, 2)):
        cells = [draw.choice(PARQUET)] * table.num_rows
        name = draw.choice((*table.column_names, "a\0b", "\u202eb", "a.b", "", "x" * 300))
        where = table.column_names.index(name) if name in table.column_names else table.num_columns
        column = pa.concat_arrays(cells)
        table = table.remove_column(where) if where < table.num_columns else table
        table = table.add_column(where, name, column)
    pq.write_table(table, changed)
    return changed.getvalue()


def damaged_table(draw: random.Random, seeds: Mapping[str, bytes]) -> tuple[str, bytes]:
    """One of the files, damaged, and its name."""
    name = draw.choice(list(seeds))
    if name == "a.parquet" and draw.random() < 0.5:
        return name, odd_parquet(draw, seeds[name])
    body = gzip.decompress(seeds[name]) if name.endswith(".gz") else seeds[name]
    body = damaged(body, draw, list(seeds.values()))
    if not name.endswith(".gz"):
        return name, body
    whole = gzip.compress(body, mtime=0)
    return name, whole if draw.random() < 0.7 else damaged(whole, draw)
