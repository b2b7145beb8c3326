"""Lists of names: packaged, uploaded or typed, validated before anything is scored.

`available` and `load` for packaged lists and files, `read_names` and `name_columns` for uploads, `from_text` for typed
names, `from_table` for frames, `lint` for what a reader may want to mend.
"""

from __future__ import annotations

from psa_core.inputs.names._base import MAX_NAMES, NameList, from_table, grouping
from psa_core.inputs.names._files import FORMATS, MAX_BYTES, from_memory, from_text, name_columns, read_names
from psa_core.inputs.names._lint import NameWarning, lint
from psa_core.inputs.names._packaged import NameListCard, available, load

__all__ = [
    "FORMATS",
    "MAX_BYTES",
    "MAX_NAMES",
    "NameList",
    "NameListCard",
    "NameWarning",
    "available",
    "from_memory",
    "from_table",
    "from_text",
    "grouping",
    "lint",
    "load",
    "name_columns",
    "read_names",
]
