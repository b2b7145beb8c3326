"""What the server does before any page: response headers, upload limits, and no metrics endpoint.

``app.py`` puts `Gateway` before Streamlit's own server, which would keep an upload of any session that is connected,
whether anybody has logged in or not.
"""

from __future__ import annotations

import contextlib
import re
import webbrowser
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import Any
from weakref import WeakKeyDictionary

from streamlit import config, runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from psa_core.inputs.limits import UPLOADS, UPLOADS_EACH

Scope, Message = MutableMapping[str, Any], MutableMapping[str, Any]
Receive, Send = Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]

UPLOAD = re.compile(r".*/_stcore/upload_file/([^/]+)/[^/]+")
FIGURES = re.compile(r".*/_stcore/metrics/?")
#: No other website shows a page in a frame of its own, a text can fetch no picture from elsewhere, and a link that
#: leads away does not tell the id of a run.
HEADERS = {
    "content-security-policy": "frame-ancestors 'self'; object-src 'none'; base-uri 'self'; form-action 'self'; "
    "img-src 'self' data: blob:; media-src 'self' data: blob:; frame-src 'self' data: blob:",
    "x-frame-options": "SAMEORIGIN",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
}
_RAW = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
_admitted: set[str] = set()
#: What pages hold: the session, an id that is the same for the same bytes, and how many there are.
_kept: WeakKeyDictionary[Any, tuple[str, int, int]] = WeakKeyDictionary()
_arriving: dict[object, tuple[str, int]] = {}


class Gateway:
    """Middleware before a Streamlit server."""

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = list(message.get("headers", ()))
                given_names = {name.lower() for name, _ in given}
                message["headers"] = [*given, *(pair for pair in _RAW if pair[0] not in given_names)]
            await send(message)

        upload = UPLOAD.fullmatch(scope["path"]) if scope["method"] == "PUT" else None
        if FIGURES.fullmatch(scope["path"]):
            await _refuse(send_with_headers, 404, "Not found")
        elif upload is None:
            await self._app(scope, receive, send_with_headers)
        else:
            await self._upload(upload[1], scope, receive, send_with_headers)

    async def _upload(self, session: str, scope: Scope, receive: Receive, send: Send) -> None:
        declared = dict(scope["headers"]).get(b"content-length", b"")
        if session not in _admitted:
            await _refuse(send, 403, "Log in first")
        elif not declared.isdigit():
            await _refuse(send, 411, "An upload has to say how long it is")
        elif words := _over(session, int(declared)):
            await _refuse(send, 413, words)
        else:
            ticket = object()
            _arriving[ticket] = session, int(declared)
            try:
                await self._app(scope, receive, send)
            finally:
                del _arriving[ticket]


def admit() -> None:
    """Let the session that runs this page upload files."""
    if runtime.exists() and (context := get_script_run_ctx(suppress_warning=True)) is not None:
        server = runtime.get_instance()
        _admitted.intersection_update([session for session in [*_admitted] if server.is_active_session(session)])
        _admitted.add(context.session_id)


def has_visitor() -> bool:
    """Whether the browser tab is still open; long computations check this and stop if it was closed."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is None or not runtime.exists() or runtime.get_instance().is_active_session(context.session_id)


def keep(held: Any, size: int, of: bytes | None = None) -> None:
    """Count what a session holds while it is referenced; bytes also in Streamlit's store (`of`) count once."""
    if (context := get_script_run_ctx(suppress_warning=True)) is not None:
        _kept[held] = context.session_id, id(held if of is None else of), size


def _over(session: str, size: int) -> str:
    """Why another upload of `size` bytes exceeds a limit; empty if it does not."""
    stored: Any = getattr(runtime.get_instance().uploaded_file_mgr, "file_storage", {})
    files = [(owner, file.data) for owner, some in list(stored.items()) for file in list(some.values())]
    held = {id(content): (owner, len(content)) for owner, content in files}
    held |= {key: (owner, length) for owner, key, length in list(_kept.values())}
    sizes = [*held.values(), *_arriving.values(), (session, size)]
    for limit, total in (
        (UPLOADS_EACH, sum(length for owner, length in sizes if owner == session)),
        (UPLOADS, sum(length for _, length in sizes)),
    ):
        if total > limit.value:
            return f"More than {limit.words} of {limit.what}. {limit.fix_words}"
    return ""


async def _refuse(send: Send, status: int, words: str) -> None:
    body = words.encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, (b"connection", b"close")]})
    await send({"type": "http.response.body", "body": body})


@contextlib.asynccontextmanager
async def opened(_: Any) -> AsyncIterator[None]:
    """Open a browser on one's own machine, as Streamlit does for an app without middleware."""
    if not config.get_option("server.headless"):
        webbrowser.open(f"http://{config.get_option('browser.serverAddress')}:{config.get_option('server.port')}")
    yield
