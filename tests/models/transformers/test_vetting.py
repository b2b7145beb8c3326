"""A model folder that nobody vouched for: what of it is read, and that nothing else on the machine is."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from psa_core import models, trust
from psa_core.errors import ModelError, PsaError
from psa_core.models._transformers.vetting import vetted
from psa_core.trust import Origin
from tests.tiny_models import KINDS, tiny_causal_lm, tiny_classifier

SECRET = "canary-4711"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    file = tmp_path / "secret" / "vocab.txt"
    file.parent.mkdir()
    file.write_text(f"[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n{SECRET}\n")
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tiny_classifier(tmp_path / "model")


def as_visitor(folder: Path, kind: str = "hf") -> Any:
    with trust.acting(Origin.VISITOR, inside=folder):
        return models.load(f"{kind}:{folder}")


def edit(folder: Path, name: str, **settings: Any) -> None:
    file = folder / name
    content = json.loads(file.read_text()) if file.exists() else {}
    file.write_text(json.dumps(content | settings))


def knows(scorer: Any) -> bool:
    """Whether a word of the secret file is one of the tokens."""
    return any(SECRET in token for token in scorer.tokenizer.get_vocab())


@pytest.mark.parametrize("kind", [*KINDS, "gpt2"])
def test_an_honest_folder_scores_as_it_does_for_its_owner(tmp_path: Path, kind: str) -> None:
    folder = tiny_classifier(tmp_path / "model", kind)
    theirs, own = as_visitor(folder), models.load(f"hf:{folder}")
    assert theirs.fingerprint == own.fingerprint
    assert theirs.score(["he is good"]).tolist() == own.score(["he is good"]).tolist()


def test_an_honest_language_model_scores_as_it_does_for_its_owner(tmp_path: Path) -> None:
    folder = tiny_causal_lm(tmp_path / "model")
    assert as_visitor(folder, "lm").fingerprint == models.load(f"lm:{folder}").fingerprint


@pytest.mark.parametrize(
    ("file", "settings"),
    [
        ("tokenizer_config.json", lambda path: {"tokenizer_class": "BertTokenizer", "vocab": path}),
        ("tokenizer_config.json", lambda path: {"tokenizer_class": "BertTokenizer", "vocab_file": path}),
        ("tokenizer_config.json", lambda path: {"tokenizer_class": "BertTokenizer", "init_inputs": [path]}),
        ("tokenizer_config.json", lambda path: {"tokenizer_class": "GPT2Tokenizer", "vocab": {"a": 0}, "merges": path}),
        ("tokenizer_config.json", lambda path: {"tokenizer_file": path}),
        ("tokenizer_config.json", lambda path: {"extra_special_tokens": {"vocab_file": path}}),
        ("special_tokens_map.json", lambda path: {"vocab": path}),
    ],
)
def test_no_setting_makes_another_file_the_vocabulary(
    folder: Path, secret: Path, file: str, settings: Callable[[str], dict[str, Any]]
) -> None:
    for name in ("tokenizer.json", "vocab.txt"):
        (folder / name).unlink(missing_ok=True)
    (folder / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhe\n")
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer"}))
    edit(folder, file, **settings(str(secret)))
    try:
        scorer = as_visitor(folder)
    except ModelError as refused:
        assert SECRET not in str(refused) and str(secret) not in str(refused)
    else:
        assert not knows(scorer)


def test_the_vocabulary_of_a_tokenizer_stands_in_its_own_file(folder: Path, secret: Path) -> None:
    content = json.loads((folder / "tokenizer.json").read_text())
    for change in ({"vocab": str(secret)}, {"vocab": {}, "merges": str(secret)}):
        (folder / "tokenizer.json").write_text(json.dumps(content | {"model": content["model"] | change}))
        with pytest.raises(ModelError, match=r"tokenizer\.json: got the setting"):
            as_visitor(folder)


@pytest.mark.parametrize("origin", [Origin.VISITOR, Origin.COMMAND_LINE])
def test_an_index_of_weights_leads_nowhere_else(folder: Path, secret: Path, origin: Origin) -> None:
    import torch

    other = secret.parent / "model.safetensors"
    (folder / "model.safetensors").rename(other)
    (folder / "dummy.safetensors").write_bytes(b"")
    torch.save({"x": torch.zeros(1)}, folder / "weights.bin")
    there, missing = f"../secret/{other.name}", "../secret/missing.safetensors"
    told = set()
    for name in (there, missing, str(other), "weights.bin", "absent.safetensors", ".."):
        index = {"metadata": {}, "weight_map": {"classifier.bias": name}}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
        with trust.acting(origin, inside=folder), pytest.raises(ModelError, match="names that are no weights") as error:
            models.load(f"hf:{folder}")
        told.add(str(error.value))
    assert len(told) == 1  # whether something is there is not told


def test_weights_in_parts_are_read_through_their_index(folder: Path) -> None:
    own = models.load(f"hf:{folder}").fingerprint
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    save_file(weights, folder / "model-00001-of-00001.safetensors", metadata={"format": "pt"})
    index = {"metadata": {"total_size": 1}, "weight_map": dict.fromkeys(weights, "model-00001-of-00001.safetensors")}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    assert as_visitor(folder).fingerprint == models.load(f"hf:{folder}").fingerprint == own


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json", "vocab.txt"])
def test_a_link_leads_no_further_than_the_blobs_of_the_same_model(tmp_path: Path, secret: Path, name: str) -> None:
    snapshot = tmp_path / "cache" / "models--o--m" / "snapshots" / ("0" * 40)
    tiny_classifier(snapshot)
    (snapshot / "vocab.txt").write_text("he\n")
    blobs = snapshot.parents[1] / "blobs"
    blobs.mkdir()
    (snapshot / name).rename(blobs / "a1")
    (snapshot / name).symlink_to("../../blobs/a1")
    assert as_visitor(snapshot).score(["he"]).shape[0] == 1
    (snapshot / name).unlink()
    (snapshot / name).symlink_to(secret)
    with pytest.raises(ModelError, match="no file of it"):
        as_visitor(snapshot)


def test_only_listed_files_are_there(folder: Path) -> None:
    for name in ("pytorch_model.bin", "adapter_config.json", "modeling.py", "tekken.json", "config.4.0.0.json"):
        (folder / name).write_text("{}")
    (folder / "additional_chat_templates").mkdir()
    kept = {path.name for path in vetted(folder).iterdir()}
    assert kept == {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}


def test_words_of_a_configuration_are_no_paths(folder: Path, secret: Path) -> None:
    edit(folder, "config.json", hidden_act=str(secret), attn_implementation="owner/kernel", backbone="resnet")
    with pytest.raises(ModelError, match=r"config\.json: got the setting hidden_act"):
        vetted(folder)
    edit(folder, "config.json", hidden_act="gelu", _attn_implementation="owner/kernel", auto_map={"AutoConfig": "x.Y"})
    kept = json.loads((vetted(folder) / "config.json").read_text())
    assert not {"attn_implementation", "_attn_implementation", "backbone", "auto_map"} & set(kept)
    edit(folder, "config.json", quantization_config={"quant_method": "x"})
    with pytest.raises(ModelError, match="quantization_config"):
        vetted(folder)


@pytest.mark.parametrize("revision", ["..", "../x", "/etc", "a/../../b", "", "a\0", "x" * 200, "~", "refs/../..", ".x"])
@pytest.mark.parametrize("origin", [Origin.VISITOR, Origin.COMMAND_LINE])
def test_a_revision_is_no_path(revision: str, origin: Origin, monkeypatch: pytest.MonkeyPatch) -> None:
    from urllib.parse import quote

    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(PsaError, match="revision"):
        models.load(f"hf:owner/model?revision={quote(revision)}", origin=origin)


def cached(folder: Path, cache: Path, refers: str) -> None:
    """The hub's own cache with a model, whose branch is said to be somewhere."""
    repository = cache / "models--owner--model"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text(refers)
    (repository / "snapshots").mkdir()
    shutil.copytree(folder, repository / "snapshots" / ("0" * 40))


def test_offline_a_visitor_loads_what_is_listed(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants, file_download

    for module in (constants, file_download):
        if hasattr(module, "HF_HUB_CACHE"):
            monkeypatch.setattr(module, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.delenv("PSA_OFFLINE_MODELS", raising=False)
    cached(folder, tmp_path / "cache", "0" * 40)
    own = models.load("hf:owner/model").fingerprint
    messages = set()
    for name in ("owner/model", "owner/other"):
        with pytest.raises(ModelError, match="no copy on this machine") as error:
            models.load(f"hf:{name}", origin=Origin.VISITOR)
        messages.add(str(error.value).replace(name, ""))
    assert len(messages) == 1
    monkeypatch.setenv("PSA_OFFLINE_MODELS", "owner/other, owner/model")
    assert models.load("hf:owner/model", origin=Origin.VISITOR).fingerprint == own
    (tmp_path / "cache" / "models--owner--model" / "refs" / "main").write_text(f"../../../../{folder.name}")
    with pytest.raises(ModelError, match="no copy on this machine"):
        models.load("hf:owner/model", origin=Origin.VISITOR)
