"""chat: a language model behind an OpenAI-compatible address, asked for one continuation at a time.

``/v1/completions`` goes on from the prompt itself; ``/v1/chat/completions`` is asked to, in one message. Every request
carries a seed that is the same for all values of a template; whether a server keeps to it, it does not say.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from psa_core import trust
from psa_core.errors import ModelError
from psa_core.generators._base import Batch, Draw, Estimate, GeneratorPlugin, Sampling
from psa_core.models._endpoint import Endpoint, allowed, options_of
from psa_core.models._fingerprint import digest

KINDS = ("chat", "completions")
OWN_OPTIONS = ("model", "api", "parallel", "price_in", "price_out")
INSTRUCTION = "Go on with the following text. Write only what comes next, without the text itself.\n\n"
ANSWER = {"chat": '{"choices": [{"message": {"content": "…"}}]}', "completions": '{"choices": [{"text": "…"}]}'}
MAX_PARALLEL = 64
# English text has about four letters a token.
LETTERS_A_TOKEN = 4
MILLION = 1e6


@dataclass(frozen=True, eq=False)
class ChatGenerator:
    """Asks an OpenAI-compatible address for continuations, some requests at a time.

    Attributes
    ----------
    endpoint : Endpoint
    api : {"chat", "completions"}
    model : str
        What the server calls the model; empty where it has only one.
    fingerprint : str
        Of address, interface, model and the version that was given; the server may change the model unnoticed.
    parallel : int
        Requests at a time.
    prices : (float, float) or None
        Of a million tokens to read and to write.
    common_noise : bool
        False: the seed that is sent binds no server.
    """

    endpoint: Endpoint = field(repr=False)
    api: str
    model: str
    fingerprint: str
    parallel: int = 4
    prices: tuple[float, float] | None = None
    common_noise: bool = False

    @property
    def about(self) -> str:
        """Where it is, in plain words."""
        named = f" {self.model}" if self.model else ""
        return f"the model{named} at {self.endpoint.shown} ({self.api}), asked with equal seeds that it may ignore"

    def sample(self, draws: Sequence[Draw], sampling: Sampling, check: Callable[[], None]) -> Iterator[Batch]:
        """Continuations of the draws, one by one as they come.

        Raises
        ------
        ModelError
            When the address does not answer, refuses, or answers with something else; what came before is kept.
        """
        positions = iter(range(len(draws)))
        with ThreadPoolExecutor(self.parallel, thread_name_prefix="chat") as pool:
            asked: dict[Future[str], int] = {}
            try:
                while True:
                    check()
                    while len(asked) < self.parallel and (position := next(positions, None)) is not None:
                        asked[pool.submit(self._continuation, draws[position], sampling)] = position
                    if not asked:
                        return
                    done, _ = wait(asked, timeout=1, return_when=FIRST_COMPLETED)
                    # What came is handed over before a failure among them is raised.
                    for future in sorted(done, key=lambda future: future.exception() is not None):
                        yield Batch((asked.pop(future),), (future.result(),))
            finally:
                for future in asked:
                    future.cancel()

    def estimate(self, draws: Sequence[Draw], sampling: Sampling) -> Estimate:
        """Tokens, about, and their price where prices were given."""
        extra = len(INSTRUCTION) if self.api == "chat" else 0
        read = sum((len(draw.prompt) + extra) // LETTERS_A_TOKEN + 1 for draw in draws)
        written = len(draws) * sampling.tokens
        price = None if self.prices is None else (read * self.prices[0] + written * self.prices[1]) / MILLION
        return Estimate(read, written, price=price)

    def _continuation(self, draw: Draw, sampling: Sampling) -> str:
        question: dict[str, Any] = {
            "max_tokens": sampling.tokens,
            "temperature": sampling.temperature,
            "seed": seed_of(sampling.seed, draw),
        }
        if self.model:
            question["model"] = self.model
        if self.api == "chat":
            question["messages"] = [{"role": "user", "content": INSTRUCTION + draw.prompt}]
        else:
            question["prompt"] = draw.prompt
        text = self._text(self.endpoint.ask(question))
        return text.removeprefix(draw.prompt) if self.api == "chat" else text

    def _text(self, answer: Any) -> str:
        try:
            choice = answer["choices"][0]
            text = choice["message"]["content"] if self.api == "chat" else choice["text"]
        except (LookupError, TypeError):
            text = 0
        if text is None:  # the model said nothing
            return ""
        if not isinstance(text, str):
            got = "an answer without a continuation"
            raise ModelError(self.endpoint.shown, got=got, expected=ANSWER[self.api])
        return text.encode("utf-8", "replace").decode()


def seed_of(seed: int, draw: Draw) -> int:
    """A seed for a server: equal for all values of a template, in the 31 bits that every server takes."""
    content = f"{seed}\0{draw.stream}\0{draw.k}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(content, digest_size=4).digest()) >> 1


def load(argument: str) -> ChatGenerator:
    """A model behind an address; nothing is asked yet.

    Parameters
    ----------
    argument : str
        ``http://localhost:8000/v1``, or the whole address with ``/chat/completions`` or ``/completions``. ``#`` and
        options joined by ``&`` may follow: ``model``, ``api`` (chat, the default, or completions), ``parallel``
        (requests at a time), ``price_in`` and ``price_out`` (of a million tokens, for the estimate), ``timeout``,
        ``retries``, ``per_second``, ``version``. The key is read from the environment, as for ``http:``.

    Raises
    ------
    ModelError
        When the address is not allowed here, or an option is unknown or out of its range.
    """
    address, _, query = argument.partition("#")
    pairs = parse_qsl(query, keep_blank_values=True)
    own = {key: value for key, value in pairs if key in OWN_OPTIONS}
    others = "&".join(f"{key}={value}" for key, value in pairs if key not in OWN_OPTIONS)
    _, options = options_of(f"{address}#{others}")
    place, api = _place(allowed(address), own)
    parallel = _number("parallel", own, 4, most=MAX_PARALLEL)
    prices = None
    if "price_in" in own or "price_out" in own:
        prices = _number("price_in", own, 0, most=MILLION), _number("price_out", own, 0, most=MILLION)
    endpoint = Endpoint(
        place,
        timeout=options.timeout,
        retries=options.retries,
        pace=options.per_second,
        asks='{"messages": […]}' if api == "chat" else '{"prompt": "…"}',
        answers=ANSWER[api],
    )
    model = own.get("model", "")
    fingerprint = f"chat:{digest([place, api, model, options.version, INSTRUCTION if api == 'chat' else ''])}"
    return ChatGenerator(endpoint, api, model, fingerprint, max(1, int(parallel)), prices)


def _place(address: str, own: Mapping[str, str]) -> tuple[str, str]:
    """The whole address, and which of the two interfaces it has."""
    path = address.partition("?")[0].rstrip("/")
    api = own.get("api") or ("completions" if path.endswith("/completions") and "/chat/" not in path else "chat")
    if api not in KINDS:
        raise ModelError("chat option api", got=repr(api), expected=" or ".join(KINDS))
    if path.endswith("/completions"):
        return address, api
    return f"{path}/{'chat/' if api == 'chat' else ''}completions", api


def _number(key: str, own: Mapping[str, str], default: float, *, most: float) -> float:
    try:
        number = float(own.get(key, default))
    except ValueError:
        number = -1
    if not 0 <= number <= most:
        raise ModelError(f"chat option {key}", got=repr(own[key]), expected=f"a number from 0 to {most:g}")
    return number


GENERATOR = GeneratorPlugin(
    id="chat",
    title="Model behind an address",
    summary="An OpenAI-compatible server: /v1/chat/completions or /v1/completions.",
    load=load,
    argument="http://host/v1",
    takes=trust.ADDRESS,
)
