"""A JSON-over-HTTP client with timeouts, retries, rate limit and a secret token."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from weakref import finalize

from psa_core import trust
from psa_core.errors import ModelError
from psa_core.models._numbers import parse_range
from psa_core.trust import ALLOW, LOCAL, TOKEN, Origin, allowed

__all__ = ["ALLOW", "TOKEN", "Endpoint", "EndpointOptions", "allowed", "certificates", "options_of"]

# Too many requests, and the three that say "not now".
PASSING = (429, 502, 503, 504)
FIRST_PAUSE, MAX_PAUSE = 0.5, 30.0
MAX_BYTES = 16 * 2**20  # as JSON in memory up to a hundred times as much
# Seconds that an idle connection is kept: less than servers do, so that none is used while the other side closes it.
KEPT_OPEN = 2.0


@dataclass(frozen=True)
class EndpointOptions:
    """What may follow ``#`` in an address."""

    batch: int = 64
    timeout: float = 30.0
    retries: int = 4
    per_second: float = 0.0
    low: float = 0.0
    high: float = 1.0
    version: str = ""


class RefusedError(ModelError):
    """A server that is there but does not take this request."""


@dataclass(frozen=True, eq=False)
class Endpoint:
    """An address to ask.

    Attributes
    ----------
    address : str
    timeout : float
        Seconds without an answer before a request has failed.
    retries : int
        How often a request that failed for now is sent again.
    pace : float
        Most requests per second; 0 is no limit.
    asks, answers : str
        What is sent and what should come back, as messages say it.
    sleep, clock : callable
        How to wait, and the time in seconds.
    origin : Origin
        On whose word it is asked; a visitor's word does not reach this machine and its networks.
    """

    address: str = field(repr=False)
    timeout: float = 30.0
    retries: int = 4
    pace: float = 0.0
    asks: str = '{"texts": […]}'
    answers: str = '{"scores": [[…], …]}'
    sleep: Callable[[float], None] = lambda seconds: time.sleep(seconds)
    clock: Callable[[], float] = time.monotonic
    origin: Origin = field(default_factory=trust.current)
    _turn: list[float] = field(default_factory=lambda: [0.0], repr=False)
    _lock: Any = field(default_factory=threading.Lock, repr=False)

    @property
    def shown(self) -> str:
        """The address as messages and files may show it: without what follows ``?``."""
        return self.address.partition("?")[0]

    def ask(self, question: Any, *, refused: Sequence[int] = ()) -> Any:
        """Send JSON, and return the JSON that comes back.

        Raises
        ------
        RefusedError
            When the answer has one of the statuses of `refused`.
        ModelError
            When there is no answer after all retries, the address refuses, or the answer is not JSON.
        """
        import httpx

        reason = ""
        for attempt in range(self.retries + 1):
            self._wait_for_turn()
            pause = min(MAX_PAUSE, FIRST_PAUSE * 2**attempt)
            try:
                status, headers, content = self._post(question)
            except httpx.TimeoutException:
                reason = f"no answer within {self.timeout:g} seconds"
            except httpx.RequestError as error:
                words = re.sub(r"^\[Errno -?\d+\] ", "", str(error)) or type(error).__name__
                reason = f"no connection ({words})"
            except (httpx.InvalidURL, ValueError) as error:
                raise ModelError("http", got=f"{self.shown}, which is no address", expected="http://…") from error
            else:
                if status in refused:
                    got = f"status {status} ({_phrase(status)})"
                    raise RefusedError(self.shown, got=got, expected=f"200 for POST {self.asks}")
                if status not in PASSING:
                    return self._content(status, content)
                reason = f"status {status} ({_phrase(status)})"
                pause = _asked_pause(headers.get("retry-after", ""), pause)
            if attempt < self.retries:
                self.sleep(pause)
        times = f"{self.retries + 1} times" if self.retries else "once"
        raise ModelError(self.shown, got=f"{reason}, asked {times}", expected="an answer", fix="Is the model running?")

    @cached_property
    def _client(self) -> Any:
        """Keeps connections open between requests, but no cookies: no answer depends on an earlier one."""
        import httpx

        no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=()))
        limits = httpx.Limits(keepalive_expiry=KEPT_OPEN)
        client = httpx.Client(verify=certificates(), timeout=self.timeout, cookies=no_cookies, limits=limits)
        finalize(self, client.close)
        return client

    def _post(self, question: Any) -> tuple[int, Mapping[str, str], bytes]:
        """Status, headers and body of the answer; it may be neither endless nor slower than the time limit."""
        import httpx

        began, body = self.clock(), bytearray()
        address, headers, extensions = self._place()
        asked: dict[str, Any] = {"json": question, "headers": headers, "extensions": extensions}
        with self._client.stream("POST", address, **asked) as response:
            for part in response.iter_bytes():
                body += part
                if len(body) > MAX_BYTES:
                    got = f"an answer of over {MAX_BYTES // 2**20} MB"
                    raise ModelError(self.shown, got=got, expected=self.answers)
                if self.clock() - began > self.timeout:
                    raise httpx.ReadTimeout("the answer goes on")
            return response.status_code, response.headers, bytes(body)

    def _content(self, status: int, content: bytes) -> Any:
        import json

        if status in (401, 403):
            fix = f"Set {TOKEN} in the environment to a valid token."
            if os.environ.get(TOKEN, "").strip() and not self._headers():
                fix = f"{TOKEN} goes to listed hosts only: list this one in {ALLOW}."
            raise ModelError(self.shown, got=f"status {status} ({_phrase(status)})", expected="permission", fix=fix)
        if status != 200:
            got = f"status {status} ({_phrase(status)})"
            raise ModelError(self.shown, got=got, expected=f"200 for POST {self.asks}")
        try:
            return json.loads(content)
        except (ValueError, RecursionError) as error:
            got = f"{len(content)} bytes that are not JSON"
            raise ModelError(self.shown, got=got, expected=self.answers) from error

    def _place(self) -> tuple[str, dict[str, str], dict[str, str]]:
        """Where to connect, with what headers, and for whom the certificate has to be.

        On a visitor's word that is a number which was checked a moment ago: the name could stand for another by now.
        """
        if self.origin < Origin.VISITOR:
            return self.address, self._headers(), {}
        import httpx

        url = httpx.URL(self.address)
        number = trust.public_addresses(self.address)[0]
        named = {"Host": url.netloc.decode("ascii")}
        return str(url.copy_with(host=number)), self._headers() | named, {"sni_hostname": url.raw_host.decode("ascii")}

    def _headers(self) -> dict[str, str]:
        """The token, for a host that the operator listed, or for the owner's own machine."""
        token = os.environ.get(TOKEN, "").strip()
        if not token:
            return {}
        parts = urlsplit(self.address)
        own = self.origin < Origin.VISITOR and parts.hostname in LOCAL
        if not own and not trust.token_may_go(self.address):
            if parts.scheme == "https" or ALLOW in os.environ:
                return {}
            fix = f"Use https, or list the host in {ALLOW}."
            raise ModelError(self.shown, got=f"{TOKEN} and no encryption", expected="an https address", fix=fix)
        return {"Authorization": f"Bearer {token}"}

    def _wait_for_turn(self) -> None:
        if self.pace <= 0:
            return
        with self._lock:
            now = self.clock()
            turn = max(now, self._turn[0])
            self._turn[0] = turn + 1 / self.pace
        if turn > now:
            self.sleep(turn - now)


@cache
def certificates() -> Any:
    """Whom to trust, read once: reading it for each request takes longer than the request."""
    import httpx

    return httpx.create_ssl_context()


def options_of(argument: str) -> tuple[str, EndpointOptions]:
    """Split ``address#batch=32&timeout=10`` into the address and its options.

    Raises
    ------
    ModelError
        When an option is unknown or out of its range.
    """
    address, _, query = argument.partition("#")
    given = dict(parse_qsl(query, keep_blank_values=True))
    bounds = {"batch": (1, 10_000), "timeout": (0.01, 3600), "retries": (0, 20), "per_second": (0, 1e6)}
    values: dict[str, Any] = {}
    for key, text in given.items():
        if key == "range":
            values["low"], values["high"] = parse_range(text)
        elif key == "version":
            values["version"] = text
        elif key in bounds:
            values[key] = _number(key, text, bounds=bounds[key])
        else:
            expected = f"{', '.join(bounds)}, range or version"
            raise ModelError("http option", got=repr(key), expected=expected)
    return address, EndpointOptions(**values)


def _number(key: str, text: str, *, bounds: tuple[float, float]) -> float:
    low, high = bounds
    try:
        number = int(text) if key in ("batch", "retries") else float(text)
    except ValueError:
        number = -1
    if not low <= number <= high:
        raise ModelError(f"http option {key}", got=repr(text), expected=f"a number from {low:g} to {high:g}")
    return number


def _phrase(status: int) -> str:
    """What a status means: not in the server's own words, which a terminal might obey."""
    import httpx

    return httpx.codes.get_reason_phrase(status) or "unknown"


def _asked_pause(header: str, otherwise: float) -> float:
    """Seconds that the answer asks to wait, within reason."""
    return min(MAX_PAUSE, float(header)) if header.isdecimal() else otherwise
