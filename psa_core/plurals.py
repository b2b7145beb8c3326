"""Nouns and verbs that agree with a number; what texts are called."""

from __future__ import annotations

import re
from typing import Any

#: Longer texts are documents, and shown by their changed passages.
LONG = 600
#: How the ids of texts end that were files of their own: `psa_core.inputs.documents.KINDS`.
FILES = (".txt", ".md", ".docx", ".pdf")
#: What is quoted, and the name of a file, are somebody's own words.
_SENTENCE = re.compile(r"“[^”]*”|(?<![\w./-])([Ss])entence(?=s?\b(?!\.\w))")


def counted(count: float, noun: str) -> str:
    """A number with its noun.

    Examples
    --------
    >>> counted(1, "name"), counted(1000, "name"), counted(2, "country")
    ('1 name', '1,000 names', '2 countries')
    """
    number = int(count)
    if number == 1:
        return f"1 {noun}"
    consonant_y = noun.endswith("y") and noun[-2:-1] not in "aeiou"
    return f"{number:,} {noun[:-1]}ies" if consonant_y else f"{number:,} {noun}s"


def verb(count: float, plural: str, singular: str = "") -> str:
    """The verb form for a number.

    Examples
    --------
    >>> verb(1, "move"), verb(2, "move"), verb(1, "are", "is")
    ('moves', 'move', 'is')
    """
    return (singular or f"{plural}s") if int(count) == 1 else plural


def noun_of(sentences: Any) -> str:
    """What the texts of a table are: a ``document`` where each was a file, or most are long; else a ``sentence``.

    Examples
    --------
    >>> import pandas as pd
    >>> noun_of(pd.DataFrame({"sentence_id": ["1", "2"], "text": ["He left.", "She stayed."]}))
    'sentence'
    >>> noun_of(pd.DataFrame({"sentence_id": ["anna.txt", "team/ben.PDF"], "text": ["He left.", "She stayed."]}))
    'document'
    >>> noun_of(pd.DataFrame({"sentence_id": ["1", "2"], "text": ["She stayed. " * 100] * 2}))
    'document'
    """
    if not len(sentences):
        return "sentence"
    were_files = sentences["sentence_id"].str.lower().str.endswith(FILES).all()
    return "document" if were_files or sentences["text"].str.len().median() > LONG else "sentence"


def called(words: str, noun: str) -> str:
    """Words about sentences as words about texts with another noun; what is quoted stays.

    Examples
    --------
    >>> called("Sentences with “sentence” in sentences.csv: 1 sentence, 2 sentences.", "document")
    'Documents with “sentence” in sentences.csv: 1 document, 2 documents.'
    """
    if noun == "sentence":
        return words
    capital = noun.capitalize()
    return _SENTENCE.sub(lambda found: {"s": noun, "S": capital}.get(found[1], found[0]), words)
