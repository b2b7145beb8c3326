"""Logs of evaluation programs as predictions: Inspect's ``.eval`` and ``.json``, and the samples that lm-eval keeps.

A sample becomes a row: its text, and every number that it was scored with. Samples of one text, such as several epochs,
count with their mean. The text is the one that our own export put beside the sample (``text`` in an Inspect sample's
metadata, or in lm-eval's document), else what the model was sent.
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from math import exp, isfinite
from typing import Any

from psa_core.errors import ModelError
from psa_core.inputs.archives import FAULTS
from psa_core.inputs.limits import FILE

LOGS = ("eval", "json")
#: What Inspect's own scorers write for correct, incorrect, partly correct and no answer.
LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
#: How a zip says that an entry is packed with Zstandard, which Inspect does and Python's own module cannot read.
ZSTANDARD = 93
#: Bytes in which the first line is looked for: this is read in the server's own process.
FIRST_LINE = 2**20
_LOCAL_HEADER = struct.Struct("<26xHH")


def is_samples(content: bytes) -> bool:
    """Whether lines of JSON are samples that lm-eval kept.

    >>> is_samples(b'{"doc_id": 0, "doc": {}, "resps": []}'), is_samples(b'{"text": "He left.", "toxicity": 0.1}')
    (True, False)
    """
    with suppress(ValueError, RecursionError):
        first = json.loads(content[:FIRST_LINE].lstrip().partition(b"\n")[0])
        return isinstance(first, dict) and {"doc", "resps"} <= set(first)
    return False


def as_lines(kind: str, content: bytes) -> bytes:
    """A log as lines of JSON: ``text`` and a number for each score; to be called in a process of its own.

    `kind` is the file's ending: ``eval``, ``json`` or ``jsonl``. Raises `ModelError` when it is damaged, no log of
    these programs, or too large, or no sample has a score.
    """
    rows: dict[str, dict[str, list[float]]] = {}
    order: dict[str, None] = {}
    try:
        for text, scores in _lm_eval(content) if kind == "jsonl" else _inspect(kind, content):
            found = rows.setdefault(text, defaultdict(list))
            for name, value in scores.items():
                order[name] = None
                if isfinite(value):
                    found[name].append(value)
    except (*FAULTS, KeyError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise ModelError("log", got=f"a .{kind} that cannot be read as a log", expected=_EXPECTED) from error
    if not order:
        raise ModelError("log", got=f"a .{kind} log in which no sample has a score", expected=_EXPECTED)
    lines = (
        {"text": text} | {name: sum(found[name]) / len(found[name]) if found[name] else None for name in order}
        for text, found in rows.items()
    )
    written = "\n".join(json.dumps(line) for line in lines).encode()
    FILE.check(len(written), field="log", error=ModelError, of="of samples, unpacked")
    return written


_EXPECTED = "a log of Inspect (.eval, .json) or the samples of lm-eval (.jsonl), with scores that are numbers"


def _inspect(kind: str, content: bytes) -> Iterator[tuple[str, dict[str, float]]]:
    for sample in _packed(content) if kind == "eval" else json.loads(content)["samples"]:
        metadata = sample.get("metadata") or {}
        text = metadata.get("text", sample["input"])
        if not isinstance(text, str):  # a conversation: what its last message to the model says
            text = next(message["content"] for message in reversed(text) if message["role"] == "user")
        scores: dict[str, float] = {}
        for scorer, score in (sample.get("scores") or {}).items():
            value = score["value"]
            for name, number in (value if isinstance(value, dict) else {scorer: value}).items():
                number = LETTERS.get(number, number) if isinstance(number, str) else number
                with suppress(TypeError, ValueError):
                    scores[name] = float("nan") if number is None else float(number)
        yield text, scores


def _packed(content: bytes) -> Iterator[Any]:
    """The samples of an ``.eval`` file, one at a time."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for entry in archive.infolist():
            if not (entry.filename.startswith("samples/") and entry.filename.endswith(".json")):
                continue
            FILE.check(entry.file_size, field="log", error=ModelError, of="in one sample")
            if entry.compress_type != ZSTANDARD:
                yield json.loads(archive.read(entry))
                continue
            import pyarrow as pa

            name, extra = _LOCAL_HEADER.unpack_from(content, entry.header_offset)
            start = entry.header_offset + _LOCAL_HEADER.size + name + extra
            packed = content[start : start + entry.compress_size]
            yield json.loads(pa.decompress(packed, entry.file_size, codec="zstd", asbytes=True))


def _lm_eval(content: bytes) -> Iterator[tuple[str, dict[str, float]]]:
    for line in content.splitlines():
        if not line.strip():
            continue
        row = json.loads(line)
        doc, asked = row["doc"], row.get("arguments") or []
        asked = asked.values() if isinstance(asked, dict) else asked
        # In a file each request is {"arg_0": what was sent, "arg_1": the answer whose likelihood was asked for}.
        requests = [list(each.values()) if isinstance(each, dict) else each for each in asked]
        text = doc["text"] if isinstance(doc, dict) and isinstance(doc.get("text"), str) else requests[0][0]
        kept = "" if row.get("filter", "none") == "none" else f"_{row['filter']}"
        scores = {f"{name}{kept}": row[name] for name in row.get("metrics") or []}
        scores = {name: float(value) for name, value in scores.items() if isinstance(value, int | float)}
        yield text, scores | _choices(requests, row.get("filtered_resps") or [])


def _choices(requests: list[Any], answers: list[Any]) -> dict[str, float]:
    """P(answer) among the answers of a multiple choice, from their log-likelihoods; empty for other kinds of task."""
    if len(requests) < 2 or len(requests) != len(answers):
        return {}
    if not all(len(each) > 1 and isinstance(each[1], str) for each in requests):
        return {}
    if not all(isinstance(answer, list) and len(answer) == 2 for answer in answers):
        return {}
    logs = [float(answer[0]) for answer in answers]
    weights = [exp(log - max(logs)) for log in logs]
    return {f"P({each[1].strip()})": weight / sum(weights) for each, weight in zip(requests, weights, strict=True)}
