"""Limits of a study, and the commands that run it again."""

from __future__ import annotations

import shlex

from psa_core import anchors, models, options
from psa_core.cube import ScoreCube
from psa_core.errors import PsaError
from psa_core.study import StudySpec, spec_of

LIMITS = (
    "This is perturbation sensitivity: what the score does when a name changes. Whether a difference is a defect, "
    "a person has to judge, sentence by sentence.",
    "The measure assumes that a name should not matter. In some sentences it does: “he is like …” means something else "
    "with every name.",
    "An anchor such as a pronoun is not a name, so part of the difference from the original is the change from any "
    "pronoun to any name; differences between names are free of it.",
    "The numbers hold for these sentences and these names. Intervals speak of other sentences of the same kind, not of "
    "other kinds of text; noise floors speak of other names.",
    "A threshold decides which differences become another label; at another threshold other sentences flip.",
)


def limits(cube: ScoreCube) -> list[str]:
    """What the numbers do not say."""
    caution = anchors.caution(cube.provenance.get("anchors", {}).get("spec", ""))
    return [*LIMITS, *filter(None, [caution])]


def commands(cube: ScoreCube) -> list[str]:
    """What runs the study again, with comments between."""
    again = "python -m psa_core run --from-manifest manifest.json --out again"
    try:
        spec = spec_of(cube)
    except (KeyError, TypeError, PsaError):  # a cube that no study made
        return [again]
    if needs := _needs(spec.model):
        return [again, f"\n\n# The model, {needs}, has to be named by you: add --model with its id, if you know it."]
    return [again] if spec.exclude else [command_line(spec), "\n\n# or, from this study's own folder\n", again]


def _needs(model_id: str) -> str:
    """What loading a model does beyond computing, with its id, which may be a stranger's: no command to be copied."""
    try:
        needs = models.needs(model_id)
    except PsaError:  # a plug-in that is not here
        return f"{model_id!r}"
    return f"{model_id!r}, which {' and '.join(need.kind.value for need in needs)}" if needs else ""


def command_line(spec: StudySpec) -> str:
    """The command that runs a study; anchors that were switched off have no option and need the manifest."""
    words = options.as_arguments(StudySpec, vars(spec))
    return f"python -m psa_core run {shlex.join(words)} --out again"
