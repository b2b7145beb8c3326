"""Combine public data sets and our own sentences into one training table for hate speech."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from psa_core.errors import CorpusError
from research.training.hate.swaps import INSULT, PEOPLE, groups_for_people, named, slurs_for_insults
from research.training.hate.words import HATE, NOT, filled

# Comments that may be unkind to a group: what they say about people is not copied for groups.
UNKIND = {"anger", "disgust"}
# Texts taken as they are from each source, and at most so many for each kind of copy.
CALM, RUDE, SWAPS, COPIES = 4000, 2000, 1500, 36
VALIDATION = 1500
# Share of offensive posts among the harmless ones.
OFFENSIVE = 0.4


def build(comments: pd.DataFrame, tweets: pd.DataFrame, *, seed: int = 0) -> pd.DataFrame:
    """One table of labelled texts in a drawn order: ``text, label, label_name, source``; no text twice.

    `comments` and `tweets` say in ``rude`` whether a text may attack somebody; none is taken to attack a group.
    """
    rng = np.random.default_rng(seed)
    parts: dict[str, pd.DataFrame] = {}
    for name, texts in {"comments": comments, "tweets": tweets}.items():
        for rude in (False, True):
            some = harmless(texts.loc[texts["rude"] == rude, "text"], rng, plain=RUDE if rude else CALM, rude=rude)
            parts |= {f"{name}, {'rude' if rude else 'calm'}, {kind}": part for kind, part in some.items()}
    parts["templates"] = filled("train", rng=rng, copies=COPIES)
    whole = pd.concat([part.assign(source=name)[["text", "label", "source"]] for name, part in parts.items()])
    whole = whole.drop_duplicates("text").sample(frac=1, random_state=rng).reset_index(drop=True)
    return pd.DataFrame(
        {
            "text": whole["text"],
            "label": (whole["label"] == HATE).astype(int),
            "label_name": whole["label"],
            "source": whole["source"],
        }
    )


def with_posts(own: pd.DataFrame, posts: pd.DataFrame, *, most_own: int, seed: int = 0) -> pd.DataFrame:
    """Posts that people labelled, as many hateful as other ones, and some of the own table; as `build`.

    Without `most_own` rows of the own table a model forgets that naming a group is not hateful. Of the harmless posts
    two in five are offensive ones, the hardest to tell from hate.
    """
    rng = np.random.default_rng(seed)
    kinds = {kind: posts[posts["label_name"] == kind] for kind in ("hatespeech", "offensive", "normal")}
    hateful = len(kinds["hatespeech"])
    wanted = {
        "hatespeech": hateful,
        "offensive": round(hateful * OFFENSIVE),
        "normal": round(hateful * (1 - OFFENSIVE)),
    }
    drawn = pd.concat([kinds[kind].sample(min(n, len(kinds[kind])), random_state=rng) for kind, n in wanted.items()])
    parts = [_labelled(drawn), _drawn(own, most_own, rng)]
    return pd.concat(parts).drop_duplicates("text").sample(frac=1, random_state=rng).reset_index(drop=True)


def _labelled(posts: pd.DataFrame) -> pd.DataFrame:
    """Posts as rows of a task: hate speech against the rest."""
    hateful = posts["label_name"] == "hatespeech"
    return pd.DataFrame(
        {
            "text": posts["text"].str.replace("<user>", "@user").str.replace("<number>", "7"),
            "label": hateful.astype(int),
            "label_name": np.where(hateful, HATE, NOT),
            "source": "posts, " + posts["label_name"],
        }
    )


def read_posts(file: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """HateXplain's posts for training, and those for validation as rows of a task."""
    table = _table(file, "label_name")
    if "split" not in table:
        raise CorpusError(str(file), got="no column split", expected="split, with train and val")
    return table[table["split"] == "train"], _labelled(table[table["split"] == "val"])


def harmless(texts: pd.Series, rng: np.random.Generator, *, plain: int, rude: bool) -> dict[str, pd.DataFrame]:
    """Texts that attack no group and counterfactual copies of them, by kind: ``text`` and ``label``.

    *plain*: as they are. *groups*: the calm ones that say *people*, with a group in its place, still not hateful.
    *insults* and *slurs*: those with an insult, as they are and with an insult for a group in its place: hateful.
    """
    texts = texts[~named(texts)]
    insults = _drawn(texts[texts.str.contains(INSULT)], SWAPS, rng)
    parts = {"plain": (_drawn(texts, plain, rng), NOT), "insults": (insults, NOT)}
    parts["slurs"] = (slurs_for_insults(insults, rng), HATE)
    if not rude:
        people = _drawn(texts[texts.str.contains(PEOPLE)], SWAPS, rng)
        parts |= {"people": (people, NOT), "groups": (groups_for_people(people, rng), NOT)}
    return {kind: pd.DataFrame({"text": some, "label": label}) for kind, (some, label) in parts.items()}


def read_comments(folder: Path) -> pd.DataFrame:
    """GoEmotions' training comments, masks filled: ``text``, ``rude`` (anger or disgust)."""
    names = (folder / "labels.txt").read_text("utf-8").split("\n")
    table = _table(folder / "train.csv.gz", "label_ids")
    texts = table["text"].str.replace("[NAME]", "@user").str.replace("[RELIGION]", "religious")
    rude = [bool({names[int(i)] for i in ids.split(",")} & UNKIND) for ids in table["label_ids"]]
    return pd.DataFrame({"text": texts, "rude": rude})


def read_tweets(file: Path) -> pd.DataFrame:
    """TweetEval's offensive tweets: ``text``, ``rude`` (offensive)."""
    table = _table(file, "label_name")
    return pd.DataFrame({"text": table["text"], "rude": table["label_name"] == "offensive"})


def _table(file: Path, column: str) -> pd.DataFrame:
    try:
        table = pd.read_csv(file, keep_default_na=False, dtype=str)
    except (OSError, ValueError, EOFError) as error:
        raise CorpusError(str(file), got="a file that cannot be read", expected="a csv table") from error
    if not {"text", column} <= set(table.columns):
        raise CorpusError(str(file), got=f"the columns {', '.join(table.columns)}", expected=f"text and {column}")
    return table


def _drawn(texts: Any, most: int, rng: np.random.Generator) -> Any:
    return texts.sample(min(most, len(texts)), random_state=rng)
