"""A model hub of one model on this machine, and the hub client's own questions to it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from psa_core import models
from psa_core.errors import ModelError
from psa_core.inputs.limits import HUB, HUB_DISK
from psa_core.models._options import flag, split_options
from psa_core.models._transformers import hub as hub_files
from psa_core.models._transformers.hub import Public
from psa_core.trust import Origin
from tests.tiny_models import tiny_classifier

COMMIT = "0123456789abcdef0123456789abcdef01234567"
ERRORS = {
    "owner/gated": (403, "GatedRepo"),
    "owner/secret": (401, "RepoNotFound"),
    "owner/nothing": (404, "RepoNotFound"),
    "owner/broken": (500, ""),
}


class Hub(BaseHTTPRequestHandler):
    """Answers for ``owner/tiny``; other ids get an error."""

    folder: ClassVar[Path]
    asked: ClassVar[list[str]] = []

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        self.asked.append(self.path)
        path = self.path.partition("?")[0]
        for name, (status, code) in ERRORS.items():
            if name in path:
                return self.answer(status, b"{}", {"X-Error-Code": code} if code else {})
        revision = path.split("/revision/")[-1] if "/revision/" in path else COMMIT
        if revision not in (COMMIT, "main"):
            return self.answer(404, b"{}", {"X-Error-Code": "RevisionNotFound"})
        files = sorted(self.folder.iterdir())
        if "/resolve/" in path:
            content = (self.folder / path.rpartition("/")[2]).read_bytes()
            digest = hashlib.sha256(content).hexdigest()
            return self.answer(200, content, {"ETag": f'"{digest}"', "X-Repo-Commit": COMMIT})
        if "/tree/" in path:
            rows = [{"type": "file", "path": f.name, "size": f.stat().st_size, "oid": f.name} for f in files]
            return self.answer(200, json.dumps(rows).encode(), {})
        siblings = [{"rfilename": f.name, "size": f.stat().st_size} for f in files]
        about = {"id": "owner/tiny", "modelId": "owner/tiny", "sha": COMMIT, "siblings": siblings, "tags": []}
        return self.answer(200, json.dumps(about).encode(), {})

    def answer(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"content-length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    Hub.folder = tiny_classifier(tmp_path_factory.mktemp("hub") / "tiny")
    (Hub.folder / "pytorch_model.bin").write_bytes(b"never fetched unless asked")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def hub(served: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Points the client at the hub above, with empty caches; returns that of the operator."""
    from huggingface_hub import _snapshot_download, constants, file_download, hf_api

    for module in (constants, hf_api, file_download, _snapshot_download):
        for name, value in (("ENDPOINT", served), ("HF_HUB_CACHE", str(tmp_path / "operator"))):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", served + "/{repo_id}/resolve/{revision}/{filename}")
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    Hub.asked.clear()
    return tmp_path


def test_a_hub_model_is_fetched_once_and_scores_as_its_folder(hub: Path) -> None:
    scorer = models.load("hf:owner/tiny")
    folder = models.load(f"hf:{Hub.folder}")
    assert scorer.fingerprint == folder.fingerprint
    np.testing.assert_array_equal(scorer.score(["he is good"]), folder.score(["he is good"]))
    fetched = {path.rpartition("/")[2] for path in Hub.asked if "/resolve/" in path}
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= fetched
    assert "pytorch_model.bin" not in fetched


def test_a_model_that_was_fetched_loads_without_the_hub(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    first = models.load("hf:owner/tiny").fingerprint
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    Hub.asked.clear()
    assert models.load("hf:owner/tiny").fingerprint == first
    assert not Hub.asked


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("owner/gated", "asks for consent first.*hf auth login"),
        ("owner/secret", "no such hub model"),
        ("owner/nothing", "no such hub model"),
        ("owner/broken", "no copy on this machine and no connection|no answer from the hub"),
        ("owner/tiny?revision=v9", "no revision 'v9'"),
    ],
)
def test_what_the_hub_refuses_is_one_sentence(hub: Path, name: str, said: str) -> None:
    with pytest.raises(ModelError, match=said) as caught:
        models.load(f"hf:{name}")
    assert "\n" not in str(caught.value)


def test_a_visitor_is_given_what_the_hub_gives_to_anybody(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched = models.load("hf:owner/tiny", origin=Origin.VISITOR).fingerprint
    assert models.load("hf:owner/tiny").fingerprint == fetched
    monkeypatch.setitem(ERRORS, "owner/tiny", (401, "RepoNotFound"))
    assert models.load("hf:owner/tiny").fingerprint == fetched  # the operator's copy of what is private now
    with pytest.raises(ModelError, match="no such hub model"):
        models.load("hf:owner/tiny", origin=Origin.VISITOR)


def test_a_visitor_fetches_no_more_than_the_limit(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_files, "HUB", replace(HUB, scale=1, default=1000))
    with pytest.raises(ModelError, match=r"expected at most 1,000 MB.*PSA_MAX_HUB_MB"):
        models.load("hf:owner/tiny", origin=Origin.VISITOR)
    assert not any("/resolve/" in path for path in Hub.asked)
    models.load("hf:owner/tiny")


def test_a_visitor_uses_the_operators_copy_of_what_is_public(hub: Path) -> None:
    models.load("hf:owner/tiny")
    Hub.asked.clear()
    models.load("hf:owner/tiny", origin=Origin.VISITOR)
    assert not any("/resolve/" in path for path in Hub.asked)
    assert not (hub / "cache" / "hub").exists()


def test_all_that_visitors_fetch_is_within_a_limit(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models.load("hf:owner/tiny", origin=Origin.VISITOR)
    room = hub / "cache" / "hub"
    size = sum(file.lstat().st_size for file in (room / "models--owner--tiny").rglob("*"))
    monkeypatch.setattr(hub_files, "HUB_DISK", replace(HUB_DISK, scale=1, default=3 * size))
    for number, hours in enumerate((1, 3, 2)):
        old = room / f"models--owner--old{number}"
        old.mkdir()
        (old / "weights").write_bytes(bytes(size))
        os.utime(old, times=(time.time() - hours * 3600,) * 2)
    shutil.rmtree(room / "models--owner--tiny")
    models.load("hf:owner/tiny", origin=Origin.VISITOR)  # there is room for two more
    assert sorted(path.name[-4:] for path in room.glob("models--*")) == ["old0", "old2", "tiny"]
    for other in room.glob("*old*"):
        os.utime(other)
    shutil.rmtree(room / "models--owner--tiny")
    monkeypatch.setattr(hub_files, "HUB_DISK", replace(HUB_DISK, scale=1, default=2 * size))
    with pytest.raises(ModelError, match=r"no room beside the models of other visitors.*PSA_MAX_HUB_DISK_MB"):
        models.load("hf:owner/tiny", origin=Origin.VISITOR)


def test_what_is_being_fetched_counts_whole(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_files, "HUB_DISK", replace(HUB_DISK, scale=1, default=100))
    Public("owner/one", "0", {"model.safetensors": 60}).room()
    with pytest.raises(ModelError, match="no room"):
        Public("owner/two", "0", {"model.safetensors": 60}).room()


def test_offline_without_a_copy_is_said(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match="no copy on this machine and no connection to the hub"):
        models.load("hf:owner/tiny")


def test_options_follow_a_question_mark() -> None:
    assert split_options("a/b?x=1&y=a,b", ("x", "y")) == ("a/b", {"x": "1", "y": "a,b"})
    assert split_options("a/b", ("x",)) == ("a/b", {})
    assert flag({"x": "Yes"}, "x") and not flag({}, "x")


def test_the_base_model_that_a_setting_names_is_vouched_for(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    from psa_core import trust
    from psa_core.models._transformers import adapter

    monkeypatch.setattr(adapter, "BASE", "no-such-package")
    monkeypatch.setenv(adapter.STAND_IN, "owner/tiny")
    assert adapter.base_folder().name == COMMIT
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with trust.acting(Origin.VISITOR):
        assert adapter.stand_in() == {"owner/tiny@": str(adapter.base_folder())}
    monkeypatch.delenv(adapter.STAND_IN)
    assert adapter.stand_in() == {}
