"""Read and validate ``manifest.json``, which may come from an untrusted source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from psa_core.errors import RunFolderError
from psa_core.folders.writing import MANIFEST
from psa_core.inputs import json_file

#: Far more than any; in memory it can take twenty times as much.
MAX_BYTES = 4 * 2**20
FIX = "Save the folder again where it was made."
Check = Callable[[Any], bool]
Kinds = Mapping[str, tuple[str, Check]]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e30


def is_text(value: Any) -> bool:
    """Whether a value is a text."""
    return isinstance(value, str)


def is_count(value: Any) -> bool:
    """Whether a value is a whole number of a usual size."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**15


def is_list_of(check: Check) -> Check:
    """A check for lists whose values pass another one."""
    return lambda value: isinstance(value, list) and all(map(check, value))


def is_table_of(check: Check) -> Check:
    """A check for tables whose values pass another one."""
    return lambda value: isinstance(value, dict) and all(map(check, value.values()))


def _is_target(value: Any) -> bool:
    if not isinstance(value, dict) or not {"name"} <= set(value) <= set(TARGET):
        return False
    return all(TARGET[key](item) for key, item in value.items())


def _is_view(value: Any) -> bool:
    if not isinstance(value, dict) or not set(value) <= {"own_thresholds", "left_out", "hidden_names"}:
        return False
    is_fit = is_table_of(_is_number)(value.get("own_thresholds", {})) and is_list_of(is_text)(value.get("left_out", []))
    return is_fit and isinstance(value.get("hidden_names", False), bool)


TARGET: dict[str, Check] = {
    "name": lambda value: (
        is_text(value) and 0 < len(value) <= 200 and value.isprintable() and not set(value) & set("/\\")
    ),
    "low": _is_number,
    "high": _is_number,
    "meaning": is_text,
    "threshold": lambda value: value is None or _is_number(value),
    "phrase": lambda value: is_text(value) and len(value) <= 200 and value.isprintable(),
    "unit": lambda value: value in ("", "points"),
    "samples": is_count,
}
#: What a field of ours is, in words and as a check; fields that are not here are shown to nobody.
KINDS: Kinds = {
    "study": ("a table", is_table_of(lambda _: True)),
    "inputs": ("a table of tables of texts", is_table_of(is_table_of(is_text))),
    "account": ("a table of counts", is_table_of(is_count)),
    "missing": ("a table of tables of counts", is_table_of(is_table_of(is_count))),
    "masked": ("a table of counts", is_table_of(is_count)),
    "subjects_chosen": ("a count", is_count),
    "anchors": ("a table of texts", is_table_of(is_text)),
    "names_not_in_latin_letters_left_out": ("a table of counts", is_table_of(is_count)),
    "notes": ("a list of texts", is_list_of(is_text)),
    "conditions": (
        "a list of conditions",
        is_list_of(lambda row: is_table_of(is_text)(row) and set(row) == {"id", "system", "context", "names"}),
    ),
    "versions": ("a table of texts", is_table_of(is_text)),
    "options": ("a table", is_table_of(lambda _: True)),
    "models": ("a table of tables", is_table_of(is_table_of(lambda _: True))),
    "lm": ("a table", is_table_of(lambda _: True)),
    "targets": (
        "targets with a name, a range and a meaning",
        lambda value: is_list_of(_is_target)(value) or is_table_of(is_list_of(_is_target))(value),
    ),
    "name_columns": ("a list of headers", is_list_of(is_text)),
    "view": ("what a reader has set", _is_view),
    "systems": ("a list of model ids", is_list_of(is_text)),
    **dict.fromkeys(("fingerprint", "audit", "spelling", "people_finder"), ("a text", is_text)),
}


def read(path: Path, more: Kinds | None = None) -> dict[str, Any]:
    """The content of a manifest: JSON that can be written again, each known field, also those in `more`, of its kind.

    Raises `RunFolderError` when there is none, or it is damaged.
    """
    try:
        content = json_file.read(path, MAX_BYTES)
    except FileNotFoundError as error:
        got = f"no {MANIFEST}" if path.parent.is_dir() else f"no folder {str(path.parent)[:80]!r}"
        expected = "a result folder, as `psa run` or `Study.save` writes it"
        raise RunFolderError("result folder", got=got, expected=expected) from error
    except (OSError, ValueError) as error:
        got = f"a damaged file ({type(error).__name__}: {error})"[:200]
        raise RunFolderError(MANIFEST, got=got, expected="what a run writes", fix=FIX) from error
    for field, (words, check) in {**KINDS, **(more or {})}.items():
        if field in content and not check(content[field]):
            got = f"a damaged file ({field}: {content[field]!r:.60})"
            raise RunFolderError(MANIFEST, got=got, expected=words, fix=FIX)
    return content
