"""A generator whose continuations are written down as they come, and none of them sampled twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from psa_core.generators._base import Batch, Draw, Estimate, Generator, Sampling


@dataclass(frozen=True, eq=False)
class Remembering:
    """Another generator, asked only for what is not known.

    Attributes
    ----------
    writer : Generator
    known : mapping
        Continuations by (stream, prompt, k).
    write : callable
        Takes draws, and a batch of continuations of them as soon as it is there.
    """

    writer: Generator
    known: Mapping[tuple[str, str, int], str]
    write: Callable[[list[Draw], Batch], None]

    @property
    def fingerprint(self) -> str:
        """The writer's."""
        return self.writer.fingerprint

    @property
    def about(self) -> str:
        """The writer's."""
        return self.writer.about

    @property
    def common_noise(self) -> bool:
        """The writer's."""
        return self.writer.common_noise

    def sample(self, draws: Sequence[Draw], sampling: Sampling, check: Callable[[], None]) -> Iterator[Batch]:
        """What is known at once, then the writer's."""
        texts = [self.known.get((draw.stream, draw.prompt, draw.k)) for draw in draws]
        found = [(position, text) for position, text in enumerate(texts) if text is not None]
        if found:
            yield Batch(tuple(position for position, _ in found), tuple(text for _, text in found))
        rest = [position for position, text in enumerate(texts) if text is None]
        missing = [draws[position] for position in rest]
        for batch in self.writer.sample(missing, sampling, check) if missing else ():
            self.write(missing, batch)
            yield Batch(tuple(rest[position] for position in batch.positions), batch.texts)

    def estimate(self, draws: Sequence[Draw], sampling: Sampling) -> Estimate:
        """The writer's, of what is not known."""
        missing = [draw for draw in draws if (draw.stream, draw.prompt, draw.k) not in self.known]
        return self.writer.estimate(missing, sampling)
