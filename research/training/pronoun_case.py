"""``python -m research.training.pronoun_case FILE…``: train the classifier of *her* (object or possessive).

Nobody labelled a text for it. *him* is always an object and *his* a possessive, so both, written as *her*, are examples
of it; *me* and *my*, *them* and *their*, *us* and *our* stand in the same places. Sentences made from the word lists
below teach what the corpora hold too little of: verbs with two objects (*lent her money*) and bare infinitives
(*watched her paint*). Only the weights of words and tags that several examples share are written.
"""

from __future__ import annotations

import argparse
import gzip
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

from psa_core.anchors import _case
from psa_core.anchors._base import Role

Example = tuple[_case.Mention, Role, float]

_OWN = {"him": "object", "his": "possessive"}
_OTHERS = {
    "me": "object",
    "them": "object",
    "us": "object",
    "my": "possessive",
    "their": "possessive",
    "our": "possessive",
}
_HE = re.compile(r"(?<![\w@#'’-])(?:him|his)(?![\w'’-]| self)", re.IGNORECASE)
_WE = re.compile(rf"(?<![\w@#'’-])(?:{'|'.join(_OTHERS)})(?![\w'’-]| self)")  # US is a country
_MALE = re.compile(r"(?<![\w@#])(?:he|him|his|himself)(?!\w)", re.IGNORECASE)
_FEMALE = {"he": "she", "him": "her", "his": "her", "himself": "herself"}
_SUBJECT_OF = {"me": "i", "my": "i", "us": "we", "our": "we", "them": "they", "their": "they"}
_NO_NOUN = re.compile(r"\s*(?:$|[.,;:!?)])")
_SAME = 25
MIN_EXAMPLES = 5
MIN_WEIGHT = 0.03
OWN_WEIGHT, MADE_WEIGHT = 3.0, 1.0

_SUBJECTS = ["he", "they", "she", "i", "we", "nobody", "everyone", "the coach", "the judge", "the bank", "a friend", ""]
_AFTER = [
    "",
    " again",
    " today",
    " last night",
    " in the end",
    " for years",
    " and left",
    " when it rained",
    " lol",
    " at the door",
]
_AFTER_OWNED = [
    *_AFTER,
    " is here",
    " was lost",
    " to the school",
    " a bone",
    " live",
    " speak",
    " into an opera",
    " in May",
    " know",
]


def main(arguments: Sequence[str] | None = None) -> int:
    """Learn the weights from tables with a column ``text`` and write them; returns 0."""
    parser = argparse.ArgumentParser(prog="python -m research.training.pronoun_case", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="tables with a column text")
    parser.add_argument("--out", type=Path, default=_case.WEIGHTS)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    texts = list(
        dict.fromkeys(
            text for file in options.files for text in pd.read_csv(file, dtype=str, keep_default_na=False)["text"]
        )
    )
    found = [*_found(texts, _HE, _OWN, OWN_WEIGHT), *_found(texts, _WE, _OTHERS, 1.0)]
    examples = [*found, *_made(_count_nouns(found), options.seed)]
    weights = learnt(examples)
    _write(weights, options.out)
    print(f"{len(examples):,} examples, {len(weights):,} weights: {options.out}")
    return 0


def _found(texts: Iterable[str], pattern: re.Pattern[str], cases: dict[str, str], weight: float) -> Iterator[Example]:
    """Unambiguous pronouns with *her* in their place; one of several that stand between the same words."""
    seen = set()
    for text in texts:
        for match in pattern.finditer(text):
            case = cases[match[0].lower()]
            left, right = (_as_female(part, match[0]) for part in (text[: match.start()], text[match.end() :]))
            key = (left[-_SAME:].lower(), right[:_SAME].lower())
            if key in seen or (case == "possessive" and _NO_NOUN.match(right)):
                continue  # a friend of his
            seen.add(key)
            yield (f"{left}her{right}", len(left), len(left) + 3), case, weight  # type: ignore[misc]


def _as_female(text: str, pronoun: str) -> str:
    """The same person in the feminine: *I lost my keys*, *he lost his keys* are *she lost her keys*."""
    subject = _SUBJECT_OF.get(pronoun)
    return re.sub(rf"\b{subject}\b", "she", text, flags=re.IGNORECASE) if subject else _MALE.sub(_feminine, text)


def _feminine(match: re.Match[str]) -> str:
    return _FEMALE[match[0].lower()]


def _count_nouns(examples: Sequence[Example], least: int = 3) -> list[str]:
    """Nouns that follow *a* or *an* in the examples: alone after a verb they need an owner (*sold her car*)."""
    counts: Counter[str] = Counter()
    for tags in _case.passages([mention for mention, _, _ in examples]):
        for words in (tags.before, tags.after):
            for (article, _), (noun, tag) in pairwise(words):
                counts[noun] += article in ("a", "an") and tag == "NN"
    return sorted(
        noun
        for noun, count in counts.items()
        if count >= least and noun not in _words_of_kind("gift") and noun.isalpha()
    )


def _words_of_kind(kind: str) -> list[str]:
    return _case.words_of_kind(f"made: {kind}")


def _made(nouns: list[str], seed: int, count: int = 900) -> Iterator[Example]:
    """Sentences of each construction, from the word lists."""
    draw = random.Random(seed)
    giving, gifts, deeds, owned = (_words_of_kind(kind) for kind in ("giving verb", "gift", "deed", "possession"))
    causing, stating = _words_of_kind("causing verb"), _words_of_kind("stating verb")
    naming, moving = _case.words_of_kind("naming verb"), ["drove", "took", "brought", "sent", "left", "walked", "flew"]
    priced = [f"{how} {gift}" for how in _words_of_kind("adjective") for gift in gifts[:60]]
    others = ["lost", "loves", "hate", "like", "with", "of", "for", "about", "in", "to", "wish"]
    every = [*giving, *causing, *stating]
    constructions: list[tuple[list[str], list[str], list[str], Role]] = [
        (giving, gifts, _AFTER, "object"),
        (giving, priced, _AFTER, "object"),
        (causing, deeds, [*_AFTER, " it", " a song", " the bill"], "object"),
        (stating, _words_of_kind("state"), _AFTER, "object"),
        (naming, _words_of_kind("name"), _AFTER, "object"),
        (moving, ["home", "back", "away", "there", "alone"], _AFTER, "object"),
        (every, owned, _AFTER_OWNED, "possessive"),
        (others, owned, _AFTER_OWNED, "possessive"),
    ]
    constructions += [(every, nouns, _AFTER_OWNED, "possessive")] * 4
    for verbs, words, ends, case in constructions:
        for _ in range(count):
            start = f"{draw.choice(_SUBJECTS)} {draw.choice(verbs)} ".lstrip()
            end = draw.choice(ends)
            text = f"{start}her {draw.choice(words)}{end}{draw.choice(['', '.', '!'])}"
            yield (text, len(start), len(start) + 3), case, MADE_WEIGHT


def learnt(examples: Sequence[Example]) -> dict[str, float]:
    """Weights of a logistic regression on features that several examples share; positive speaks for an object."""
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    mentions = [mention for mention, _, _ in examples]
    told = [_case.features(mention, tags) for mention, tags in zip(mentions, _case.passages(mentions), strict=True)]
    counts = Counter(feature for one in told for feature in one)
    names = sorted(feature for feature, count in counts.items() if count >= MIN_EXAMPLES)
    column = {name: number for number, name in enumerate(names)}
    cells = [(row, column[feature]) for row, one in enumerate(told) for feature in one if feature in column]
    rows, columns = zip(*cells, strict=True)
    table = csr_matrix((np.ones(len(cells), np.float32), (rows, columns)), (len(examples), len(names)))
    model = LogisticRegression(C=0.5, solver="liblinear", max_iter=200, tol=1e-3, random_state=0)
    model.fit(table, [case == "object" for _, case, _ in examples], sample_weight=[weight for *_, weight in examples])
    kept = {name: float(w) for name, w in zip(names, model.coef_[0], strict=True) if abs(w) >= MIN_WEIGHT}
    return {_case.BIAS: float(model.intercept_[0]), **kept}


def _write(weights: dict[str, float], path: Path) -> None:
    lines = "".join(f"{name}\t{round(weight * 100)}\n" for name, weight in weights.items())
    path.write_bytes(gzip.compress(lines.encode(), mtime=0))


if __name__ == "__main__":
    raise SystemExit(main())
