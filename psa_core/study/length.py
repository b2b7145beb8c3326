"""Say before a run which texts are longer than what the model reads of a text."""

from __future__ import annotations

from dataclasses import dataclass

from psa_core.models import Scorer
from psa_core.plurals import counted, verb
from psa_core.registry import in_short
from psa_core.study.perturbation import Perturbation

MAX_LISTED = 5


@dataclass(frozen=True)
class Unread:
    """Texts of which a model reads only the beginning.

    Attributes
    ----------
    sentence_ids : tuple of str
        Those that are too long, as they are or with the longest name.
    texts : int
        Of so many.
    tokens : int
        What the model reads at most.
    """

    sentence_ids: tuple[str, ...]
    texts: int
    tokens: int

    def words(self, model: str) -> str:
        """One sentence or two, with the first of the texts; empty where the model reads all of each."""
        long = len(self.sentence_ids)
        if not long:
            return ""
        listed = ", ".join(in_short(one)[:60] for one in self.sentence_ids[:MAX_LISTED])
        more = f" and {long - MAX_LISTED:,} more" if long > MAX_LISTED else ""
        return (
            f"{long:,} of {counted(self.texts, 'text')} {verb(long, 'are', 'is')} longer than the {self.tokens:,} "
            f"tokens (pieces of words) that {model} reads: of {verb(long, 'these', 'this')} only the beginning is read "
            f"({listed}{more})."
        )


def unread(perturbation: Perturbation, sentence_ids: list[str], scorer: Scorer) -> Unread:
    """Which texts of a study a model will not read to their end; none for a model that does not count in tokens."""
    tokens = getattr(scorer, "max_tokens", 0)
    if not tokens or not hasattr(scorer, "truncated"):
        return Unread((), len(sentence_ids), 0)
    longest = max(range(len(perturbation.names)), key=lambda n: len(perturbation.names[n]))
    texts = [max(text, perturbation.text(s, longest), key=len) for s, text in enumerate(perturbation.texts)]
    is_cut = scorer.truncated(texts)
    return Unread(tuple(one for one, cut in zip(sentence_ids, is_cut, strict=True) if cut), len(sentence_ids), tokens)
