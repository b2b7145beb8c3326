"""``python -m research.training.hate.unseen``: evaluate an adapter on other corpora and by identity group.

Identity groups are told from the words of ``groups.csv`` and ``slurs.csv``. Templates and words of the use *test* are
never trained on.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from psa_core import atomic, models
from psa_core.errors import CorpusError, PsaError
from psa_core.models.minilm import MODEL as ADAPTERS
from psa_core.models.minilm import read_description
from psa_core.scoring import score
from research.training.card import model_card
from research.training.hate.swaps import words_of
from research.training.hate.words import HATE, filled, groups

# Fewer texts of a class than this say nothing about a group.
FEWEST = 20


def auc(hateful: np.ndarray, scores: np.ndarray) -> float:
    """Chance that a hateful text scores higher than another one: in [0, 1], 0.5 = by chance, larger = better."""
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(hateful, scores))


def group_aucs(member: np.ndarray, hateful: np.ndarray, scores: np.ndarray) -> dict[str, float]:
    """How well hate is told apart where one group is named (Borkan et al. 2019, section 3), in [0, 1], larger = better.

    ``subgroup``: among texts that name it. ``bpsn``: harmless ones that name it against hateful ones that do not; low =
    naming the group looks hateful. ``bnsp``: hateful ones that name it against harmless ones that do not.
    """
    sides = {"subgroup": member, "bpsn": member != hateful, "bnsp": member == hateful}
    return {name: auc(hateful[rows], scores[rows]) for name, rows in sides.items()}


def by_group(texts: pd.DataFrame, scores: np.ndarray, *, fewest: int = FEWEST) -> dict[str, dict[str, float]]:
    """`group_aucs` of each group that at least `fewest` hateful and as many other texts name.

    The group is that of the column ``group`` where it is known; else it is told from the words.
    """
    hateful = texts["hateful"].to_numpy(bool)
    found = {}
    for group in groups()["group"].unique():
        known = texts["group"] == group if "group" in texts else texts["text"].str.contains(words_of(group))
        member = known.to_numpy(bool)
        if min((member & hateful).sum(), (member & ~hateful).sum()) >= fewest:
            found[group] = group_aucs(member, hateful, scores)
    return found


def at_threshold(hateful: np.ndarray, scores: np.ndarray, threshold: float) -> dict[str, float]:
    """Shares in [0, 1] of texts at or above the threshold: ``recall`` of hateful ones, ``false_alarms`` of the rest."""
    flagged = scores >= threshold
    return {"recall": float(flagged[hateful].mean()), "false_alarms": float(flagged[~hateful].mean())}


def best_threshold(hateful: np.ndarray, scores: np.ndarray) -> float:
    """The threshold, in hundredths, with the largest recall minus false alarms (Youden 1950); the lowest of several."""
    choices = np.arange(1, 100) / 100
    shares = [at_threshold(hateful, scores, threshold) for threshold in choices]
    return float(choices[np.argmax([share["recall"] - share["false_alarms"] for share in shares])])


def read_corpus(argument: str, most: int) -> tuple[str, pd.DataFrame]:
    """A corpus from ``NAME=FILE:LABEL``: texts whose ``label_name`` is LABEL are hateful, all others are not.

    Of more than `most` texts of a class, so many are drawn: AUC does not depend on the classes' sizes.
    """
    name, equals, rest = argument.partition("=")
    file, colon, label = rest.rpartition(":")
    if not (name and equals and file and colon and label):
        raise CorpusError("--corpus", got=repr(argument), expected="NAME=FILE:LABEL")
    try:
        table = pd.read_csv(file, keep_default_na=False, dtype=str)
        texts = pd.DataFrame({"text": table["text"], "hateful": table["label_name"] == label})
    except (OSError, ValueError, KeyError) as error:
        raise CorpusError("--corpus", got=repr(file), expected="a csv table with text and label_name") from error
    classes = [part.sample(min(most, len(part)), random_state=0) for _, part in texts.groupby("hateful")]
    if len(classes) < 2:
        raise CorpusError(
            "--corpus", got=f"{file} without {label}, or with nothing else", expected="both kinds of texts"
        )
    return name, pd.concat(classes).reset_index(drop=True)


def measured(adapter: Path, corpora: Sequence[tuple[str, pd.DataFrame]], threshold: float) -> dict[str, Any]:
    """What the card says about data that the adapter did not see: ``corpora``, and ``groups`` on our templates."""
    scorer = models.load(f"{ADAPTERS.id}:{adapter}")
    sets = []
    for name, texts in corpora:
        scores, hateful = score(scorer, list(texts["text"]))[:, 0], texts["hateful"].to_numpy(bool)
        row: dict[str, Any] = {"name": name, "texts": len(texts), "hateful": int(hateful.sum())}
        row |= {"auc": auc(hateful, scores), **at_threshold(hateful, scores, threshold)}
        sets.append(row | {"groups": by_group(texts, scores)})
    ours = filled("test", rng=np.random.default_rng(0))
    ours["hateful"] = ours["label"] == HATE
    scores, hateful = score(scorer, list(ours["text"]))[:, 0], ours["hateful"].to_numpy(bool)
    groups = by_group(ours, scores, fewest=1)
    for group, found in groups.items():
        rows = (ours["group"] == group).to_numpy()
        found |= at_threshold(hateful[rows], scores[rows], threshold)
    whole = {"texts": len(ours), "auc": auc(hateful, scores), **at_threshold(hateful, scores, threshold)}
    return {"threshold": threshold, "corpora": sets, "templates": whole | {"groups": groups}}


def chosen_threshold(adapter: Path, validation: pd.DataFrame) -> float:
    """`best_threshold` of an adapter on labelled texts."""
    scores = score(models.load(f"{ADAPTERS.id}:{adapter}"), list(validation["text"]))[:, 0]
    return best_threshold(validation["hateful"].to_numpy(bool), scores)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns 0, or 2 after one sentence on stderr about what is wrong with the input."""
    parser = argparse.ArgumentParser(prog="python -m research.training.hate.unseen", description=__doc__)
    parser.add_argument("adapter", type=Path, help="folder that python -m research.training wrote; its card is amended")
    parser.add_argument("--corpus", action="append", default=[], metavar="NAME=FILE:LABEL", help="labelled texts")
    parser.add_argument("--threshold-on", metavar="NAME=FILE:LABEL", help="validation texts that choose the threshold")
    parser.add_argument("--most", type=int, default=3000, help="texts of a class, drawn where there are more (3000)")
    options = parser.parse_args(arguments)
    try:
        content = read_description(options.adapter)
        if options.threshold_on:
            _, validation = read_corpus(options.threshold_on, options.most)
            content["targets"][0]["threshold"] = chosen_threshold(options.adapter, validation)
        threshold = content["targets"][0].get("threshold")
        corpora = [read_corpus(text, options.most) for text in options.corpus]
        content["unseen"] = measured(options.adapter, corpora, 0.5 if threshold is None else threshold)
    except PsaError as error:
        print(error, file=sys.stderr)
        return 2
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    atomic.write(options.adapter / "labels.json", text)
    atomic.write(options.adapter / "README.md", model_card(content))
    print(json.dumps(content["unseen"], indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
