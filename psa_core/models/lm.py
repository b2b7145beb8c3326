"""lm: perplexity by a language model, masked or causal, as a scorer."""

from __future__ import annotations

import numpy as np

from psa_core import trust
from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.models._base import ModelCard, ModelPlugin, TokenScorer, digest, digest_of_model, digest_of_tokenizer
from psa_core.models._options import parse_range, split_options
from psa_core.models._transformers.lm_files import PACKAGE, PACKAGED, is_packaged, load_language_model, needs_of

OPTIONS = ("kind", "range", "revision", "max_tokens", "allow_pickle", "adapter")
# A sum has no upper end; a text of 50 words by a small model seldom goes past this.
HIGH = 500.0
MEANINGS = {
    "masked": "minus the sum of the log-probabilities of the words, each given all others (pseudo-log-perplexity)",
    "causal": "minus the sum of the log-probabilities of the words, each given those before it (-log-likelihood)",
}
VERSION = "1"


def load(argument: str) -> TokenScorer:
    """Load a language model as a scorer of log-perplexity.

    ``smollm2`` (packaged), a folder, a .gguf file, or a hub id; after ``?``, ``kind`` (masked or causal) where the
    configuration does not tell, ``range`` (of the target; scores may go past it), ``max_tokens``, ``revision``,
    ``allow_pickle=1``, ``adapter`` (a folder that ``python -m research.training debias-lm`` wrote). Raises `ModelError`
    when it cannot be found, fetched or loaded, or is no language model.
    """
    from psa_core.models._transformers.classifier import token_limit
    from psa_core.models._transformers.language_models import CausalScorer, MaskedScorer

    name, options = split_options(argument, OPTIONS)
    model, tokenizer, kind = load_language_model(name, options)
    if kind == "masked" and tokenizer.mask_token_id is None:
        raise ModelError("tokenizer", got="no mask token", expected="one, as masked language models have")
    low, high = parse_range(options.get("range", f"0..{HIGH}"))
    limit = token_limit(options, model, tokenizer)
    parts = [VERSION, kind, digest_of_model(model), digest_of_tokenizer(tokenizer), str(limit), f"{low}..{high}"]
    scorer = MaskedScorer if kind == "masked" else CausalScorer
    target = Target("log_perplexity", low, high, MEANINGS[kind])
    about = f"a {kind} language model; reads at most {limit} tokens of a text"
    return scorer(model, tokenizer, (target,), as_they_are, f"lm:{digest(parts)}", limit, about)


def as_they_are(logits: np.ndarray) -> np.ndarray:
    """The scores: float32 array (B, 1). A function of the module, since a scorer travels to other processes."""
    return np.asarray(logits, np.float32)


CARD = ModelCard(
    f"lm:{PACKAGED}",
    "SmolLM2-135M-Instruct, perplexity",
    "How unexpected a text is to a small language model; no judgement of its content.",
    (Target("log_perplexity", 0.0, HIGH, MEANINGS["causal"]),),
    f"shipped in the package {PACKAGE} (4-bit weights)",
    "Apache-2.0",
)
MODEL = ModelPlugin(
    id="lm",
    title="Perplexity by a language model",
    summary="Minus the log-probability of a text by a masked or causal language model.",
    load=load,
    cards=lambda: (CARD,) if is_packaged() else (),
    argument="hub id, folder or .gguf file",
    takes=trust.Takes(trust.HUB_OR_PATH.kinds, needs_of),
    perplexity=True,
)
