"""A JSON-over-HTTP client with timeouts, retries, a rate limit, a limit of requests under way, and a secret token."""

from __future__ import annotations

import json
import math
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import cache, cached_property
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, Self
from urllib.parse import urlsplit
from weakref import finalize

from psa_core import trust
from psa_core.asking.records import error_words
from psa_core.errors import ModelError
from psa_core.trust import Origin, addresses
from psa_core.trust.addresses import ALLOW, LOCAL, TOKEN

# Too many requests, and the three that say "not now".
PASSING = (429, 502, 503, 504)
FIRST_PAUSE, MAX_PAUSE = 0.5, 30.0
# Seconds that a server may ask to be left alone for.
MAX_ASKED_PAUSE = 300.0
# What a provider says with a 429 that no pause mends.
NO_MONEY = re.compile(r"insufficient.?(quota|balance|credit|fund)|billing|credit balance", re.IGNORECASE)
# A text that is longer than what may be asked in a minute never passes.
TOO_LONG = re.compile(r"request too large", re.IGNORECASE)
# What a gateway says of a server behind it that is busy.
OVERLOADED = re.compile(r"overloaded|rate.?limit|unavailable|timed? ?out", re.IGNORECASE)
# How often an answer that is no JSON is asked for again.
GARBLED = 2
# What looks like a key: some providers quote the one that they were sent.
A_KEY = re.compile(r"\b(?:sk|pk|rk|gsk|xai|Bearer)[-_ ][\w*.-]{6,}|\bAIza[\w-]{10,}")
MAX_BYTES = 16 * 2**20  # as JSON in memory up to a hundred times as much
# Seconds that an idle connection is kept: less than servers do, so that none is used while the other side closes it.
KEPT_OPEN = 2.0
#: What every address may be asked with: the value where it is not given, the least and the most.
NUMBERS = {"timeout": (30.0, 0.01, 3600.0), "retries": (4.0, 0.0, 20.0), "per_second": (0.0, 0.0, 1e6)}
#: Requests under way at first, and places more for each answer once a server has said that there are too many.
FIRST, CAREFUL = 4, 0.25
#: A server that takes this many times as long as at best is busy: more at once would only wait there.
BUSY = 2.0


class RefusedError(ModelError):
    """A server that is there but does not take this request."""


class BrokenError(ModelError):
    """A server that fails at this request (status 500), however often it is asked."""


@dataclass(eq=False)
class Flow:
    """How many requests may be under way: few at first, more while the server keeps up, fewer when it is busy.

    `most` is the number of places that there are never more of; whoever has none waits.

    Examples
    --------
    >>> flow = Flow(8)
    >>> flow.places
    4
    >>> flow.refused()
    >>> flow.places
    2
    >>> for _ in range(40):
    ...     flow.answered(0.2)
    >>> flow.places
    8
    """

    most: int
    _limit: float = field(init=False)
    _under_way: int = 0
    _growth: float = 1.0
    _best: float = float("inf")
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def __post_init__(self) -> None:
        self._limit = float(min(FIRST, self.most))

    @property
    def places(self) -> int:
        return int(self._limit)

    @contextmanager
    def place(self) -> Iterator[None]:
        """Wait for a place, and hold it while the block lasts."""
        with self._changed:
            self._changed.wait_for(lambda: self._under_way < self.places)
            self._under_way += 1
        try:
            yield
        finally:
            with self._changed:
                self._under_way -= 1
                self._changed.notify()

    def answered(self, seconds: float) -> None:
        """More places, while answers come about as fast as the fastest did: at first twice as many a round."""
        with self._changed:
            self._best = min(self._best, seconds)
            if seconds <= BUSY * self._best + 0.05:
                self._limit = min(float(self.most), self._limit + self._growth)
                self._changed.notify()

    def refused(self) -> None:
        """Half as many places: the server said that there were too many requests, or fell silent."""
        with self._changed:
            self._limit, self._growth = max(1.0, self._limit / 2), CAREFUL


@dataclass(frozen=True, eq=False)
class Endpoint:
    """An address to ask, on the word of its `origin`: a visitor's word does not reach this machine and its networks."""

    address: str = field(repr=False)
    timeout: float = 30.0  # seconds without an answer before a request has failed
    retries: int = 4  # how often a request that failed for now is sent again
    pace: float = 0.0  # most requests per second; 0 is no limit
    asks: str = '{"texts": […]}'  # what is sent, as messages say it
    answers: str = '{"scores": [[…], …]}'  # what should come back
    sleep: Callable[[float], None] = lambda seconds: time.sleep(seconds)
    clock: Callable[[], float] = time.monotonic
    origin: Origin = field(default_factory=trust.current)
    passing: Sequence[int] = PASSING  # statuses that are waited for
    flow: Flow | None = field(default=None, repr=False)  # any number of requests may be under way where there is none
    _turn: list[float] = field(default_factory=lambda: [0.0], repr=False)
    _lock: Any = field(default_factory=threading.Lock, repr=False)

    @classmethod
    def at(cls, address: str, numbers: Mapping[str, float], **more: Any) -> Self:
        """An address, asked as the numbers among its options say; ``parallel`` is how many requests at once."""
        if "parallel" in numbers:
            more["flow"] = Flow(int(numbers["parallel"]))
        return cls(address, numbers["timeout"], int(numbers["retries"]), numbers["per_second"], **more)

    @property
    def shown(self) -> str:
        """The address as messages and files may show it: without what follows ``?``."""
        return self.address.partition("?")[0]

    def ask(self, question: Any, *, refused: Sequence[int] = ()) -> Any:
        """Send JSON, and return the JSON that comes back.

        Raises `RefusedError` when the answer has one of the statuses of `refused`; `BrokenError` when the server fails
        at the last retry too; `ModelError` when it cannot be reached, refuses otherwise, or answers with no JSON.
        """
        import httpx

        reason, status = "", 0
        for attempt in range(self.retries + 1):
            self._wait_for_turn()
            pause = min(MAX_PAUSE, FIRST_PAUSE * 2**attempt)
            try:
                with self.flow.place() if self.flow else nullcontext():
                    began = self.clock()
                    status, headers, content = self._post(question)
            except httpx.TimeoutException:
                reason, status = f"no answer within {self.timeout:g} seconds", 0
            except httpx.RequestError as error:
                words = re.sub(r"^\[Errno -?\d+\] ", "", str(error)) or type(error).__name__
                reason, status = f"no connection ({words})", 0
            except (httpx.InvalidURL, ValueError) as error:
                raise ModelError("http", got=f"{self.shown}, which is no address", expected="http://…") from error
            else:
                answer = _json(content)
                status = _inner_status(answer) if status == 200 else status
                if status == 200 and answer is not None:
                    if self.flow:
                        self.flow.answered(self.clock() - began)
                    return answer
                if status == 200:  # a gateway's page, or an answer that was cut
                    reason = f"{len(content)} bytes that are not JSON"
                    if attempt == min(self.retries, GARBLED):
                        raise ModelError(self.shown, got=reason, expected=self.answers)
                else:
                    reason = told(status, answer)
                    has_money = not NO_MONEY.search(reason)
                    if status not in self.passing or not has_money or TOO_LONG.search(reason):
                        may_go_on = has_money and (status in refused or status in PASSING)
                        expected, fix = f"200 for POST {self.asks}", self._fix(status, reason)
                        raise (RefusedError if may_go_on else ModelError)(
                            self.shown, got=reason, expected=expected, fix=fix
                        )
                if (asked := asked_pause(headers)) is not None:
                    pause = min(MAX_ASKED_PAUSE if self.flow else MAX_PAUSE, asked)
            if self.flow:
                self.flow.refused()
            if attempt < self.retries:
                self.sleep(pause)
        times = f"{self.retries + 1} times" if self.retries else "once"
        kind = BrokenError if status == 500 else ModelError
        raise kind(self.shown, got=f"{reason}, asked {times}", expected="an answer", fix="Is the model running?")

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

    def _fix(self, status: int, reason: str) -> str:
        """What to do about an error that waiting does not fix."""
        if status in (401, 403):
            if os.environ.get(TOKEN, "").strip() and not self._headers():
                return f"{TOKEN} goes to listed hosts only: list this one in {ALLOW}."
            return f"Set {TOKEN} in the environment to a valid token."
        if status == 402 or NO_MONEY.search(reason):
            return "Only the provider can change that: see its page for billing."
        return ""

    def _place(self) -> tuple[str, dict[str, str], dict[str, str]]:
        """Where to connect, with what headers, and for whom the certificate has to be.

        On a visitor's word that is a number which was checked a moment ago: the name could stand for another by now.
        """
        if self.origin < Origin.VISITOR:
            return self.address, self._headers(), {}
        import httpx

        url = httpx.URL(self.address)
        number = addresses.public_addresses(self.address)[0]
        named = {"Host": url.netloc.decode("ascii")}
        return str(url.copy_with(host=number)), self._headers() | named, {"sni_hostname": url.raw_host.decode("ascii")}

    def _headers(self) -> dict[str, str]:
        """The token, for a host that the operator listed, or for the owner's own machine."""
        token = os.environ.get(TOKEN, "").strip()
        if not token:
            return {}
        parts = urlsplit(self.address)
        own = self.origin < Origin.VISITOR and parts.hostname in LOCAL
        if not own and not addresses.token_may_go(self.address):
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


def _json(content: bytes) -> Any:
    """The parsed JSON; None if it is invalid. A truncated character does not make it so."""
    try:
        return json.loads(content.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None


def _inner_status(answer: Any) -> int:
    """The status that an answer gives itself: gateways send what failed behind them with status 200."""
    error = answer.get("error") if isinstance(answer, Mapping) and not answer.get("choices") else None
    if not isinstance(error, Mapping):
        return 200
    code = error.get("code")
    if isinstance(code, int) and 400 <= code < 600:
        return code
    return 503 if OVERLOADED.search(error_words(answer)) else 200


def told(status: int, answer: Any) -> str:
    """A status with the provider's own words, if any, without keys.

    Examples
    --------
    >>> told(400, {"error": {"message": "Key sk-abcdef123 is unknown."}})
    'status 400 (Bad Request): Key (a key) is unknown.'
    """
    import httpx

    meaning = f"status {status} ({httpx.codes.get_reason_phrase(status) or 'unknown'})"
    words = error_words(answer)
    return f"{meaning}: {without_keys(words)}" if words else meaning


def without_keys(words: str) -> str:
    """A provider's words without anything that is, or looks like, a key."""
    for name, value in os.environ.items():
        if len(value) >= 8 and name.upper().endswith(("KEY", "TOKEN", "SECRET")):
            words = words.replace(value, "(a key)")
    return A_KEY.sub("(a key)", words)


def asked_pause(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait: in milliseconds, seconds or until a date; None where it does not.

    Examples
    --------
    >>> asked_pause({"retry-after-ms": "250"}), asked_pause({"retry-after": "1.5"}), asked_pause({})
    (0.25, 1.5, None)
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if 0 <= seconds < math.inf:
            return seconds
    with suppress(ValueError, TypeError):
        until = parsedate_to_datetime(headers.get("retry-after", ""))
        return max(0.0, (until - datetime.now(until.tzinfo)).total_seconds())
    return None
