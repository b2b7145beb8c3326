"""Quality of the continuations beside fairness (Huang et al. 2020, section 5.2), and what scorers would add."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd

from psa_core.audits._running import Running, score_grid
from psa_core.audits.generation.cube import GenerationCube, measured_targets
from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.inputs.prompts import filled, packaged
from psa_core.models import Scorer, TokenScorer
from psa_core.scoring import Grid, score
from psa_core.stats import SIGNIFICANT
from psa_core.stats.associations import word_odds
from psa_core.stats.means import adjust
from psa_core.stats.scores import nan_mean

#: A continuation is about the value when its embedding has a larger cosine with that of the value.
SIMILAR = 0.2
FEWEST = 5
#: Continuations that the leak check scores.
SAMPLE = 60
Embed = Callable[[Sequence[str]], np.ndarray]
#: Numbers that a model is needed for; the others are counted.
BY_MODELS = ("semantic_similarity", "ppl", "ppl_sensitive", "held_out", "held_out_sensitive")
MAX_VALUE = 1e100
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_FEMALE = re.compile(r"\b(she|her|wife|woman|mother|sister|daughter)\b", re.IGNORECASE)
_MALE = re.compile(r"\b(he|his|him|husband|man|father|brother|son)\b", re.IGNORECASE)


def quality(cube: GenerationCube, embed: Embed | None = None) -> dict[str, Any]:
    """Numbers for ``summary.json``.

    ``semantic_similarity`` (share of continuations that are about their value, in [0, 1]; None where the packaged
    MiniLM is not installed), ``kept`` (share that could be cut), ``words`` (mean length of a continuation).
    """
    similarity = None
    # The embeddings are extra: without their weights, the audit is still one.
    with suppress(ModelError):
        similarity = float(nan_mean(semantic_similarity(cube, embed))) if cube.kept.any() else None
    return {"semantic_similarity": similarity, **_counts(cube)}


def imported_quality(cube: GenerationCube, imported: object) -> dict[str, Any]:
    """The same for an imported audit: of what its ``summary.json`` has, the numbers that need a model are kept."""
    found = imported if isinstance(imported, dict) else {}
    known: dict[str, Any] = {key: found[key] for key in BY_MODELS if type(found.get(key)) in (int, float)}
    numbers = {key: value for key, value in known.items() if 0 <= value < MAX_VALUE}
    return numbers | _counts(cube)


def _counts(cube: GenerationCube) -> dict[str, Any]:
    texts = cube.texts[cube.kept]
    words = float(np.mean([len(str(text).split()) for text in texts])) if len(texts) else None
    return {"kept": float(cube.kept.mean()), "words": words}


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
    with np.errstate(invalid="ignore"):  # a value without any continuation has no share
        return np.bincount(owner, similar, len(values)) / counts


def minilm_embeddings(texts: Sequence[str]) -> np.ndarray:
    """Embeddings by the packaged all-MiniLM-L6-v2, mean over tokens, of length 1: float32 (n, 384)."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    from psa_core.models._transformers.adapter import base_folder
    from psa_core.models._transformers.classifier import by_length, ids_and_mask, quietly

    with quietly():
        model = AutoModel.from_pretrained(base_folder(), local_files_only=True).eval()
        tokenizer = AutoTokenizer.from_pretrained(base_folder(), local_files_only=True)

    @torch.inference_mode()
    def embed(rows: Sequence[Sequence[int]]) -> np.ndarray:
        ids, mask = map(torch.from_numpy, ids_and_mask(rows, tokenizer.pad_token_id))
        hidden = model(input_ids=ids, attention_mask=mask).last_hidden_state * mask[..., None]
        embedded: np.ndarray = torch.nn.functional.normalize(hidden.sum(dim=1), dim=1).numpy()
        return embedded

    tokens = tokenizer(list(texts), truncation=True, max_length=256)["input_ids"]
    return by_length(tokens, model.config.hidden_size, embed)


def perplexity(scorer: TokenScorer, texts: Sequence[str]) -> float:
    """exp of the mean of −log P(token) over all tokens of some held-out texts; lower = better.

    `scorer` is a causal ``lm:``: minus the log-likelihood, and ``tokenize``, whose rows begin with one token that is
    not counted.
    """
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


def words_apart(
    first: Iterable[str], second: Iterable[str], own: str, *, people: Sequence[np.ndarray] = (), top: int = 12
) -> pd.DataFrame:
    """Words that more texts of one side have than of the other, beyond chance (`stats.associations`); surest first.

    Empty texts are left out, and so are the words of `own`, the names of the two sides. `people` are, for both sides,
    to whom each text was written: people differ in their words without any effect of their group, so a word must also
    differ beyond chance between the people of the two sides (Welch's t of their shares of texts).

    ``word, count_a, count_b, log_odds, p_adjusted`` (Holm over the words): texts with the word; log-odds above 0 where
    the second side has it more often.
    """
    named = set(_words(own))
    texts = [[str(text) for text in part] for part in (first, second)]
    owners = people or [np.zeros(len(part), int) for part in texts]
    bags = [
        [
            (owner, frozenset(word for word in _words(text) if re.split("['’]", word)[0] not in named))
            for owner, text in zip(of_part, part, strict=True)
            if text
        ]
        for of_part, part in zip(owners, texts, strict=True)
    ]
    found = word_odds([bag for part in bags for _, bag in part], np.repeat([False, True], [*map(len, bags)]))
    p_values = np.maximum(found.p_adjusted, _p_over_people(found.words, bags)) if people else found.p_adjusted
    counts = [Counter(word for _, bag in part for word in bag) for part in bags]
    rows = [
        (word, counts[0][word], counts[1][word], float(odds), float(p))
        for word, odds, p in zip(found.words, found.log_odds, p_values, strict=True)
        if p < SIGNIFICANT
    ]
    table = pd.DataFrame(rows, columns=["word", "count_a", "count_b", "log_odds", "p_adjusted"])
    return table.sort_values("p_adjusted", kind="stable", ignore_index=True).head(top)


def _p_over_people(words: Sequence[str], bags: Sequence[Sequence[tuple[int, frozenset[str]]]]) -> np.ndarray:
    """p of the difference of each word's share of texts between two sides' people, corrected (Holm): float64 (W,)."""
    from scipy.stats import ttest_ind_from_stats

    column, moments = {word: place for place, word in enumerate(words)}, list[Any]()
    for part in bags:
        counts = Counter(owner for owner, _ in part)
        if len(counts) < 2:
            return np.ones(len(words))
        row, shares = {owner: place for place, owner in enumerate(counts)}, np.zeros((len(counts), len(words)))
        for owner, bag in part:
            shares[row[owner], [column[word] for word in bag if word in column]] += 1 / counts[owner]
        moments += [shares.mean(axis=0), shares.std(axis=0, ddof=1), len(shares)]
    with np.errstate(divide="ignore", invalid="ignore"):
        p_values = ttest_ind_from_stats(*moments, equal_var=False).pvalue
    return adjust(np.where(np.isfinite(p_values), p_values, np.where(moments[0] == moments[3], 1.0, 0.0)), "holm")


def occupation_counts(cube: GenerationCube, *, least: int = FEWEST) -> pd.DataFrame:
    """How often occupations are named behind templates about a woman and about a man (Figure 5).

    ``occupation, female, male``, the most one-sided first, without those that are named fewer than `least` times. Empty
    where no template says whom it is about.
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


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def leak_check(
    cube: GenerationCube, scorer_id: str, scorer: Scorer, running: Running, *, sample: int = SAMPLE
) -> dict[str, Any]:
    """How far the prompts would lead a scorer that reads some continuations behind the prompt of every value.

    See `leak_size`; of the targets that the audit measures.
    """
    kept = np.argwhere(cube.kept)
    random = np.random.default_rng([0, 7])
    chosen = kept[np.sort(random.choice(len(kept), min(sample, len(kept)), replace=False))]
    rows, templates = cube.values.to_dict("records"), cube.templates["template"].tolist()
    texts = [str(cube.texts[m, a, k]) for m, a, k in chosen]
    behind = [
        [f"{filled(templates[m], row)} {text}" for row in rows] for (m, _, _), text in zip(chosen, texts, strict=True)
    ]
    names = [str(value) for value in cube.values["value"]]
    found = score_grid(scorer, Grid(names, texts, behind), running)
    return {
        scorer.targets[t].name: leak_size(found.perturbed[:, :, t], scorer.targets[t])
        for t in measured_targets(scorer_id, scorer)
    }


def leak_size(scores: np.ndarray, target: Target) -> dict[str, Any]:
    """The difference between two values' prompts before the same text, on a scale of 0 to 1, from scores (texts, A).

    ``mean_difference`` (mean over texts and pairs of |score behind a − score behind b|), ``lasting_difference`` (mean
    over pairs of |mean over texts|, what an audit would add up to).
    """
    scores = scores.astype(np.float64) / (target.high - target.low)
    first, second = np.triu_indices(scores.shape[1], k=1)
    differences = scores[:, first] - scores[:, second]
    return {
        "mean_difference": float(np.abs(differences).mean()),
        "lasting_difference": float(np.abs(differences.mean(axis=0)).mean()),
        "continuations": len(scores),
    }
