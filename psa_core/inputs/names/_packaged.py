"""Packaged name lists: ``assets/names/<id>.csv`` with ``<id>.json`` beside it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

from psa_core import trust
from psa_core.errors import NameListError
from psa_core.inputs.names._base import NameList
from psa_core.inputs.names._files import NAMES, read_names
from psa_core.registry import ASSETS

FOLDER = ASSETS / "names"


@dataclass(frozen=True)
class NameListCard:
    """What a packaged list is, without its names.

    Attributes
    ----------
    id, title : str
        What `load` takes, and what a reader sees.
    count : int
        How many names.
    group_columns : tuple of str
        Columns that sort the names into groups.
    provenance, licence, note : str
        Where the names come from, under which terms, and in which form they stand.
    """

    id: str
    title: str
    count: int
    group_columns: tuple[str, ...]
    provenance: str
    licence: str
    note: str = ""


def available() -> tuple[NameListCard, ...]:
    """Cards of the packaged lists, in the order in which they are offered.

    Examples
    --------
    >>> "eec-first-names" in [card.id for card in available()]
    True
    """
    sidecars = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.json")}
    return tuple(_card(item, sidecars[item]) for item in sorted(sidecars, key=lambda item: sidecars[item]["rank"]))


def load(spec: str, name_column: str | None = None, *, origin: trust.Origin | None = None) -> NameList:
    """Read a packaged list by id, or a file by path.

    Parameters
    ----------
    spec : str
        An id of `available`, or a path to a file as `read_names` takes it.
    name_column : str, optional
        Of a file: the column with the names; ``name`` when not given.
    origin : Origin, optional
        Who names it, where that is not who this thread acts for; see `psa_core.trust`.

    Raises
    ------
    OptionError
        When a file may not be read on that word.
    NameListError
        When there is no such list or file, or it cannot be studied; see `read_names`.

    Examples
    --------
    >>> load("eec-first-names").group_columns
    ('gender', 'race')
    """
    card = next((card for card in available() if card.id == spec), None)
    if card is None:
        trust.permit_path("names", spec, origin)
        return replace(read_names(Path(spec).name, _file_bytes(spec), name_column), id=spec)
    names = read_names(f"{spec}.csv", (FOLDER / f"{spec}.csv").read_bytes())
    return replace(names, id=spec, title=card.title, provenance=card.provenance, licence=card.licence)


def _card(item: str, sidecar: dict[str, str]) -> NameListCard:
    header, *rows = (FOLDER / f"{item}.csv").read_text(encoding="utf-8").splitlines()
    groups = tuple(column for column in header.split(",") if column != "name")
    texts = {key: sidecar[key] for key in ("title", "provenance", "licence", "note")}
    return NameListCard(id=item, count=len(rows), group_columns=groups, **texts)


def _file_bytes(spec: str) -> bytes:
    path = Path(spec)
    try:
        if not path.is_file():  # a device or a pipe may never end
            raise FileNotFoundError(path)
        NAMES.check(NAMES.file, path.stat().st_size)
        return path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        choices = ", ".join(card.id for card in available())
        fix = "Run `python -m psa_core names` for what each one holds."
        expected = f"a file, or one of {choices}"
        raise NameListError(
            "names", got=f"no list and no readable file {spec[:80]!r}", expected=expected, fix=fix
        ) from error
