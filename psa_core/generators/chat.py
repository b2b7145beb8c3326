"""chat: a language model behind an OpenAI-compatible address, asked for one continuation or answer at a time.

``/v1/completions`` goes on from the prompt itself; ``/v1/chat/completions`` is asked to, in one message. A chat's own
messages are sent as they are. Every request carries a seed that is the same for all values of a template; whether a
server keeps to it, it does not say.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from psa_core import trust
from psa_core.asking.endpoint import NUMBERS
from psa_core.asking.prices import BYTES_A_TOKEN, Estimate, Price, price_of
from psa_core.asking.server import ANSWERS, ChatServer
from psa_core.errors import ModelError
from psa_core.generators._base import Batch, Draw, GeneratorPlugin, Sampling, as_finished, request_of
from psa_core.models._base import digest
from psa_core.models._options import numbers_of, split_options

INSTRUCTION = "Go on with the following text. Write only what comes next, without the text itself.\n\n"
OWN_NUMBERS = {"parallel": (4.0, 1.0, 64.0), "price_in": (0.0, 0.0, 1e6), "price_out": (0.0, 0.0, 1e6)}
MAX_FAILED = 20


@dataclass(frozen=True, eq=False)
class ChatGenerator:
    """Asks an OpenAI-compatible address for continuations, some requests at a time.

    The `fingerprint` is of address, interface, model and the version that was given; the server may change the model
    unnoticed. `price` is what was given with the address.
    """

    server: ChatServer
    fingerprint: str
    price: Price | None = None
    common_noise: bool = False  # the seed that is sent binds no server

    @property
    def about(self) -> str:
        of = self.server
        named = f" {of.model}" if of.model else ""
        return f"the model{named} at {of.shown} ({of.api}), asked with equal seeds that it may ignore"

    def sample(self, draws: Sequence[Draw], sampling: Sampling, check: Callable[[], None]) -> Iterator[Batch]:
        """Continuations of the draws, one by one as they come.

        Raises `ModelError` when the address does not answer, refuses, or answers with something else; what came before
        is kept.
        """
        failed = answered = 0

        def ask(position: int) -> Batch | None:
            text = self._continuation(draws[position], sampling)
            return None if text is None else Batch((position,), (text,))

        for batch in as_finished(ask, range(len(draws)), self.server.parallel, check):
            if batch is not None:
                answered += 1
                yield batch
                continue
            failed += 1  # an answer that fails is missing; it is asked for again by the next run
            if not answered and failed >= MAX_FAILED:
                raise ModelError(self.server.shown, got=f"{failed} failures and no answer", expected=ANSWERS["chat"])

    def estimate(self, draws: Sequence[Draw], sampling: Sampling) -> Estimate:
        """Tokens, about, and their price by the prices that were given, or by the table of prices."""
        extra = len(INSTRUCTION) if self.server.api == "chat" else 0
        read = sum((len(draw.prompt) + (0 if draw.messages else extra)) // BYTES_A_TOKEN + 1 for draw in draws)
        return Estimate(len(draws), read, len(draws) * sampling.tokens, price=self.price or price_of(self.server.model))

    def _continuation(self, draw: Draw, sampling: Sampling) -> str | None:
        """What the server wrote; None where one answer of a chat failed."""
        is_chat = self.server.api == "chat"
        if draw.messages and not is_chat:
            got = "api=completions, which has no messages"
            raise ModelError("--lm", got=got, expected="an address for chats, with api=chat")
        options: dict[str, object] = {"max_tokens": sampling.tokens, "temperature": sampling.temperature}
        options |= {"seed": seed_of(sampling.seed, draw)}
        options |= {"top_p": sampling.top_p} if sampling.top_p < 1 else {}
        options |= {"top_k": sampling.top_k} if sampling.top_k else {}
        told = INSTRUCTION if is_chat and not draw.messages else ""
        reply = self.server.reply(request_of(replace(draw, prompt=told + draw.prompt), **options))
        if draw.messages:
            return None if reply.error else reply.answers[0].content or reply.answers[0].refusal
        if reply.error:
            raise ModelError(self.server.shown, got=reply.error, expected=ANSWERS[self.server.api])
        return reply.answers[0].content.removeprefix(draw.prompt if is_chat else "")


def seed_of(seed: int, draw: Draw) -> int:
    """A seed for a server: equal for all values of a template, in the 31 bits that every server takes."""
    content = f"{seed}\0{draw.stream}\0{draw.k}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(content, digest_size=4).digest()) >> 1


def load(argument: str) -> ChatGenerator:
    """A model behind an address; nothing is asked yet.

    ``http://localhost:8000/v1``, or the whole address with ``/chat/completions`` or ``/completions``. ``#`` and options
    joined by ``&`` may follow: ``model``, ``api`` (chat, the default, or completions), ``parallel`` (requests at a
    time), ``price_in`` and ``price_out`` (of a million tokens, for the estimate), ``timeout``, ``retries``,
    ``per_second``, ``version``. The key is read from the environment, as for ``http:``. Raises `ModelError` when the
    address is not allowed here, or an option is unknown or out of its range.
    """
    known = NUMBERS | OWN_NUMBERS
    address, options = split_options(argument, (*known, "model", "api", "version"), mark="#")
    numbers, model = numbers_of(options, known), options.get("model", "")
    path = address.partition("?")[0].rstrip("/")
    usual = "completions" if path.endswith("/completions") and "/chat/" not in path else "chat"
    api = options.get("api", usual)
    if api not in ("chat", "completions"):
        raise ModelError("chat option api", got=repr(api), expected="chat or completions")
    server = ChatServer.at(address, numbers, model, api)
    parts = [server.endpoint.address, api, model, options.get("version", ""), INSTRUCTION if api == "chat" else ""]
    read, written = numbers["price_in"], numbers["price_out"]
    price = Price("", read, written, read) if {"price_in", "price_out"} & options.keys() else None
    return ChatGenerator(server, f"chat:{digest(parts)}", price)


GENERATOR = GeneratorPlugin(
    id="chat",
    title="Model behind an address",
    summary="An OpenAI-compatible server: /v1/chat/completions or /v1/completions.",
    load=load,
    argument="http://host/v1",
    takes=trust.ADDRESS,
)
