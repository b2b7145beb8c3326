"""Score a study at the command line; of one that a manifest describes, nothing is loaded until the user confirms it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from psa_core import anchors, models, report, study
from psa_core.asking import journal
from psa_core.claims.answers import sampling_plan
from psa_core.cube import ScoreCube
from psa_core.errors import OptionError
from psa_core.folders import results, writing
from psa_core.inputs import conditions, corpus, json_file, names
from psa_core.options import fields_of
from psa_core.registry import in_short
from psa_core.study import Plan, StudySpec, preview
from psa_core.trust import Origin


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--from-manifest`` and what goes with it."""
    parser.add_argument("--from-manifest", metavar="FILE", type=Path, help="run the study of a manifest.json again")
    parser.add_argument(
        "--allow-code",
        action="store_true",
        help="with --from-manifest: load the manifest's model even if that runs a program, contacts an address "
        "or reads "
        "a file",
    )


def spec_of(given: argparse.Namespace) -> StudySpec:
    """The manifest's study, with the options that were typed beside it."""
    try:
        spec = StudySpec.from_mapping(_manifest(given)["study"])
    except (KeyError, TypeError) as error:
        raise _no_manifest(given) from error
    spec = replace(spec, **_typed(given))
    try:
        models.check(spec.model, _origin_of_model(given))
    except OptionError as error:
        fix = "What a manifest names is only a suggestion. If you know this model, add --model with its id."
        raise OptionError("model", got=error.got, expected="one of the list", fix=fix) from error
    is_trusted = given.allow_code or "anchors" in _typed(given)
    anchors.finder(spec.anchors, origin=Origin.COMMAND_LINE if is_trusted else Origin.FILE)
    return spec


def score(
    given: argparse.Namespace, spec: StudySpec, *, most: float | None = None, **execution: Any
) -> tuple[Plan, ScoreCube]:
    """Plan and score a study, and write its results where ``--out`` says; `execution` is for `study.execute`.

    Raises `OptionError` when a file that only the manifest names is another one than it says. Whoever wrote it knew
    what is in such a file already, so a stranger's manifest reads nothing new.
    """
    if given.out:
        writing.check_target(given.out)
    planned = study.plan(spec)
    if given.from_manifest:
        is_packaged = {
            "sentences": spec.sentences in corpus.packaged(),
            "names": any(card.id == spec.names for card in names.available()),
            "conditions": conditions.is_packaged(spec.conditions),
        }
        hashes = {
            "sentences": planned.corpus.sha256,
            "names": planned.names.sha256,
            "conditions": conditions.digest(planned.conditions),
        }
        for name in (name for name in hashes if name not in _typed(given)):
            inputs = _manifest(given).get("inputs")
            source = inputs.get(name) if isinstance(inputs, dict) else None
            written = source.get("sha256") if isinstance(source, dict) else None
            if not is_packaged[name] and hashes[name] != written:
                raise OptionError(
                    f"--{name}",
                    got=f"{getattr(spec, name)!r}, named by the manifest and not the file that it was written of",
                    expected="the same file",
                    fix=f"If you want this file, add --{name} with its name.",
                )
    if note := preview.notice(planned, spec.model):
        print(f"Note: {note}", file=sys.stderr)
    with journal.kept_for(given.out, most) if given.out else nullcontext() as answers:
        scorer = models.load(spec.model, origin=_origin_of_model(given))
        too_long = preview.unread(planned.perturbation, [*planned.selection.sentences["sentence_id"]], scorer)
        if note := too_long.words(in_short(spec.model)):  # now, since a long run may be worth stopping for it
            print(f"Note: {note}", file=sys.stderr)
        if note := sampling_plan(scorer.targets[0], len(planned.selection.sentences), len(planned.names.table)):
            print(f"Note: {note}", file=sys.stderr)
        cube = study.execute(planned, scorer, **execution)
        if given.out:
            place = answers.path if answers else None
            results.write(cube, given.out, partial(report.render, answers=place), answers=answers)
    return planned, cube


def _typed(given: argparse.Namespace) -> Mapping[str, Any]:
    """The options of a study that were given at the command line."""
    return {name: value for name in fields_of(StudySpec) if (value := getattr(given, name, None)) is not None}


def _origin_of_model(given: argparse.Namespace) -> Origin:
    """On whose word the model is loaded."""
    confirmed = given.from_manifest is None or "model" in _typed(given) or given.allow_code
    return Origin.COMMAND_LINE if confirmed else Origin.FILE


def _manifest(given: argparse.Namespace) -> dict[str, Any]:
    try:
        return json_file.read(given.from_manifest)
    except (OSError, ValueError) as error:
        raise _no_manifest(given) from error


def _no_manifest(given: argparse.Namespace) -> OptionError:
    return OptionError("--from-manifest", got=str(given.from_manifest), expected="a manifest.json of a study")
