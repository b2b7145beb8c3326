"""Replace the people in a text by names of countries (Barriere & Cifuentes 2024, sections 3.1 and 3.2)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd

from psa_core import anchors, options
from psa_core.anchors import Anchor, AnchorFinder, NamedPerson, persons
from psa_core.cube import FAMILY, ScoreCube, Target
from psa_core.errors import AnchorError, OptionError
from psa_core.inputs.gazetteers import PAPER_COUNTRIES, Country, choose
from psa_core.options import option
from psa_core.scoring import CellScores, Grid
from psa_core.study.families import column_families, named_column, near_copies

#: The paper's pipeline, for any language; English words are looked for beside its people, as in the paper.
MULTILINGUAL, ENGLISH = "xx_ent_wiki_sm", "en"
#: Texts are searched for people so many at a time, in random order, until the sample is full.
CHUNK = 512
#: Drawn texts are held in memory.
MAX_CELLS = 5_000_000


def people_finder(spec: str = "") -> AnchorFinder:
    """The finder that somebody chose, else the paper's pipeline where it is installed, else the English one."""
    if not spec:
        return anchors.finder(
            f"{anchors.people()}?pipeline={MULTILINGUAL}" if find_spec(MULTILINGUAL) else anchors.people()
        )
    if not anchors.kind(spec).people:
        example = f"{anchors.people()}?pipeline= and a spaCy pipeline"
        raise AnchorError("--people", got=repr(spec[:80]), expected=example)
    return anchors.finder(spec)


@dataclass(frozen=True, kw_only=True)
class NationalitySpec:
    """What an audit is made of: what is drawn, the texts (as `corpus.load` takes them), and models.

    The countries are by default the seventeen of the paper's Table 3. `people`, such as
    ``entities:PERSON?pipeline=es_core_news_sm``, decides the language of titles and pronouns too.
    """

    countries: tuple[str, ...] = option(PAPER_COUNTRIES, metavar="A,B,…", help="default: the paper's")
    draws: int = option(
        5, low=1, help="names drawn per sentence and country", label="Names drawn per sentence and country"
    )
    seed: int = option(0, low=0, help="seed of every random choice", label="Seed")
    sample: int = option(
        1000, low=1, help="use at most this many sentences with a person", label="Sentences at most", on_page=200
    )
    all_scripts: bool = option(
        False,
        help="also draw names that are not in Latin letters",
        label="Also draw names that are not in Latin letters",
        tip="English models hardly know such names, so they are left out by default.",
    )
    people: str = option(
        "", metavar="SPEC", help=f"how people are found: {anchors.people()}?pipeline=…, of any language"
    )
    families: str | None = option(
        None, metavar="COLUMN", help="column of dependent sentences, such as author (default: near-copies are found)"
    )
    sentences: str = option(metavar="FILE", help="csv, tsv, txt, jsonl, parquet, or people")
    text_column: str | None = option(None, metavar="COLUMN", help="column of the texts; found when not given")
    model: str = option(metavar="ID", help="an id from `models`", model="scorer")
    lm: str = option("", metavar="ID", help="a perplexity scorer, an id from `models`", model="scorer")

    def __post_init__(self) -> None:
        options.check(self)
        choose(self.countries, latin_only=not self.all_scripts)


@dataclass(frozen=True, eq=False)
class Drawn:
    """S sentences with their people, each with C texts: every draw of every country."""

    #: As a cube holds them; the anchor is the first person, ``entities`` are the places of all (``start:end`` each).
    sentences: pd.DataFrame
    #: ``name`` (country and draw), ``country``, ``iso3``, ``draw``.
    columns: pd.DataFrame
    texts: tuple[tuple[str, ...], ...]
    #: How many sentences were read, not looked at, had no person, and were kept; mentions by gender and form.
    account: dict[str, int]
    #: Country to the number of its names that were left out, since they are not in Latin letters.
    left_out: dict[str, int]
    #: What found the people.
    finder: str

    @property
    def cells(self) -> Grid:
        return Grid(tuple(self.columns["name"]), tuple(self.sentences["text"]), self.texts)


def draw(sentences: pd.DataFrame, settings: NationalitySpec) -> Drawn:
    """Find people by NER and give each sentence (``sentence_id``, ``text``, perhaps families) names of each country.

    Texts are looked at in a random order until `sample` of them have a person; `AnchorError` where none has.
    """
    finder = people_finder(settings.people)
    column = None if settings.families is None else named_column(settings.families, sentences)
    mentioned, looked_at = _search(sentences["text"].tolist(), finder, settings)
    if not mentioned:
        raise AnchorError("sentences", got=f"no person in any of {looked_at}", expected="names of people to replace")
    kept = sorted(mentioned)
    cells = len(kept) * len(settings.countries) * settings.draws
    if cells > MAX_CELLS:
        fix = "Take fewer sentences, countries or draws."
        raise OptionError("texts to draw", got=f"{cells:,}", expected=f"at most {MAX_CELLS:,}", fix=fix)
    chosen = choose(settings.countries, latin_only=not settings.all_scripts)
    rows = sentences.iloc[kept].reset_index(drop=True)
    people = [mentioned[row] for row in kept]
    columns = [(f"{c.name} {n}", c.name, c.iso3, n) for c in chosen for n in range(1, settings.draws + 1)]
    return Drawn(
        sentences=_sentences_with_people(rows, people, column),
        columns=pd.DataFrame(columns, columns=["name", "country", "iso3", "draw"]),
        texts=tuple(
            tuple(_substitute(text, found, chosen, str(sentence), settings))
            for found, sentence, text in zip(people, rows["sentence_id"], rows["text"], strict=True)
        ),
        account=_account(len(sentences), looked_at, people),
        left_out={country.name: country.left_out for country in chosen if country.left_out},
        finder=f"{finder.spec} ({finder.fingerprint})",
    )


def _search(
    texts: Sequence[str], finder: AnchorFinder, settings: NationalitySpec
) -> tuple[dict[int, tuple[NamedPerson, ...]], int]:
    """People by row, of at most `sample` rows, and how many rows were looked at for them."""
    order = np.random.default_rng(settings.seed).permutation(len(texts)).tolist()
    mentioned: dict[int, tuple[NamedPerson, ...]] = {}
    language = getattr(finder, "language", ENGLISH)
    for start in range(0, len(order), CHUNK):
        rows = order[start : start + CHUNK]
        found = finder.find([texts[row] for row in rows])
        for position, (row, spans) in enumerate(zip(rows, found, strict=True), start=1):
            if people := persons(texts[row], spans, language):
                mentioned[row] = people
            if len(mentioned) == settings.sample:
                return mentioned, start + position
    return mentioned, len(order)


# What the account counts; these stand in the manifest.
READ, KEPT, NO_PERSON, NOT_LOOKED_AT = "read", "kept", "no person found", "not looked at: the sample was full"
MENTIONS = {gender: f"mentions, {gender or 'unknown'} gender" for gender in ("female", "male", "")}
#: They get last names, which are nobody's gender.
LONE = "mentions, unknown gender, last name alone"


def _account(read: int, looked_at: int, people: Sequence[Sequence[NamedPerson]]) -> dict[str, int]:
    counts = {READ: read, NOT_LOOKED_AT: read - looked_at, NO_PERSON: looked_at - len(people), KEPT: len(people)}
    mentions = [person for found in people for person in found]
    for gender, mentioned in MENTIONS.items():
        counts[mentioned] = sum(person.gender == gender for person in mentions)
    counts[LONE] = sum(not person.gender and person.form == "last" for person in mentions)
    for form in ("full", "first", "last"):
        counts[f"mentions, {form} name"] = sum(person.form == form for person in mentions)
    return counts


def cube(drawn: Drawn, targets: tuple[Target, ...], scores: CellScores, provenance: Mapping[str, Any]) -> ScoreCube:
    """The cube of a drawn grid and its scores."""
    names = drawn.columns.astype({"draw": str})
    manifest = {**provenance, "targets": [asdict(target) for target in targets]}
    return ScoreCube(drawn.sentences, names, targets, scores.original, scores.perturbed, manifest)


def _substitute(
    text: str, people: Sequence[NamedPerson], countries: Sequence[Country], sentence_id: str, settings: NationalitySpec
) -> Iterator[str]:
    for country in countries:
        digest = hashlib.blake2b(f"{settings.seed}|{sentence_id}|{country.name}".encode(), digest_size=8).digest()
        rng = np.random.default_rng(int.from_bytes(digest))
        # In random order, so that draws of one sentence and country differ as long as there are enough names.
        pools = {
            person.identity: [
                [names[position] for position in rng.permutation(len(names))]
                for names in (country.first(person.gender), country.last)
            ]
            for person in sorted(people, key=lambda person: person.identity)
        }
        for number in range(settings.draws):
            yield _replaced(text, people, pools, number)


def _replaced(
    text: str, people: Sequence[NamedPerson], pools: Mapping[int, Sequence[Sequence[str]]], number: int
) -> str:
    pieces, at = [], 0
    for person in people:
        firsts, lasts = pools[person.identity]
        first, last = firsts[number % len(firsts)], lasts[number % len(lasts)]
        name = {"first": first, "last": last, "full": f"{first} {last}"}[person.form]
        apostrophe = text[person.end] + "s" if person.bare_possessive else ""
        pieces += [text[at : person.start], name, apostrophe]
        at = person.end + bool(apostrophe)
    return "".join(pieces) + text[at:]


def _sentences_with_people(
    rows: pd.DataFrame, people: Sequence[Sequence[NamedPerson]], column: str | None
) -> pd.DataFrame:
    """The sentences as a cube holds them; families of a column, else near-copies, are numbered."""
    first = [mentions[0] for mentions in people]
    table = rows.assign(
        anchor=[text[p.start : p.end] for text, p in zip(rows["text"], first, strict=True)],
        start=[person.start for person in first],
        end=[person.end for person in first],
        role="subject",
        entities=[" ".join(f"{p.start}:{p.end}" for p in mentions) for mentions in people],
        entity_form=[person.form for person in first],
        entity_gender=[person.gender or "unknown" for person in first],
    )
    spans = [[Anchor(p.start, p.end, "object") for p in mentions] for mentions in people]
    families = column_families(rows[column]) if column else near_copies(rows["text"].tolist(), spans)
    # A column that happens to have this name does not make families: `families` chooses one.
    table = table.rename(columns={FAMILY: f"corpus_{FAMILY}"})
    return table.assign(**{FAMILY: families.labels}) if families.any else table
