"""The study of a run once more, by another model: the same sentences, names and options."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from psa_core.inputs import corpus, names
from psa_core.inputs.checks import file_name
from psa_core.jobs._places import INPUTS, run_path
from psa_core.jobs._records import keeping
from psa_core.jobs.runs import spec_at, submit
from psa_core.trust import Origin


def has_inputs(run_id: str) -> bool:
    """Whether the sentences and the names of a run are at hand: packaged, or kept with it."""
    spec, kept = spec_at(run_path(run_id)), run_path(run_id) / INPUTS
    lists = {card.id for card in names.available()}
    return (spec.sentences in corpus.packaged() or _is_kept(kept, spec.sentences)) and (
        spec.names in lists or _is_kept(kept, spec.names)
    )


def _is_kept(folder: Path, name: str) -> bool:
    """Whether a file is among a run's uploads; what a run that somebody brought names elsewhere is not looked for."""
    return file_name(name) == name and (folder / name).is_file()


def submit_with(run_id: str, model: str, *, origin: Origin = Origin.VISITOR, visitor: str = "") -> str:
    """Queue the study of a run with another model; returns the new run's id. See `runs.submit`."""
    place = run_path(run_id)
    with keeping():
        uploads = {path.name: path.read_bytes() for path in sorted((place / INPUTS).iterdir()) if path.is_file()}
    return submit(replace(spec_at(place), model=model), uploads, origin=origin, visitor=visitor)
