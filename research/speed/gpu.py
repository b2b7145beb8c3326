"""What a GPU makes of a classifier: the model itself, the fused encoder, a shorter number format."""

from __future__ import annotations

from collections.abc import Iterator

from psa_core import models
from psa_core.models import TokenScorer
from psa_core.scoring import ScoringOptions
from psa_core.scoring.backends import choice
from research.speed.table import Row
from research.speed.texts import Grid


def rows() -> Iterator[Row]:
    """Measure; where there is no GPU, end with a sentence."""
    scorer = models.load(next(card.id for card in models.cards() if card.id.startswith("minilm-")))
    if scorer.device == "cpu":  # type: ignore[attr-defined]
        raise SystemExit("There is no GPU here: torch sees none, or PSA_DEVICE says cpu.")
    yield from measured(scorer, [text for sentence in range(64) for text in Grid(64, 48).row(sentence)])


def measured(scorer: TokenScorer, texts: list[str]) -> Iterator[Row]:
    """Each way at its best batch, and how far its scores are from one text at a time in float32."""
    token_ids, speeds = scorer.tokenize(texts), {}
    verifier = choice.Verifier(scorer, token_ids)
    for group in choice.ways(scorer, ScoringOptions(precision="fast")):
        if (found := verifier.first(group)) is None:
            continue
        way, served = found
        best = choice.measure({way.name: served.forward}, token_ids, scorer.device)
        speeds[way.name] = best.texts_per_second
        title = f"{choice.place(scorer.device)}: {way.name}, batches of {best.budget} tokens"
        yield Row(f"{title}, texts/s", "", f"{best.texts_per_second:,.0f}")
        if way is not choice.OWN:
            yield Row(f"{way.name}: largest difference in the model's output", "", f"{served.difference:.1e}")
    for name in speeds.keys() - {choice.OWN.name}:
        yield Row(f"{name} / the model itself", "", f"{speeds[name] / speeds[choice.OWN.name]:.2f}")
