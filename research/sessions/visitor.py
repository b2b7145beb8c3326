"""One visitor of a started dashboard: the messages that a browser would exchange with it, without the browser."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import httpx
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

PATH = "/_stcore/stream"
FULL, FRAGMENT = ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY
TOO_LONG = 180.0


class Visitor:
    """A session over one websocket; `widgets` has the server's ids by the keys that the pages gave them."""

    def __init__(self, socket: ClientConnection, query: str = "") -> None:
        self._socket, self._query = socket, query
        self._states: dict[str, WidgetState] = {}
        self._page_hash, self._known = "", set[str]()
        self.widgets: dict[str, str] = {}
        self.received = 0

    async def rerun(self, *, page: str = "", fragment: str = "", **values: str | float | list[str]) -> float:
        """Ask for a run of the page with some widgets changed; seconds until the server says that it is done."""
        for key, value in values.items():
            self._states[self.widgets[key]] = _state(self.widgets[key], value)
        asked = BackMsg()
        state = asked.rerun_script
        state.query_string, state.page_name, state.fragment_id = self._query, page, fragment
        state.page_script_hash = "" if page else self._page_hash
        state.cached_message_hashes.extend(sorted(self._known))
        state.widget_states.widgets.extend(self._states.values())
        state.context_info.timezone, state.context_info.locale = "UTC", "en-GB"
        began = time.perf_counter()
        await self._socket.send(asked.SerializeToString())
        await asyncio.wait_for(self._until_done(), TOO_LONG)
        return time.perf_counter() - began

    async def leave(self) -> None:
        """Close the tab."""
        await self._socket.close()

    async def _until_done(self) -> None:
        while True:
            content = await self._socket.recv(decode=False)
            self.received += len(content)
            said = ForwardMsg.FromString(bytes(content))
            if said.metadata.cacheable and said.hash:
                self._known.add(said.hash)
            kind = said.WhichOneof("type")
            if kind == "delta":
                self._note(said)
            elif kind == "new_session":
                self._page_hash = said.new_session.page_script_hash
            elif kind == "page_info_changed":
                self._query = said.page_info_changed.query_string
            elif kind == "script_finished" and said.script_finished in (FULL, FRAGMENT):
                return

    def _note(self, said: ForwardMsg) -> None:
        element = said.delta.new_element
        kind = element.WhichOneof("type")
        if kind == "exception":
            raise RuntimeError(f"the page failed: {element.exception.message}")
        identity = str(getattr(getattr(element, kind or "", None), "id", ""))
        if identity:  # $$ID-<hash>-<key>
            self.widgets[identity.split("-", 2)[-1]] = identity


def _state(identity: str, value: str | float | list[str]) -> WidgetState:
    if isinstance(value, str):
        return WidgetState(id=identity, string_value=value)
    state = WidgetState(id=identity)
    if isinstance(value, list):
        state.string_array_value.data.extend(value)
    else:
        state.double_array_value.data.append(value)
    return state


async def arrive(address: str, *, query: str = "") -> Visitor:
    """Connect as a browser does that opens the dashboard for the first time, with the cookies of its front page."""
    async with httpx.AsyncClient(trust_env=False, timeout=60) as browser:
        await browser.get(address)
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in browser.cookies.jar)
    options: dict[str, Any] = {"subprotocols": ["streamlit"], "max_size": None, "proxy": None, "open_timeout": 60}
    socket = await connect(
        address.replace("http", "ws", 1) + PATH, additional_headers={"Cookie": cookies} if cookies else {}, **options
    )
    return Visitor(socket, query)
