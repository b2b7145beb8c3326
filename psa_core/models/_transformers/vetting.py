"""What the transformers library is shown of a model folder that nobody vouched for: files by name, settings by name.

The library takes most settings as arguments of the class that they also name, and several of those arguments are paths:
``{"tokenizer_class": "BertTokenizer", "vocab": "/any/file"}`` reads any file. So it never sees such a folder, only a
copy that has what is listed here, and nothing that is not.
"""

from __future__ import annotations

import json
import re
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from psa_core.errors import ModelError
from psa_core.models._transformers import import_transformers
from psa_core.registry import ASSETS

#: Read as they are: weights that hold numbers alone, and vocabularies that are no settings.
PLAIN = re.compile(
    r"[\w-][\w.-]*\.safetensors|vocab\.(txt|json)|merges\.txt|bpe\.codes|added_tokens\.json|chat_template\.jinja"
    r"|(spiece|spm|sentencepiece(\.bpe)?|tokenizer)\.model",
    re.ASCII,
)
INDEX = "model.safetensors.index.json"
#: What an index of weights may name.
SHARDS = {
    INDEX: re.compile(r"[\w-][\w.-]*\.safetensors", re.ASCII),
    "pytorch_model.bin.index.json": re.compile(r"[\w-][\w.-]*\.bin", re.ASCII),
}
MAX_BYTES = 2**27
#: A word such as ``gelu`` or ``p2c|c2p``: no path, no address, no id of a hub.
WORD = re.compile(r"[A-Za-z0-9_|.-]{0,60}", re.ASCII)
#: Which settings may be read, and why.
ALLOWED = {
    key: frozenset(names) for key, names in tomllib.loads((ASSETS / "model_settings.toml").read_text("utf-8")).items()
}
_TOKEN = re.compile(r"\w+_token", re.ASCII)


def vetted(folder: Path) -> Path:
    """A folder of this process's own that holds what may be read of another.

    Raises `ModelError` when a file leads out of the folder, or a setting that matters is none of those that may be
    read.
    """
    own = Path(tempfile.mkdtemp(prefix="model-", dir=_room().name))
    for file in sorted(folder.iterdir()):
        if file.name in SETTINGS:
            content = SETTINGS[file.name](_read(_inside(folder, file)), folder)
            if content is not None:
                (own / file.name).write_text(json.dumps(content), "utf-8")
                continue
        elif not PLAIN.fullmatch(file.name):
            continue
        (own / file.name).symlink_to(_inside(folder, file))
    return own


@cache
def _room() -> tempfile.TemporaryDirectory[str]:
    """The folder of all such folders, which ends with this process."""
    return tempfile.TemporaryDirectory(prefix="psa-")


def _inside(folder: Path, file: Path) -> Path:
    """The file itself, where it is one of this folder; a hub's snapshot has links to the blobs of the same model."""
    real = file.resolve()
    roots = [folder.resolve()]
    if roots[0].parent.name == "snapshots":
        roots.append(roots[0].parent.parent / "blobs")
    if not (real.is_file() and any(real.is_relative_to(root) for root in roots)):
        raise ModelError("model folder", got=f"{file.name}, which is no file of it", expected="files of its own")
    return real


def _read(file: Path) -> dict[str, Any]:
    content = None
    with suppress(OSError, ValueError, RecursionError):
        content = json.loads(file.read_bytes()) if file.stat().st_size <= MAX_BYTES else None
    if not isinstance(content, dict):
        raise ModelError(file.name, got="a damaged file", expected="JSON with settings", fix="Fetch it whole.")
    return content


def _config(content: dict[str, Any], _: Path) -> dict[str, Any]:
    import_transformers()
    from transformers import CONFIG_MAPPING

    kept = _words_and_numbers(content)
    lost = {key: value for key, value in content.items() if key not in kept}
    matter = [key for key, value in lost.items() if key in ALLOWED["telling"] and value]
    model_type = str(kept.get("model_type"))
    if lost and model_type in CONFIG_MAPPING:
        # What was left out although this kind of model goes by it, and not as it would by itself.
        kind = CONFIG_MAPPING[model_type]
        usual = {**dict.fromkeys(kind.attribute_map), **kind().to_dict()}
        matter += [
            key for key, value in lost.items() if key in usual and key not in ALLOWED["idle"] and usual[key] != value
        ]
    if matter:
        raise _refused("config.json", matter)
    return kept


def _words_and_numbers(content: Mapping[str, Any]) -> dict[str, Any]:
    """What of a configuration leads nowhere."""
    kept: dict[str, Any] = {}
    for key, value in content.items():
        if key.startswith("_"):
            continue
        if key in ALLOWED["labels"] and isinstance(value, dict):
            kept[key] = {str(name): each for name, each in value.items() if isinstance(each, str | int)}
        elif isinstance(value, dict):
            if key == "rope_parameters" and all(isinstance(each, dict) for each in value.values()):
                kept[key] = {part: _words_and_numbers(each) for part, each in value.items()}
            elif key in ALLOWED["parts"]:
                kept[key] = _words_and_numbers(value)
        elif _leads_nowhere(value, words=key in ALLOWED["words"]):
            kept[key] = value
    return kept


def _leads_nowhere(value: Any, *, words: bool) -> bool:
    if isinstance(value, list):
        return all(_leads_nowhere(each, words=words) for each in value)
    is_word = words and isinstance(value, str) and bool(WORD.fullmatch(value))
    return value is None or isinstance(value, int | float) or is_word


def _tokenizer_config(content: dict[str, Any], _: Path) -> dict[str, Any]:
    kept = {key: value for key, value in content.items() if key in ALLOWED["tokenizer"]}
    return {key: value for key, value in kept.items() if _leads_nowhere(value, words=True)} | _texts(content)


def _texts(content: dict[str, Any], _: Path | None = None) -> dict[str, Any]:
    kept = {key: value for key, value in content.items() if key in ALLOWED["texts"]}
    more = content.get("extra_special_tokens")
    if isinstance(more, list) or (isinstance(more, dict) and all(_TOKEN.fullmatch(key) for key in more)):
        kept["extra_special_tokens"] = more
    return kept


def _core(content: dict[str, Any], _: Path) -> None:
    """``tokenizer.json`` is large and either as it must be or refused; its vocabulary stands in it, never elsewhere."""
    model = content.get("model")
    inner = model if isinstance(model, dict) else {}
    if not set(content) <= ALLOWED["core"] or not isinstance(inner.get("vocab"), dict | list):
        raise _refused("tokenizer.json", sorted(set(content) - ALLOWED["core"]) or ["vocab"])
    if not isinstance(inner.get("merges", []), list):
        raise _refused("tokenizer.json", ["merges"])


def check_indexes(folder: Path) -> None:
    """Raise `ModelError` for an index that leads out of the folder, or from safetensors to pickles."""
    for name in SHARDS:
        if (folder / name).is_file():
            _checked(name, _read(folder / name), folder)


def _checked(index: str, content: Mapping[str, Any], folder: Path) -> dict[str, str]:
    """The file of each weight, where all of them are of the index's kind and lie beside it."""
    found = content.get("weight_map")
    names = set(map(str, found.values())) if isinstance(found, dict) else {""}
    if not all(SHARDS[index].fullmatch(name) and (folder / name).is_file() for name in names):
        got, expected = "names that are no weights beside it", "files of the model's folder"
        raise ModelError(index, got=got, expected=expected, fix="Fetch it whole.")
    return dict(found or {})


#: How each file with settings is read: what is written in its place, or None where it is shown as it is.
SETTINGS: dict[str, Callable[[dict[str, Any], Path], dict[str, Any] | None]] = {
    "config.json": _config,
    "tokenizer_config.json": _tokenizer_config,
    "special_tokens_map.json": _texts,
    "generation_config.json": lambda content, _: {k: v for k, v in content.items() if _leads_nowhere(v, words=False)},
    "tokenizer.json": _core,
    INDEX: lambda content, folder: {"metadata": {}, "weight_map": _checked(INDEX, content, folder)},
}


def _refused(file: str, keys: list[str]) -> ModelError:
    got = f"the setting {', '.join(key[:60] for key in keys[:5])}"
    fix = "On your own machine, start it with make app or psa app, where every setting is read."
    return ModelError(file, got=got, expected="settings that lead to no file and no program", fix=fix)
