"""Public sets and our own sentences as one training table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from psa_core.training.hate.swaps import INSULT, PEOPLE, groups_for_people, named, other_groups, slurs_for_insults
from psa_core.training.hate.words import filled

HATE, NOT = "hate", "not-hate"
# GoEmotions' comments that may be unkind to a group are left out of what is surely not hateful to one.
UNKIND = {"anger", "disgust"}


def read_tweets(path: Path, *, hateful: str) -> pd.DataFrame:
    """Labelled tweets: ``text`` and ``label``, ``hate`` where the set's own label is the hateful one."""
    table = pd.read_csv(path, keep_default_na=False)
    return pd.DataFrame({"text": table["text"].astype(str), "label": np.where(table["label_name"] == hateful, HATE, NOT)})


def read_comments(folder: Path, split: str) -> pd.DataFrame:
    """GoEmotions' comments with their emotions: ``text``, ``emotions`` (a set); names' masks filled."""
    names = (folder / "labels.txt").read_text("utf-8").split("\n")
    table = pd.read_csv(folder / f"{split}.csv.gz", keep_default_na=False, dtype=str)
    texts = table["text"].str.replace("[NAME]", "@user").str.replace("[RELIGION]", "religious")
    return pd.DataFrame({"text": texts, "emotions": [{names[int(i)] for i in ids.split(",")} for ids in table["label_ids"]]})


def mixed(parts: dict[str, pd.DataFrame], rng: np.random.Generator) -> pd.DataFrame:
    """All parts in one order: ``text``, ``label``, ``source``; no text twice."""
    whole = pd.concat([part.assign(source=name)[["text", "label", "source"]] for name, part in parts.items()])
    return whole.drop_duplicates("text").sample(frac=1, random_state=rng).reset_index(drop=True)


def take(table: pd.DataFrame, most: int, rng: np.random.Generator) -> pd.DataFrame:
    """At most so many rows, drawn."""
    return table.sample(min(most, len(table)), random_state=rng)


def from_hate(tweets: pd.DataFrame, rng: np.random.Generator, copies: int) -> dict[str, pd.DataFrame]:
    """A set's tweets, and copies of those that name a group with another group in its place; same labels."""
    swapped = take(tweets[named(tweets["text"], more=False)], copies, rng)
    return {"tweets": tweets, "other groups": swapped.assign(text=other_groups(swapped["text"], rng))}


def from_harmless(texts: pd.Series, rng: np.random.Generator, *, plain: int, swaps: int) -> dict[str, pd.DataFrame]:
    """Texts that attack no group: as they are, with a group where they say *people*, with a slur for an insult."""
    texts = texts[~named(texts)]
    kind = take(texts[texts.str.contains(PEOPLE)].to_frame("text"), swaps, rng)
    rude = take(texts[texts.str.contains(INSULT)].to_frame("text"), swaps, rng)
    return {
        "plain": take(texts.to_frame("text"), plain, rng).assign(label=NOT),
        "people": kind.assign(label=NOT),
        "insults": rude.assign(label=NOT),
        "slurs": rude.assign(text=slurs_for_insults(rude["text"], rng), label=HATE),
        "groups": kind.assign(text=groups_for_people(kind["text"], rng), label=NOT),
    }
