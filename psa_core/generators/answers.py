"""answers: what a provider's batch interface returned for the requests of an audit, read from a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from psa_core import trust
from psa_core.asking.prices import Estimate
from psa_core.asking.records import AnswerFile, read_answers
from psa_core.errors import ModelError
from psa_core.generators._base import Batch, Draw, GeneratorPlugin, Sampling, request_of
from psa_core.inputs.checks import path_of
from psa_core.inputs.limits import FILE

EXPORT = "Write the requests with: psa chats … --export-prompts FILE.jsonl"


@dataclass(frozen=True, eq=False)
class Answers:
    """Looks answers up by the id of their request; answer k of a request is its k-th choice."""

    file: AnswerFile = field(repr=False)
    fingerprint: str
    about: str
    common_noise: bool = False  # what random numbers another system met is not known

    @property
    def continuations(self) -> int:
        """How many answers a request has."""
        return max((len(reply.answers) for reply in self.file.replies.values()), default=0)

    def sample(self, draws: Sequence[Draw], _: Sampling, check: Callable[[], None]) -> Iterator[Batch]:
        """The answers of the draws; one that failed, or that the file does not have, stays missing.

        Raises `ModelError` when the file has none of them: it answers other requests.
        """
        check()
        requests = [request_of(draw) for draw in draws]
        found: list[tuple[int, str]] = []
        for position, (draw, reply) in enumerate(zip(draws, self.file.ask(requests), strict=True)):
            if draw.k < len(reply.answers):
                answer = reply.answers[draw.k]
                found.append((position, answer.content or answer.refusal))
        if draws and not found:
            got = f"{self.file.shown}, which answers none of the {len(draws):,} requests"
            raise ModelError("answers", got=got, expected="the answers to the requests of this audit", fix=EXPORT)
        yield Batch(tuple(position for position, _ in found), tuple(text for _, text in found))

    def estimate(self, draws: Sequence[Draw], _: Sampling) -> Estimate:
        return Estimate(0, 0, 0)


def load(argument: str) -> Answers:
    """Read a file of answers in OpenAI's batch format.

    Raises `ModelError` when it cannot be read or is no such file.
    """
    path = path_of(argument)
    if not path.is_file():  # a device or a pipe may never end
        raise ModelError("answers", got=f"no file at {str(path)[:80]!r}", expected="a file of answers", fix=EXPORT)
    FILE.check(path.stat().st_size, field="answers", error=ModelError, of=f"in {path.name[:60]}")
    found = read_answers(path)
    return Answers(found, f"answers:{found.sha256}", f"answers fetched elsewhere, read from {path.name}")


GENERATOR = GeneratorPlugin(
    id="answers",
    title="Answers fetched elsewhere",
    summary="What a provider's batch interface returned for exported requests, read from a file.",
    load=load,
    argument="file",
    takes=trust.PATH,
)
