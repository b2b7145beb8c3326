"""What the numbers do not say, what became of the sentences, and how to run the study again."""

from __future__ import annotations

import shlex
from typing import Any

from psa_core import anchors, models
from psa_core.cube import ScoreCube
from psa_core.errors import PsaError
from psa_core.report._html import Html, element, join, listing, table
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
MASKED = "These look like anchors and are none; no name was put in their place."


def limits(cube: ScoreCube) -> Html:
    """What the numbers do not say."""
    notes = [str(note) for note in cube.provenance.get("notes", ())]
    caution = anchors.caution(cube.provenance.get("anchors", {}).get("spec", ""))
    return join([element("h2", "Limits"), listing([*LIMITS, *filter(None, [caution]), *notes])])


def account(cube: ScoreCube) -> Html:
    """What became of every sentence that was read."""
    counts = cube.provenance.get("account", {})
    if not counts:
        return Html("")
    rows = [[str(reason), f"{count:,}"] for reason, count in counts.items()]
    parts = [element("h2", "What became of the sentences"), table(("Reason", "Sentences"), rows)]
    if masked := cube.provenance.get("masked", {}):
        rows = [[str(reason), f"{count:,}"] for reason, count in masked.items()]
        parts += [element("p", MASKED), table(("Where or why", "Expressions"), rows)]
    return join(parts)


def reproduction(cube: ScoreCube) -> Html:
    """The command that runs it again, and what it ran on."""
    versions = cube.provenance.get("versions", {})
    hashes = {
        f"{what} (sha256)": source.get("sha256", "") for what, source in cube.provenance.get("inputs", {}).items()
    }
    facts = {"scorer": cube.provenance.get("fingerprint", ""), **hashes, **versions}
    rows = [[key, str(value)] for key, value in facts.items() if value]
    return join(
        [
            element("h2", "How to run it again"),
            element("pre", *_commands(cube)),
            element("p", "The same sentences, names, model and versions give the same scores.", css="small"),
            table(("What", "Version or hash"), rows, css="words") if rows else Html(""),
        ]
    )


def _commands(cube: ScoreCube) -> list[str]:
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
    options: dict[str, Any] = {
        "sentences": spec.sentences,
        "text-column": spec.text_column,
        "anchors": spec.anchors,
        "names": spec.names,
        "name-column": spec.name_column,
        "model": spec.model,
        "max-words": spec.max_words,
        "sample": spec.sample,
        "seed": spec.seed,
        "mentions": spec.mentions,
        "out": "again",
    }
    words = [f"--{name} {shlex.quote(str(value))}" for name, value in options.items() if value is not None]
    balance = {None: [], True: ["--balance"], False: ["--no-balance"]}[spec.balance]
    return " ".join(["python -m psa_core run", *words, *balance])
