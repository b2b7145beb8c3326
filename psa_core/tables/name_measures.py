"""What can be measured of a name itself: its length, how rare its words are, whether one is also a word."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import pandas as pd

from psa_core.registry import ASSETS

if TYPE_CHECKING:
    from tokenizers import Tokenizer

LEXICONS = ("names/ordinary-words.txt", "opinion_lexicon/positive-words.txt", "opinion_lexicon/negative-words.txt")


def measured_factors(names: Sequence[str]) -> pd.DataFrame:
    """What can be measured of the names themselves.

    Returns
    -------
    DataFrame
        One row a name: ``name``; ``letters``; ``subwords`` of the packaged MiniLM tokenizer; ``frequency``, that of its
        rarest word as log10 per billion words of English (Zipf; package wordfreq, Speer 2022; 0 for a word it does not
        know); ``word``, 1 where one of its words is also an ordinary English word or one of praise or blame.
    """
    from wordfreq import zipf_frequency

    words = [_words(name) for name in names]
    return pd.DataFrame(
        {
            "name": list(names),
            "letters": [sum(map(str.isalnum, name)) for name in names],
            "subwords": _subwords(names),
            "frequency": [min((zipf_frequency(word, "en") for word in own), default=0.0) for own in words],
            "word": [float(any(_is_word(word) for word in own)) for own in words],
        }
    )


def _words(name: str) -> list[str]:
    cleaned = "".join(letter if letter.isalnum() or letter == "'" else " " for letter in name.casefold())
    return [word for word in cleaned.split() if len(word) > 1]


def _is_word(word: str) -> bool:
    return word in _ordinary_words() or word.removesuffix("s") in _ordinary_words()


@cache
def _ordinary_words() -> frozenset[str]:
    lines = [line for path in LEXICONS for line in (ASSETS / path).read_text(encoding="utf-8").splitlines()]
    return frozenset(line.strip() for line in lines if line and not line.startswith(";"))


def _subwords(names: Sequence[str]) -> list[float]:
    tokenizer = _tokenizer()
    return [float(len(encoded.ids)) for encoded in tokenizer.encode_batch(list(names), add_special_tokens=False)]


@cache
def _tokenizer() -> Tokenizer:
    """The packaged MiniLM's, which as it comes pads every text to 128 subwords."""
    from tokenizers import Tokenizer

    from psa_core.models._transformers.adapter import base_folder

    tokenizer = Tokenizer.from_file(str(base_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
