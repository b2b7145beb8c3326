"""A server of the kind that OpenAI's is: several requests at once, several answers a request where it offers that."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace

from psa_core.asking import journal
from psa_core.asking.endpoint import BrokenError, Endpoint, RefusedError
from psa_core.asking.journal import Journal
from psa_core.asking.prices import Purse
from psa_core.asking.records import FILTER, FILTERED, Reply, Request, joined, reply_of
from psa_core.trust.addresses import allowed

ANSWERS = {"chat": '{"choices": [{"message": {"content": …}}, …]}', "completions": '{"choices": [{"text": …}, …]}'}
# What a server says that does not know, or does not want, something in a request.
REFUSED = (400, 403, 404, 413, 422, 501)
# What passes: too many requests, too long, broken or overloaded for now; Cloudflare's and Anthropic's own too.
PASSING = (408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529)
# Options that newer models call otherwise, that some take less of, and that some do not take.
RENAMED = {"max_tokens": "max_completion_tokens"}
LESS = {"top_logprobs": 5}
DROPPED = ("seed", "temperature")


@dataclass(frozen=True)
class ChatServer:
    """A server of the kind that OpenAI's is, and which of its models is meant; an `Asker`.

    What was answered before is read in the journal, and what is answered now is written there first.
    """

    endpoint: Endpoint = field(repr=False)
    model: str = ""  # as the server calls it; empty where it has only one
    api: str = "chat"  # or completions: a prompt is sent as the beginning of a text, not as messages
    journal: Journal | None = field(default_factory=journal.current, repr=False, compare=False)
    #: What the server turned out not to offer.
    _lacks: set[str] = field(default_factory=set, repr=False, compare=False)

    @classmethod
    def at(cls, address: str, numbers: Mapping[str, float], model: str = "", api: str = "chat") -> ChatServer:
        """The server at an address, asked as its options say; raises `ModelError` where it may not be."""
        asks = '{"messages": […], …}' if api == "chat" else '{"prompt": "…", …}'
        place, said = completions_address(allowed(address), api), {"asks": asks, "answers": ANSWERS[api]}
        return cls(Endpoint.at(place, numbers, passing=PASSING, **said), model, api)

    @property
    def shown(self) -> str:
        return self.endpoint.shown

    @property
    def parallel(self) -> int:
        """Most requests under way at once."""
        return self.endpoint.flow.most if self.endpoint.flow else 1

    def ask(self, requests: Sequence[Request]) -> list[Reply]:
        """The replies in the order of the requests; see `Asker`. When one cannot be had, the others are not sent."""

        def reply_or_reason(request: Request) -> Reply:
            try:
                return self.reply(request)
            except RefusedError as error:  # one that the server does not take, too long for it, ends no run
                return Reply(error=error.got)

        with ThreadPoolExecutor(self.parallel, thread_name_prefix="ask") as pool:
            asked = [pool.submit(reply_or_reason, request) for request in requests]
            try:
                return [reply.result() for reply in asked]
            finally:
                for reply in asked:
                    reply.cancel()

    def reply(self, request: Request) -> Reply:
        """The reply to one request; a server that gives one answer at a time is asked until all are there."""
        wanted = int(request.options.get("n", 1))
        if wanted == 1:
            return self._once(request)
        reply = Reply()
        if "n" not in self._lacks:
            # What a server refuses, or breaks at, may be the number of answers or the request: asking for one tells.
            with suppress(RefusedError, BrokenError):
                reply = self._once(request)
                withheld = any(answer.finish_reason == FILTER and not answer.content for answer in reply.answers)
                if reply.error or withheld or len(reply.answers) >= wanted:
                    return reply
        single = {key: value for key, value in request.options.items() if key != "n"}
        first = int(request.options.get("seed", 0))
        for k in range(len(reply.answers), wanted):
            one = self._once(replace(request, options=single | {"seed": first + k}))
            if one.error:
                return one
            self._lacks.add("n")
            reply = joined(reply, one)
        return reply

    def _once(self, request: Request) -> Reply:
        """One request; an option that the server refuses by its name is renamed or left out, from then on for all.

        Raises `RefusedError` when the server refuses this request otherwise.
        """
        while True:
            lacks = frozenset(self._lacks)
            body = request.body(self.model, self.api)
            for option in lacks & body.keys():
                value = body.pop(option)
                if option in RENAMED:
                    body[RENAMED[option]] = value
                elif option in LESS:
                    body[option] = LESS[option]
            key = journal.key_of(self.endpoint.address, body)
            if self.journal and (known := self.journal.known(key, request.custom_id, body)) is not None:
                return reply_of(known, self.api)
            purse = self.journal.purse if self.journal else Purse()
            held = purse.hold(request, self.model)
            try:
                answer = self.endpoint.ask(body, refused=REFUSED)
            except BrokenError:
                purse.free(held)
                raise
            except RefusedError as error:
                if FILTERED.search(error.got):
                    answer = {"error": {"message": error.got}}
                else:
                    purse.free(held)
                    words = error.got.partition("): ")[2]
                    options = [option for option in (*RENAMED, *LESS, *DROPPED) if option in body.keys() - lacks]
                    named = (option for option in options if re.search(rf"(?<![\w.-]){option}(?![\w-])", words))
                    if (refused := next(named, None)) is None:
                        raise
                    self._lacks.add(refused)
                    continue
            reply = reply_of(answer, self.api)
            if self.journal and not reply.error:
                self.journal.write(key, request.custom_id, body, answer)
            purse.pay(held, reply, self.model)
            return reply


def completions_address(address: str, api: str = "chat") -> str:
    """Where completions are, from a server's base address (``http://localhost:8000/v1``) or from that itself."""
    base, mark, query = address.partition("?")
    base = base.rstrip("/")
    if not base.endswith("/completions"):
        base += "/chat/completions" if api == "chat" else "/completions"
    return base + mark + query
