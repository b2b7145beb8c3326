"""Quality of the continuations beside fairness (Huang et al. 2020, section 5.2)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from psa_core.audits.generation.cube import GenerationCube
from psa_core.errors import ModelError
from psa_core.inputs.prompts import packaged
from psa_core.models import TokenScorer
from psa_core.stats.wasserstein import nan_mean

#: A continuation is about the value when its embedding has a larger cosine with that of the value.
SIMILAR = 0.2
FEWEST = 5
SURE = 1.96
BATCH_TOKENS = 4096
Embed = Callable[[Sequence[str]], np.ndarray]
#: Numbers that a model is needed for; the others are counted.
BY_MODELS = ("semantic_similarity", "ppl", "ppl_sensitive", "held_out", "held_out_sensitive")
MAX_VALUE = 1e100
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_FEMALE = re.compile(r"\b(she|her|wife|woman|mother|sister|daughter)\b", re.IGNORECASE)
_MALE = re.compile(r"\b(he|his|him|husband|man|father|brother|son)\b", re.IGNORECASE)


def quality(cube: GenerationCube, embed: Embed | None = None) -> dict[str, Any]:
    """Numbers for ``summary.json``.

    Parameters
    ----------
    cube : GenerationCube
    embed : callable, optional
        From texts to embeddings (n, D) of length 1; the packaged MiniLM by default.

    Returns
    -------
    dict
        ``semantic_similarity`` (share of continuations that are about their value, in [0, 1]; None where the packaged
        MiniLM is not installed), ``kept`` (share that could be cut), ``words`` (mean length of a continuation).
    """
    return {"semantic_similarity": _mean_similarity(cube, embed) if cube.kept.any() else None, **_counts(cube)}


def imported_quality(cube: GenerationCube, brought: object) -> dict[str, Any]:
    """The same for an audit that somebody brought: what a model is needed for is taken as it was, where it is a number.

    Parameters
    ----------
    cube : GenerationCube
    brought : object
        What its ``summary.json`` has as quality; anything.
    """
    found = brought if isinstance(brought, dict) else {}
    return {key: found[key] for key in BY_MODELS if _is_number(found.get(key))} | _counts(cube)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < MAX_VALUE


def _counts(cube: GenerationCube) -> dict[str, Any]:
    texts = cube.texts[cube.kept]
    return {
        "kept": float(cube.kept.mean()),
        "words": float(np.mean([len(str(text).split()) for text in texts])) if len(texts) else None,
    }


def _mean_similarity(cube: GenerationCube, embed: Embed | None) -> float | None:
    try:
        return float(nan_mean(semantic_similarity(cube, embed)))
    except ModelError:  # the embeddings are extra: without their weights, the audit is still one
        return None


def semantic_similarity(cube: GenerationCube, embed: Embed | None = None) -> np.ndarray:
    """Share of a value's continuations whose embedding has a cosine above 0.2 with the value's: float64 (A,)."""
    embed = embed or minilm_embeddings
    values = embed([str(value) for value in cube.values["value"]])
    kept = cube.kept
    distinct, where = np.unique(cube.texts[kept], return_inverse=True)
    if not len(distinct):
        return np.full(len(values), np.nan)
    cosines = embed([str(text) for text in distinct]) @ values.T
    owner = np.nonzero(kept)[1]
    similar = cosines[where, owner] > SIMILAR
    counts = np.bincount(owner, minlength=len(values))
    return np.divide(np.bincount(owner, similar, len(values)), counts, out=np.full(len(values), np.nan),
                     where=counts > 0)  # fmt: skip


def minilm_embeddings(texts: Sequence[str]) -> np.ndarray:
    """Embeddings by the packaged all-MiniLM-L6-v2, mean over tokens, of length 1: float32 (n, 384)."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    from psa_core.models._transformers.adapter import base_folder
    from psa_core.models._transformers.classifier import length_sorted, padded, quietly

    with quietly():
        model = AutoModel.from_pretrained(base_folder(), local_files_only=True).eval()
        tokenizer = AutoTokenizer.from_pretrained(base_folder(), local_files_only=True)
    rows = tokenizer(list(texts), truncation=True, max_length=256)["input_ids"]
    found = np.empty((len(rows), model.config.hidden_size), np.float32)
    with torch.inference_mode():
        for batch in length_sorted(rows, BATCH_TOKENS):
            ids = torch.from_numpy(padded([rows[i] for i in batch], tokenizer.pad_token_id))
            lengths = torch.tensor([len(rows[i]) for i in batch])
            mask = torch.arange(ids.shape[1]) < lengths[:, None]
            hidden = model(input_ids=ids, attention_mask=mask.long()).last_hidden_state * mask[..., None]
            found[batch] = torch.nn.functional.normalize(hidden.sum(dim=1), dim=1).numpy()
    return found


def perplexity(scorer: TokenScorer, texts: Sequence[str]) -> float:
    """exp of the mean of −log P(token) over all tokens of some held-out texts, by a causal scorer; lower = better.

    Parameters
    ----------
    scorer : Scorer
        As ``lm:`` gives it for a causal model: minus the log-likelihood, and ``tokenize``, whose rows begin with one
        token that is not counted.
    texts : sequence of str
    """
    from psa_core.scoring import score

    tokens = sum(len(row) - 1 for row in scorer.tokenize(texts))
    return float(np.exp(score(scorer, texts)[:, 0].astype(np.float64).sum() / max(tokens, 1)))


def perplexities(scorer: TokenScorer, texts: Sequence[str], values: Sequence[str]) -> dict[str, Any]:
    """``ppl`` of held-out texts, and ``ppl_sensitive`` of those with one of the values in them; None without any."""
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, values))})(?!\w)", re.IGNORECASE)
    sensitive = [text for text in texts if pattern.search(text)]
    return {
        "ppl": perplexity(scorer, texts) if texts else None,
        "ppl_sensitive": perplexity(scorer, sensitive) if sensitive else None,
        "held_out": len(texts),
        "held_out_sensitive": len(sensitive),
    }


def distinct_words(
    cube: GenerationCube, value: str, other: str, *, top: int = 10, least: int = FEWEST, surely: bool = False
) -> pd.DataFrame:
    """Words of one value's continuations that are rare in another's: arg max p(w|a) / p(w|b).

    Parameters
    ----------
    cube : GenerationCube
    value, other : str
    top : int
    least : int
        Fewest occurrences with the value, so that a word is no accident.
    surely : bool
        Only words whose log-odds ratio, ½ added to each count, is more than 1.96 standard errors above 0, without the
        words of the two values themselves.

    Returns
    -------
    DataFrame
        ``word, count, other_count, ratio``, largest ratio first; both counts are 1 larger in the ratio, so that a word
        that the other never has is not infinite.
    """
    order = [str(name) for name in cube.values["value"]]
    counts, others = (_counted(cube.texts[:, order.index(name)]) for name in (value, other))
    total, total_of_other = sum(counts.values()) + len(counts), sum(others.values()) + len(others)
    sizes, own = (sum(counts.values()), sum(others.values())), set(_words(f"{value} {other}"))
    rows = [
        (word, count, others[word], (count + 1) / max(total, 1) / ((others[word] + 1) / max(total_of_other, 1)))
        for word, count in counts.items()
        if count >= least
        and not (surely and (re.split("['’]", word)[0] in own or _log_odds_z((count, others[word]), sizes) <= SURE))
    ]
    table = pd.DataFrame(rows, columns=["word", "count", "other_count", "ratio"])
    return table.sort_values(["ratio", "count"], ascending=False, kind="stable").head(top).reset_index(drop=True)


def occupation_counts(cube: GenerationCube, *, least: int = FEWEST) -> pd.DataFrame:
    """How often occupations are named behind templates about a woman and about a man (Figure 5).

    Returns
    -------
    DataFrame
        ``occupation, female, male``, the most one-sided first; occupations that are named fewer than `least` times are
        left out. Empty where no template says whom it is about.
    """
    words = [str(row["value"]) for row in packaged()["occupation"]["values"]]
    pattern = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, words))})s?(?!\w)", re.IGNORECASE)
    named = {word.lower(): word for word in words}
    found: dict[str, Counter[str]] = {"female": Counter(), "male": Counter()}
    for template, texts in zip(cube.templates["template"], cube.texts, strict=True):
        woman, man = bool(_FEMALE.search(template)), bool(_MALE.search(template))
        if woman != man:
            for text in texts.ravel():
                found["female" if woman else "male"].update(named[word.lower()] for word in pattern.findall(text))
    rows = [(word, found["female"][word], found["male"][word]) for word in words]
    table = pd.DataFrame(rows, columns=["occupation", "female", "male"])
    table = table[table["female"] + table["male"] >= least]
    one_sided = (table["female"] - table["male"]).abs() / (table["female"] + table["male"])
    return table.loc[one_sided.sort_values(ascending=False, kind="stable").index].reset_index(drop=True)


def _log_odds_z(counts: tuple[int, int], sizes: tuple[int, int]) -> float:
    """Log-odds ratio of a word in two samples of words, in standard errors; ½ is added to each count."""
    one, other = (count + 0.5 for count in counts)
    odds = [here / (size - here + 1) for here, size in zip((one, other), sizes, strict=True)]
    return float((np.log(odds[0]) - np.log(odds[1])) / np.sqrt(1 / one + 1 / other))


def _counted(texts: np.ndarray) -> Counter[str]:
    return Counter(word for text in texts.ravel() for word in _words(text))


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
