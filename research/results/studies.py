"""The studies: two small models on all sentences and names, the four packaged adapters on fewer of both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from psa_core import models, study
from psa_core.cache import ScoreCache
from psa_core.cube import ScoreCube
from psa_core.inputs import names
from psa_core.study import StudySpec
from research.results import corpora

LIST = "public-figures"
PLAIN = ("profanity-check", "vader")
ADAPTERS = ("minilm-sentiment", "minilm-emotion", "minilm-hate", "minilm-offensive")


@dataclass(frozen=True)
class Size:
    """Most sentences a study has: of the two plain models, and of the adapters, which cost a hundred times as much.

    Without sentences, the adapters are left out.
    """

    plain: int = 1000
    adapters: int = 100


@dataclass(frozen=True, eq=False)
class Studied:
    """One model on one corpus."""

    model: str
    source: corpora.Source
    cube: ScoreCube


def run(data: Path, folder: Path, size: Size) -> Iterator[Studied]:
    """All studies, model by model; scores that are in the cache are not computed again."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {source: corpora.write(source, data, folder) for source in corpora.SOURCES}
    fewer = folder / "figures40.csv"
    fewer_names().to_csv(fewer, index=False)
    cache = ScoreCache.open()
    for model in PLAIN + (ADAPTERS if size.adapters else ()):
        scorer = models.load(model)
        for source, file in files.items():
            spec = StudySpec(
                sentences=str(file),
                text_column="text",
                anchors="pronouns",
                names=LIST if model in PLAIN else str(fewer),
                model=model,
                sample=size.plain if model in PLAIN else size.adapters,
                balance=True,
            )
            cube = study.execute(study.plan(spec), scorer, cache=cache)
            yield Studied(model, source, cube)


def fewer_names() -> pd.DataFrame:
    """40 of the 100 public figures, 20 women and 20 men: the first and the third of every five."""
    table = names.load(LIST).table
    return table[[position % 5 in (0, 2) for position in range(len(table))]]
