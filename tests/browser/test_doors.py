"""What once opened a shared server, tried again over the wire by a visitor without a browser."""

from __future__ import annotations

import asyncio
import io
import json
import threading
import time
import zipfile
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import UploadedFileInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from psa_core import jobs
from research.sessions.servers import Served, served
from research.sessions.visitor import Visitor, arrive
from tests.models.transformers.test_hub import Hub
from tests.tiny_models import tiny_classifier

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SECRET = "swordfish-of-the-server"
MB = 2**20
BOMB = 400 * MB
#: Where the first kind of attack put a path, by file of a model's folder; ``@`` is the path.
SETTINGS = {
    "vocabulary": ("tokenizer_config.json", {"tokenizer_class": "BertTokenizer", "vocab": "@", "vocab_file": "@"}),
    "special": ("special_tokens_map.json", {"additional_special_tokens": ["@"], "unk_token": "@"}),
    "index": ("model.safetensors.index.json", {"metadata": {}, "weight_map": {"classifier.weight": "../../../..@"}}),
}


class Ears:
    """A socket that keeps what it has heard."""

    def __init__(self, socket: Any) -> None:
        self.socket, self.heard = socket, list[ForwardMsg]()

    async def recv(self, **options: Any) -> Any:
        content = await self.socket.recv(**options)
        self.heard.append(ForwardMsg.FromString(bytes(content)))
        return content

    def __getattr__(self, name: str) -> Any:
        return getattr(self.socket, name)

    @property
    def words(self) -> str:
        return "\n".join(map(str, self.heard))


class Hostile(Hub):
    """A hub of models whose settings name a file of whoever loads them, one of each kind."""

    folders: dict[str, Path]

    def do_GET(self) -> None:  # noqa: N802 - the name is the library's
        kind = next((kind for kind in SETTINGS if f"owner/{kind}" in self.path), "vocabulary")
        self.folder = self.folders[kind]  # type: ignore[misc]
        super().do_GET()


@pytest.fixture(scope="module")
def secret(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("private") / "secret.txt"
    file.write_text(f"[PAD]\n[UNK]\n{SECRET}\n")
    return file


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory, secret: Path) -> Iterator[Served]:
    """A shared server beside the hub, with something in its environment that is nobody's business."""
    Hostile.folders = {}
    for kind, (name, content) in SETTINGS.items():
        Hostile.folders[kind] = tiny_classifier(tmp_path_factory.mktemp(kind) / "model")
        file = Hostile.folders[kind] / name
        own = json.loads(file.read_text()) if file.exists() else {}
        given = json.loads(json.dumps(content).replace("@", str(secret)))
        file.write_text(json.dumps(own | given))
    (Hostile.folders["index"] / "model.safetensors").unlink()
    hub = ThreadingHTTPServer(("127.0.0.1", 0), Hostile)
    threading.Thread(target=hub.serve_forever, args=(0.01,), daemon=True).start()
    place = tmp_path_factory.mktemp("server")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{hub.server_port}")
        patch.setenv("HF_HUB_CACHE", str(place / "operator"))
        patch.setenv("HF_HUB_OFFLINE", "0")
        patch.setenv("HF_TOKEN", SECRET)
        patch.delenv("PSA_HISTORY", raising=False)
        with served(1, place) as started:
            patch.setenv("PSA_RUNS_DIR", str(place / "runs"))
            yield started
    hub.shutdown()
    hub.server_close()


Door = Callable[[Visitor, Ears], Coroutine[Any, Any, None]]


def visit(at: Served, page: str, door: Door) -> str:
    """Come to a page and try a door; everything that the server said meanwhile."""

    async def come() -> str:
        visitor = await arrive(at.address, query="study_model=hf")
        ears = visitor._socket = Ears(visitor._socket)  # type: ignore[assignment]
        try:
            await visitor.rerun(page=page)
            await door(visitor, ears)  # type: ignore[arg-type]
        finally:
            await visitor.leave()
        return ears.words  # type: ignore[attr-defined,no-any-return]

    with ThreadPoolExecutor(1) as own:  # a browser of another test has an event loop in this thread
        words = own.submit(asyncio.run, come()).result()
    assert SECRET not in words
    return words


@pytest.mark.parametrize(
    "typed", ["{folder}", "../../../etc", "owner/special?allow_pickle=1", "python:subprocess:getoutput", "~root/x"]
)
def test_a_name_of_the_servers_files_or_programs_is_refused(at: Served, secret: Path, typed: str) -> None:
    async def door(visitor: Visitor, _: Ears) -> None:
        await visitor.rerun(page="new_study", study_model_id_hf=typed.format(folder=secret.parent))

    words = visit(at, "new_study", door)
    assert "Needed: " in words and "study_run" not in words.rpartition("Needed: ")[2]


@pytest.mark.parametrize("kind", [*SETTINGS, "vocabulary?revision=../../../../../.."])
def test_a_model_on_a_hub_reads_none_of_the_servers_files(at: Served, kind: str) -> None:
    runs: list[str] = []

    async def door(visitor: Visitor, ears: Ears) -> None:
        await visitor.rerun(page="new_study", study_model_id_hf=f"owner/{kind}")
        if "study_run" not in visitor.widgets:  # refused before it could be run
            return
        button = visitor.widgets["study_run"]
        visitor._states[button] = WidgetState(id=button, trigger_value=True)
        await visitor.rerun(page="new_study")
        del visitor._states[button]
        (run_id,) = {part for part in visitor._query.split("&") if part.startswith("run=")}
        runs.append(run_id.removeprefix("run="))
        end = time.monotonic() + 120
        while jobs.status(runs[0]).live and time.monotonic() < end:
            await asyncio.sleep(0.5)
        await visitor.rerun(page="study")

    visit(at, "new_study", door)
    assert runs or "?" in kind
    for run_id in runs:
        assert not jobs.status(run_id).live
    files = [file for run_id in runs for file in jobs.run_path(run_id).rglob("*") if file.is_file()]
    assert not [file for file in files if SECRET.encode() in file.read_bytes()]


def test_nothing_is_taken_before_a_page_has_been_shown(at: Served) -> None:
    with httpx.Client(base_url=at.address, trust_env=False) as client:
        assert client.put("/_stcore/upload_file/somebody/1", content=b"x").status_code == 403
        assert client.get("/_stcore/metrics").status_code == 404
        assert client.get("/").headers["x-frame-options"] == "SAMEORIGIN"


def test_a_zip_that_unpacks_to_more_than_it_may_costs_nothing(at: Served) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("manifest.json", "sentences.csv", "scores.toxicity.parquet"):
            with archive.open(name, "w") as entry:
                for _ in range(BOMB // MB // 3):
                    entry.write(bytes(MB))
    server = psutil.Process(at.processes[0])

    async def door(visitor: Visitor, ears: Ears) -> None:
        await upload(visitor, ears, at.address, "study_zip", "study.zip", packed.getvalue())

    visit(at, "study", lambda visitor, _: visitor.rerun(page="study"))  # type: ignore[arg-type,return-value]
    before = server.memory_info().rss
    assert "Needed: " in visit(at, "study", door)
    assert server.memory_info().rss - before < BOMB / 4


async def upload(visitor: Visitor, ears: Ears, address: str, key: str, name: str, content: bytes) -> None:
    """Send a file as the page's own script does: ask where to, put it there, and say that it is chosen."""
    session = next(said for said in ears.heard if said.HasField("new_session")).new_session.initialize.session_id
    asked = BackMsg()
    asked.file_urls_request.request_id, asked.file_urls_request.session_id = "1", session
    asked.file_urls_request.file_names.append(name)
    await ears.send(asked.SerializeToString())
    while not ears.heard[-1].HasField("file_urls_response"):
        await ears.recv(decode=False)
    (urls,) = ears.heard[-1].file_urls_response.file_urls
    async with httpx.AsyncClient(base_url=address, trust_env=False, timeout=60) as client:
        await client.get("/_stcore/health")
        token = client.cookies.get("_streamlit_xsrf", "")
        answer = await client.put(urls.upload_url, files={"file": (name, content)}, headers={"X-Xsrftoken": token})
    assert answer.status_code in (200, 204), answer.text
    state = WidgetState(id=visitor.widgets[key])
    info = UploadedFileInfo(file_id=urls.file_id, name=name, size=len(content), file_urls=urls)
    state.file_uploader_state_value.uploaded_file_info.append(info)
    visitor._states[state.id] = state
    await visitor.rerun(page="study")
