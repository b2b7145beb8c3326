"""Read JSON files that may have been damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MAX_BYTES = 64 * 2**20


def read(path: Path, most: int = MAX_BYTES) -> dict[str, Any]:
    """The object in a JSON file of at most so many bytes.

    Raises FileNotFoundError when there is nothing; ValueError when it is no regular file, too large, no JSON object, or
    holds what no page can show: half a character, or a number that is infinite or NaN; OSError when it cannot be read.
    """
    if not path.is_file():
        if path.exists() or path.is_symlink():
            raise ValueError(f"{path.name} is no file")
        raise FileNotFoundError(path)
    if path.stat().st_size > most:
        raise ValueError(f"{path.name} is larger than {most // 2**10:,} KB")
    try:
        content = json.loads(path.read_bytes())
        json.dumps(content, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except RecursionError as error:
        raise ValueError(f"{path.name} is nested too deeply") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path.name} holds no object")
    return content
