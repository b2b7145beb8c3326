"""``--from-manifest``: nothing a manifest names is loaded until the user confirms it."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from psa_core import anchors, models
from psa_core.errors import OptionError
from psa_core.inputs import corpus, json_file, names
from psa_core.study import Plan, StudySpec
from psa_core.trust import Origin


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--from-manifest`` and what goes with it."""
    parser.add_argument("--from-manifest", metavar="FILE", type=Path, help="run the study of a manifest.json again")
    parser.add_argument(
        "--allow-code",
        action="store_true",
        help="with --from-manifest: load the model that it names even where that runs a program, asks an address or "
        "reads a file",
    )


def spec_of(options: argparse.Namespace) -> StudySpec:
    """The manifest's study, with the sentences, names and model that were typed beside it."""
    typed = {name: getattr(options, name) for name in ("sentences", "names", "model")}
    try:
        spec = StudySpec.from_mapping(_manifest(options)["study"])
    except (KeyError, TypeError) as error:
        raise _no_manifest(options) from error
    spec = replace(spec, **{name: value for name, value in typed.items() if value is not None})
    _check_model(options, spec.model)
    anchors.finder(spec.anchors, origin=Origin.COMMAND_LINE if options.allow_code else Origin.FILE)
    return spec


def origin_of_model(options: argparse.Namespace) -> Origin:
    """On whose word the model is loaded."""
    said = options.from_manifest is None or options.model is not None or options.allow_code
    return Origin.COMMAND_LINE if said else Origin.FILE


def check_inputs(options: argparse.Namespace, planned: Plan) -> None:
    """Take the files that a manifest names only where they are those that it was written of.

    Whoever wrote it knew what is in such a file already, so a stranger's manifest reads nothing new.

    Raises
    ------
    OptionError
        When a file is another one than the manifest says, and nobody typed its name.
    """
    spec = planned.spec
    packaged = {"sentences": spec.sentences in corpus.packaged(), "names": _is_packaged_list(spec.names)}
    found = {"sentences": planned.corpus.sha256, "names": planned.names.sha256}
    for name, digest in found.items():
        if getattr(options, name) is None and not packaged[name] and digest != _hash_of(options, name):
            raise OptionError(
                f"--{name}",
                got=f"{getattr(spec, name)!r}, named by the manifest and not the file that it was written of",
                expected="the same file",
                fix=f"If you want this file, add --{name} with its name.",
            )


def _check_model(options: argparse.Namespace, model_id: str) -> None:
    try:
        models.check(model_id, origin_of_model(options))
    except OptionError as error:
        fix = "What a manifest names is only a suggestion. If you know this model, add --model with its id."
        raise OptionError("model", got=error.got, expected="one of the list", fix=fix) from error


def _is_packaged_list(spec: str) -> bool:
    return any(card.id == spec for card in names.available())


def _hash_of(options: argparse.Namespace, name: str) -> Any:
    inputs = _manifest(options).get("inputs")
    source = inputs.get(name) if isinstance(inputs, dict) else None
    return source.get("sha256") if isinstance(source, dict) else None


def _manifest(options: argparse.Namespace) -> dict[str, Any]:
    try:
        return json_file.read(options.from_manifest)
    except (OSError, ValueError) as error:
        raise _no_manifest(options) from error


def _no_manifest(options: argparse.Namespace) -> OptionError:
    return OptionError("--from-manifest", got=str(options.from_manifest), expected="a manifest.json of a study")
