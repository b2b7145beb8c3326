"""What is refused before Streamlit sees it, over the wire."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from weakref import WeakKeyDictionary

import pytest

from pages.ui.frame import gateway
from pages.ui.frame.uploads import Upload

MB = 2**20


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, dict[str, Any]]]:
    """Streamlit's store of uploads, and two sessions that may upload."""
    files: dict[str, dict[str, Any]] = {"ann": {}, "bo": {}}
    server = SimpleNamespace(uploaded_file_mgr=SimpleNamespace(file_storage=files))
    monkeypatch.setattr(gateway.runtime, "get_instance", lambda: server)
    monkeypatch.setattr(gateway, "_admitted", {"ann", "bo"})
    monkeypatch.setattr(gateway, "_kept", WeakKeyDictionary())  # pages of other tests keep theirs a while
    monkeypatch.setattr(gateway, "get_script_run_ctx", lambda **_: SimpleNamespace(session_id="ann"))
    monkeypatch.setenv("PSA_MAX_UPLOADS_EACH_MB", "2")
    monkeypatch.setenv("PSA_MAX_UPLOADS_MB", "3")
    yield files


def ask(method: str, path: str, length: int | None = None, during: Any = None) -> tuple[int, dict[str, str], str]:
    """What a client gets; 204 where Streamlit would answer."""
    sent: list[dict[str, Any]] = []

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        if during:
            during()
        await send({"type": "http.response.start", "status": 204, "headers": [(b"referrer-policy", b"origin")]})
        await send({"type": "http.response.body", "body": b""})

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [] if length is None else [(b"content-length", str(length).encode())]
    scope = {"type": "http", "method": method, "path": path, "headers": headers}
    asyncio.run(gateway.Gateway(inner)(scope, None, send))  # type: ignore[arg-type]
    given = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], given, sent[1]["body"].decode()


def put(session: str, length: int | None, during: Any = None) -> int:
    return ask("PUT", f"/_stcore/upload_file/{session}/1", length, during)[0]


def test_nothing_is_stored_before_a_login(stored: dict[str, dict[str, Any]]) -> None:
    assert (put("nobody", 10), put("ann", 10)) == (403, 204)
    assert put("ann", None) == 411


def test_a_session_and_all_of_them_have_a_budget(stored: dict[str, dict[str, Any]]) -> None:
    content = b"x" * MB
    stored["ann"]["1"] = SimpleNamespace(data=content)
    assert (put("ann", MB), put("ann", MB + 1)) == (204, 413)
    kept = Upload("a.csv", content)
    gateway.keep(kept, len(content), of=content)
    assert put("ann", MB) == 204, "the same bytes were counted twice"
    stored["ann"].clear()  # Streamlit let go of it, the page has not
    assert put("ann", MB + 1) == 413
    assert (put("bo", 2 * MB), put("bo", 2 * MB + 1)) == (204, 413)
    stored["bo"]["1"] = SimpleNamespace(data=bytes(2 * MB))
    status, _, words = ask("PUT", "/_stcore/upload_file/ann/2", 1)
    assert status == 413 and "PSA_MAX_UPLOADS_MB" in words and "all sessions" in words
    del kept
    assert put("ann", MB) == 204


def test_what_an_upload_unpacked_to_counts_while_it_is_held(stored: dict[str, dict[str, Any]]) -> None:
    table = Upload("unpacked", b"")
    gateway.keep(table, MB)
    assert (put("ann", MB), put("ann", MB + 1), put("bo", 2 * MB)) == (204, 413, 204)
    del table
    assert put("ann", 2 * MB) == 204


def test_what_is_arriving_counts(stored: dict[str, dict[str, Any]]) -> None:
    def meanwhile() -> None:
        assert gateway._over("ann", MB)
        assert not gateway._over("bo", MB)

    assert put("ann", MB + 1, meanwhile) == 204
    assert not gateway._arriving


def test_figures_are_closed_and_every_answer_has_the_headers() -> None:
    for path in ("/_stcore/metrics", "/base/_stcore/metrics/"):
        status, headers, _ = ask("GET", path)
        assert status == 404 and headers["x-frame-options"] == "SAMEORIGIN"
    status, headers, _ = ask("GET", "/names")
    assert status == 204 and headers["referrer-policy"] == "origin"
    assert "frame-ancestors 'self'" in headers["content-security-policy"]
