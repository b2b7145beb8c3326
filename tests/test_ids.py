"""No id of a plug-in stands outside its own file: a file that is added is offered wherever it is good for something."""

from __future__ import annotations

import ast
import importlib
import re
from functools import cache
from pathlib import Path

from psa_core import anchors, generators, models
from psa_core.inputs import names
from psa_core.models._judges.question_file import packaged

ROOT = Path(__file__).resolve().parent.parent
SOURCES = [path for folder in ("psa_core", "pages") for path in (ROOT / folder).rglob("*.py")] + [ROOT / "app.py"]
#: Ids that are words of other things too: they count only where a colon and an argument follow.
WORDS = {
    "answers",
    "ask",
    "chat",
    "continuations",
    "countries",
    "entities",
    "http",
    "lm",
    "occupations",
    "onnx",
    "person",
    "python",
}
#: Who may name another's id: the example study; a judge, which is reached like a generator; what an address is;
#: a command, which says what reads its file back; retraining, which writes what these kinds load.
ALLOWED = {
    "psa_core/retraining/student.py": {"minilm", "hf"},
    "pages/ui/results/retrain_results.py": {"minilm", "hf"},
    "pages/ui/frame/cached.py": {"demo", "profanity-check"},
    "psa_core/models/ask.py": {"lm", "chat", "http"},
    "psa_core/trust/addresses.py": {"http"},
    "psa_core/cli/requests.py": {"answers"},
}
ROOMS = {"anchors": (anchors, "ANCHOR"), "generators": (generators, "GENERATOR"), "models": (models, "MODEL")}


@cache
def known_ids() -> set[str]:
    """Of everything that can be added as a file, but for methods: theirs are columns of the published result files."""
    found = {item for room, _ in ROOMS.values() for item in room.plugins()}
    found |= {card.id for card in (*models.cards(), *generators.cards(), *names.available())}
    return found | {f"question={question}" for question in packaged()}


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def own_ids(path: Path) -> set[str]:
    """Ids that a file may name: a plug-in's own; of what the plug-ins of a room share, the room's."""
    room, _, rest = module_of(path).removeprefix("psa_core.").partition(".")
    if room not in ROOMS or not rest:
        return set()
    plugins, constant = ROOMS[room]
    if rest.startswith("_"):
        return set(plugins.plugins())
    plugin = getattr(importlib.import_module(module_of(path)), constant)
    return {plugin.id, *(card.id for card in getattr(plugin, "cards", tuple)())}


def named_in(path: Path, ids: set[str]) -> set[str]:
    """Ids that a file's strings name; docstrings are for people."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    strings = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    texts = [node.value for node in strings if id(node) not in docs]
    with_argument = re.compile(rf"(?<![\w:/-])({'|'.join(map(re.escape, sorted(ids)))}):(?=[^\s/])")
    plain = {text for text in texts if text in ids - WORDS}
    questions = {item for item in ids if item.startswith("question=") and any(item in text for text in texts)}
    return plain | questions | {match for text in texts for match in with_argument.findall(text) if text != match}


def test_no_id_stands_outside_its_own_file() -> None:
    """Whoever is named here: let the id's own file say what it is good for."""
    foreign = {}
    for path in SOURCES:
        name = str(path.relative_to(ROOT))
        foreign[name] = named_in(path, known_ids()) - own_ids(path) - ALLOWED.get(name, set())
    assert {name: ids for name, ids in foreign.items() if ids} == {}
