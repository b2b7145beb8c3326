"""``python -m research.results.people``: how many people of our Spanish sentences a pipeline finds."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import pandas as pd

from psa_core.anchors import persons
from psa_core.audits.nationality.perturbation import ENGLISH, people_finder
from psa_core.errors import PsaError
from psa_core.registry import ASSETS
from research import documents
from research.documents import table
from research.results.audits import PAGE

SENTENCES = ASSETS / "examples" / "personas.es.csv"
PIPELINES = {"es_core_news_sm": "entities:PERSON?pipeline=es_core_news_sm", "the English pipeline": "entities:PERSON"}


def counts(spec: str, sentences: pd.DataFrame) -> tuple[int, int, int]:
    """Of sentences with one person each: found by exactly the name, with the gender too, and all else."""
    finder = people_finder(spec)
    language = getattr(finder, "language", ENGLISH)
    exact = gendered = others = 0
    for row, spans in zip(sentences.itertuples(index=False), finder.find(sentences["text"].tolist()), strict=True):
        for person in persons(row.text, spans, language):
            is_it = row.text[person.start : person.end] == row.person
            exact += is_it
            gendered += is_it and person.gender == row.gender
            others += not is_it
    return exact, gendered, others


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns 0, or 2 after one sentence on stderr about what is wrong with the input."""
    parser = argparse.ArgumentParser(prog="python -m research.results.people", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/results-audits.md; else print the table")
    options = parser.parse_args(arguments)
    sentences = pd.read_csv(SENTENCES, keep_default_na=False)
    try:
        rows = [(name, *counts(spec, sentences)) for name, spec in PIPELINES.items()]
    except PsaError as error:
        print(error, file=sys.stderr)
        return 2
    headings = ("pipeline", f"exactly the name, of {len(sentences)}", "and the right gender", "anything else")
    text = table(headings, rows)
    if options.write:
        documents.write(PAGE, {"spanish": text})
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
