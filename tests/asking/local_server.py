"""A server on this machine that speaks OpenAI's protocol and answers as a function says; it keeps what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[dict[str, Any]], tuple[int, Any] | tuple[int, Any, dict[str, str]]]


class LocalServer:
    """Answers each request with a status, a body (JSON or bytes) and perhaps headers; status 0 cuts the connection."""

    def __init__(self, answer: Answer) -> None:
        self.answer, self.asked, self.headers = answer, [], []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                outer.asked.append(body)
                outer.headers.append(dict(self.headers.items()))
                status, content, *more = outer.answer(body)
                if status == 0:
                    self.close_connection = True
                    return
                raw = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(raw)))
                for name, value in (more[0] if more else {}).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.http.server_port}/v1"

    def id(self, options: str = "", question: str = "toxicity") -> str:
        return f"ask:chat:{self.address}?question={question}{options}"

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()
