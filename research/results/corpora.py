"""The four corpora of comments, none of which is shipped, and which of their texts a model learned from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import pandas as pd


@dataclass(frozen=True)
class Source:
    """One corpus: `files` of the data folder with a column ``text``, who published it, and what its terms allow."""

    id: str
    title: str
    files: tuple[str, ...]
    origin: str
    terms: str


TWEETS = "tweets under Twitter's terms: results only"
SOURCES = (
    Source(
        "reddit",
        "Reddit comments",
        ("goemotions/dev.csv.gz", "goemotions/test.csv.gz"),
        "GoEmotions, validation and test (Demszky et al. 2020)",
        "Apache-2.0",
    ),
    Source(
        "news",
        "tweets on news and people",
        ("tweeteval/sentiment_test.csv.gz",),
        "SemEval-2017 task 4A, test, in TweetEval (Rosenthal et al. 2017)",
        TWEETS,
    ),
    Source(
        "hateval",
        "tweets on women and immigrants",
        ("tweeteval/hate_train.csv.gz", "tweeteval/hate_val.csv.gz", "tweeteval/hate_test.csv.gz"),
        "HatEval in TweetEval (Basile et al. 2019)",
        TWEETS,
    ),
    Source(
        "davidson",
        "tweets with words from a list of slurs",
        ("davidson/labeled.csv.gz",),
        "Davidson et al. 2017",
        TWEETS,
    ),
)
#: What the packaged models learned from, as far as it is here, the adapters that they started from included. The
#: metadata of alt-profanity-check names a second source, Wikipedia comments, which is none of these corpora.
LEARNED_FROM: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "profanity-check": ("davidson/labeled.csv.gz",),
        "minilm-sentiment": ("semeval2017_4a/sentiment_train.csv.gz",),
        "minilm-emotion": (
            "semeval2017_4a/sentiment_train.csv.gz",
            "goemotions/train.csv.gz",
            "tweeteval/emotion_train.csv.gz",
        ),
        "minilm-hate": (
            "goemotions/train.csv.gz",
            "tweeteval/offensive_train.csv.gz",
            "hatexplain/hatexplain.csv.gz",
        ),
        "minilm-offensive": ("tweeteval/offensive_train.csv.gz",),
    }
)


def is_unseen(source: Source, model: str) -> bool:
    """Whether none of a corpus's files is what the model learned from; another corpus may still share texts with it."""
    return not set(source.files) & set(LEARNED_FROM.get(model, ()))


def write(source: Source, data: Path, folder: Path) -> Path:
    """The corpus as one file of texts, which a study can name."""
    path = folder / f"{source.id}.csv"
    texts(data, source.files).to_csv(path, index=False)
    return path


def texts(data: Path, files: Iterable[str]) -> pd.DataFrame:
    """The texts of the files, in their order: one column, ``text``."""
    frames = [pd.read_csv(data / file, usecols=["text"], dtype=str, keep_default_na=False) for file in files]
    return pd.concat(frames, ignore_index=True)


def seen(sentences: Iterable[str], model: str, data: Path) -> int:
    """How many of the sentences are in what a packaged model learned from; only their words count, without users."""
    if model not in LEARNED_FROM:
        return 0
    learned = set(texts(data, LEARNED_FROM[model])["text"].map(_plain))
    return sum(_plain(sentence) in learned for sentence in sentences)


def _plain(text: str) -> str:
    """Letters and digits of the words, in small letters: HateXplain's posts lack punctuation and call users <user>."""
    words = [word for word in text.casefold().split() if not word.startswith("@") and word != "<user>"]
    return " ".join(filter(None, ("".join(filter(str.isalnum, word)) for word in words)))
