"""Other encoders of MiniLM's size than BERT, with random weights: the arithmetic is the same whatever they say."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from psa_core import models
from research.speed import throughput
from research.speed.table import Row

SIZE = {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536}
#: As the published DeBERTa-v3 models: distances in 256 buckets, made into keys and queries by the tokens' own weights.
OF_DEBERTA = {"relative_attention": True, "position_buckets": 256, "share_att_key": True, "norm_rel_ebd": "layer_norm"}
OF_DEBERTA |= {"pos_att_type": ["p2c", "c2p"], "position_biased_input": False, "type_vocab_size": 0}
OF_DISTILBERT = {"dim": 384, "n_layers": 6, "n_heads": 12, "hidden_dim": 1536}
SIZES = {"distilbert": OF_DISTILBERT, "deberta-v2": SIZE | OF_DEBERTA | {"pooler_hidden_size": 384}}
#: Of the product, and of the pipeline; DeBERTa's attention costs what no product of these FLOPs does.
GOALS = {"roberta": (0.90, None), "distilbert": (0.90, None), "electra": (0.90, None), "deberta-v2": (None, 1.8)}


def rows() -> Iterator[Row]:
    """Measure."""
    with tempfile.TemporaryDirectory() as folder:
        for kind in GOALS:
            setup = throughput.set_up(models.load(f"hf:{saved(kind, Path(folder) / kind)}"))
            ways = [*throughput.engine_and_product(setup), throughput.pipeline_batch_32(setup)]
            took = throughput.in_turns(setup, ways)
            of_product, of_pipeline = GOALS[kind]
            work = took["product"].wall / took["engine"].wall
            yield throughput.ratio(f"{kind}: engine / product of the plain model's FLOPs", work, of_product)
            yield throughput.against(f"{kind}: pipeline, batch 32", took, "batch 32", of_pipeline)


def saved(kind: str, folder: Path) -> Path:
    """A random classifier of MiniLM's size, with MiniLM's tokenizer, as a folder."""
    import torch
    from transformers import AutoConfig, AutoModelForSequenceClassification

    tokenizer: Any = models.load(next(c.id for c in models.cards() if c.id.startswith("minilm-"))).tokenizer  # type: ignore[attr-defined]
    ids = {"vocab_size": len(tokenizer), "pad_token_id": tokenizer.pad_token_id, "max_position_embeddings": 514}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        config = AutoConfig.for_model(kind, **SIZES.get(kind, SIZE), **ids)
        AutoModelForSequenceClassification.from_config(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
