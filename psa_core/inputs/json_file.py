"""Read JSON files that may have been damaged."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, NoReturn

MAX_BYTES = 64 * 2**20


def read(path: Path, most: int | None = None) -> dict[str, Any]:
    """The object in a JSON file.

    Parameters
    ----------
    path : Path
    most : int, optional
        Bytes of it; `MAX_BYTES` when not given.

    Raises
    ------
    FileNotFoundError
        When there is nothing.
    ValueError
        When it is no regular file, too large, no JSON object, or holds what no page can show: half a character,
        a number that is infinite or none.
    OSError
        When it cannot be read.
    """
    if not path.is_file():
        if path.exists() or path.is_symlink():
            raise ValueError(f"{path.name} is no file")
        raise FileNotFoundError(path)
    most = MAX_BYTES if most is None else most
    if path.stat().st_size > most:
        raise ValueError(f"{path.name} is larger than {most // 2**10:,} KB")
    try:
        content = json.loads(path.read_bytes(), parse_constant=_refuse, parse_float=_finite)
        json.dumps(content, ensure_ascii=False).encode("utf-8")
    except RecursionError as error:
        raise ValueError(f"{path.name} is nested too deeply") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path.name} holds no object")
    return content


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits:.20} is too large")
    return number
