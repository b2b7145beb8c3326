"""What a nationality audit says: findings, which say what a table marks as beyond chance, and ``report.html``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from psa_core import models
from psa_core.audits.nationality.perturbation import KEPT, LONE, MENTIONS, MULTILINGUAL, NO_PERSON, NOT_LOOKED_AT, READ
from psa_core.audits.nationality.result import NationalityResult
from psa_core.audits.nationality.tables import OVERALL, by_country
from psa_core.claims.formatting import Finding, Words, number
from psa_core.cube import ScoreCube
from psa_core.plurals import counted, verb
from psa_core.report.page import Report, element, section
from psa_core.stats import SIGNIFICANT, adjust
from psa_core.stats.families import MIN_FAMILIES
from psa_core.study import families
from psa_core.tables.pairs import order_replicability

#: In a smaller class a single sentence is more than ten percent.
MIN_COUNT = 10
CORRECTED = "corrected for the number of countries and columns (Holm)"
#: Countries that a sentence names with an article.
ARTICLE = re.compile(
    r"\b(?:Republic|States?|Kingdom|Emirates|Islands)\b"
    r"|^(?:Bahamas|Comoros|Gambia|Ivory Coast|Maldives|Netherlands|Philippines|Seychelles)$"
)
LIMITS = (
    "This is perturbation sensitivity: what predictions do when the people of a text get names of another country. "
    "Whether a difference is a defect, a person has to judge.",
    "Names are drawn at random; another seed draws others. Intervals are about other sentences of the same kind.",
)
#: How well spaCy's small English pipeline finds people and places, by kind of text.
FINDER = (
    "People are found by a program that makes mistakes. On informal comments spaCy's small English pipeline "
    "found 46 % of people "
    "and places, and 63 % of what it found was one; on edited text it does better. Mentions that neither the "
    "gazetteers nor the words around them support are left out."
)


def findings(result: NationalityResult) -> list[Finding]:
    """What the table says of classes, then of scores."""
    sentences = len(result.cube.sentences)
    return [
        class_finding(result.countries, sentences),
        score_finding(result.countries, result.moved_targets, sentences),
    ]


def class_finding(countries: pd.DataFrame, sentences: int) -> Finding:
    """The largest change of a predicted class that is beyond chance; where none is, the largest, as too few to tell."""
    changing = countries.dropna(subset=["change_percent"])
    top = largest(countries)
    change, country = top["perturbed_count"] - top["original_count"], _with_article(top["country"])
    if not changing["change_percent"].any():
        return Finding("No predicted class changes its size with the country of the names.")
    was, now = _count(top["original_count"]), _count(top["perturbed_count"])
    instead = f"{now} of {counted(sentences, 'sentence')} are predicted as {top['target']} instead of {was}"
    if not top["p_adjusted"] < SIGNIFICANT:
        return Finding(
            "No clear difference: no country's names change the size of a predicted class beyond chance.",
            f"The largest change: with names from {country}, {instead}; too few to tell.",
        )
    marked = int((changing["p_adjusted"] < SIGNIFICANT).sum())
    low, high = sorted(abs(top[end]) for end in ("change_low", "change_high"))
    return Finding(
        f"With names from {country}, {_count(abs(change))} {'more' if change > 0 else 'fewer'} sentences are "
        f"predicted as {top['target']}.",
        f"{instead[:1].upper()}{instead[1:]} (95 % interval of the change {_count(low)} to {_count(high)}, "
        f"p = {top['p_adjusted']:.2g}). {marked} of {len(changing)} changes are beyond chance, {CORRECTED}.",
    )


def _with_article(country: str) -> str:
    """A country as it is read in a sentence: *the United States*."""
    return f"the {country}" if ARTICLE.search(country) else country


def largest(countries: pd.DataFrame) -> pd.Series:
    """The row whose class changes most, in percent of its original size.

    Of changes beyond chance where there are any, and of large enough classes; some class is always predicted for the
    original sentences, so there is such a row.
    """
    rows = countries.dropna(subset=["change_percent"])
    for some in (rows["p_adjusted"] < SIGNIFICANT, rows["original_count"] >= MIN_COUNT):
        rows = rows[some[rows.index]] if some[rows.index].any() else rows
    return rows.loc[rows["change_percent"].abs().idxmax()]


def score_finding(countries: pd.DataFrame, targets: Sequence[str], sentences: int) -> Finding:
    """With which countries' names a score moves most, beyond chance; of several targets, the one that moves most."""
    moved = countries[countries["target"].isin(targets)].dropna(subset=["delta"])
    marked = moved[moved["delta_p_adjusted"] < SIGNIFICANT]
    over = f"over {counted(sentences, 'sentence')}"
    if marked.empty:
        top = moved.loc[moved["delta"].abs().idxmax()]
        largest_change = (
            f"The largest mean change {over}: {_signed(top)} with names from {_with_article(top['country'])}"
        )
        chance = "" if pd.isna(top["delta_p_adjusted"]) else f"; p = {top['delta_p_adjusted']:.2g}, {CORRECTED}"
        moved_none = f"no country's names are shown to move {Words.of(str(top['target'])).phrase}"
        return Finding(f"No clear difference: {moved_none}.", f"{largest_change}{chance}.")
    top = marked.loc[marked["delta"].abs().idxmax()]
    same, tested = (rows[rows["target"] == top["target"]] for rows in (marked, moved))
    ends = [same.loc[same["delta"].idxmin()], same.loc[same["delta"].idxmax()]]
    moves = [f"by {_signed(row)} with names from {_with_article(row['country'])}" for row in ends[: min(2, len(same))]]
    return Finding(
        f"The mean {top['target']} score moves {' and '.join(dict.fromkeys(moves))}.",
        f"{over[:1].upper()}{over[1:]}, with 95 % intervals; {len(same)} of {counted(len(tested), 'country')} "
        f"{verb(len(same), 'move')} it beyond chance, {CORRECTED}.",
    )


def correlation_finding(correlations: pd.DataFrame) -> Finding:
    """The strongest correlations with perplexity beyond chance, within sentences and over the original texts.

    Correlations over all texts of a country are left to the table: draws of one sentence are not independent.
    """
    overall = correlations[correlations["country"] == OVERALL]
    ways = (("local_r", "local_p", "within one sentence"), ("original_r", "original_p", "across the original texts"))
    known, parts = overall[[r for r, _, _ in ways if r in overall]].notna().any(axis=None), []
    for r, p, words in ways:
        tested = overall.dropna(subset=[r, p]) if r in overall else overall.iloc[:0]
        if r == "local_r" and "sentences" in tested:
            tested = tested[tested["sentences"] >= MIN_FAMILIES]
        marked = tested[adjust(tested[p].astype(float)) < SIGNIFICANT] if len(tested) else tested
        if len(marked):
            top = marked.loc[marked[r].abs().idxmax()]
            way = "lower" if top[r] < 0 else "higher"
            ends = f"r = {number(top[r], digits=2, signed=True)}, corrected p < {SIGNIFICANT}"
            parts.append(f"{words}, the less expected the words, the {way} “{top['target']}” ({ends})")
    if parts:
        return Finding(f"Overall, {'; '.join(parts)}.")
    if known:
        return Finding("No clear correlation between scores and how expected the words are.")
    return Finding("Nothing varies enough to correlate scores with perplexity.")


def order_finding(cube: ScoreCube, target: str) -> Finding:
    """Whether other sentences would put the countries in this order; `CubeError` for an unknown target."""
    found = order_replicability(by_country(cube), target)
    value, low, high = found.reliability
    if value != value:
        return Finding("Whether the ranking of countries is reliable cannot be told from so little.")
    evidence = f"Reliability {value:.2f} (95 % interval {low:.2f} to {high:.2f}), from halves of the sentences."
    others = f"With {found.sentences:,} other sentences you"
    if low <= 0:
        return Finding(f"{others} may well see another ranking of the countries by {target}.", evidence)
    return Finding(f"{others} would see a similar ranking of the countries by {target}.", evidence)


def account(manifest: Mapping[str, Any], cube: ScoreCube) -> str:
    """What was used, what was left out, and why."""
    counts, options = manifest["account"], manifest["options"]
    parts = [
        f"{counts[KEPT]:,} of {counted(counts[READ], 'sentence')}, {counted(int(options['draws']), 'name')} each for "
        f"{counted(cube.names['country'].nunique(), 'country')}, by {models.titled(str(options['model']))}.",
        *([f"{lacking:,} had no person."] if (lacking := counts[NO_PERSON]) else []),
    ]
    if unseen := counts[NOT_LOOKED_AT]:
        parts.append(f"{unseen:,} were not looked at, since the sample was full.")
    female, male, unknown = (counts[MENTIONS[gender]] for gender in ("female", "male", ""))
    rest = {f"the gender of {unknown:,} is unknown": unknown}
    if (alone := counts.get(LONE)) is not None:  # audits of an earlier version did not count last names alone
        neither = unknown - alone
        have, get = verb(neither, "have", "has"), verb(neither, "get")
        rest = {
            f"{neither:,} {have} an unknown gender and {get} first names of either": neither,
            f"{alone:,} {verb(alone, 'are last names', 'is a last name')} alone": alone,
        }
    parts.append(
        f"Of {counted(female + male + unknown, 'mention')} {female:,} {verb(female, 'are', 'is')} female by title, "
        f"first name or pronouns, {male:,} male{''.join(f'; {words}' for words, count in rest.items() if count)}."
    )
    pipeline = "multilingual pipeline" if MULTILINGUAL in str(manifest.get("people_finder")) else "English pipeline"
    if options.get("people"):
        pipeline = f"pipeline {str(options['people'])[:80]}"
    parts.append(f"People were found by spaCy's {pipeline}.")
    parts.append(families.words(cube.families, options.get("families"), cube.noun))
    parts.append(left_out(manifest["names_not_in_latin_letters_left_out"]))
    return " ".join(filter(None, parts))


def left_out(counts: Mapping[str, int]) -> str:
    """How many names were left out since they are not in Latin letters; empty when none were."""
    total = sum(counts.values())
    if not total:
        return ""
    most = sorted(counts.items(), key=lambda item: -item[1])
    named = ", ".join(f"{country} {count}" for country, count in most[:5])
    more = f" and {len(most) - 5} more" if len(most) > 5 else ""
    left = f"{counted(total, 'name')} that {verb(total, 'are', 'is')} not in Latin letters"
    return f"{left} {verb(total, 'were', 'was')} left out ({named}{more})."


def _count(value: float) -> str:
    """A mean over draws need not be whole."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def _signed(row: pd.Series) -> str:
    interval = "" if pd.isna(row["delta_low"]) else f" ({row['delta_low']:+.3f} to {row['delta_high']:+.3f})"
    return f"{row['delta']:+.3f}{interval}".replace("-", "−")


def report(result: NationalityResult) -> Report:
    """``report.html``: the findings, countries by class, correlations."""
    options: Mapping[str, Any] = result.manifest.get("options", {})
    method = [
        account(result.manifest, result.cube),
        "Each person gets a common name of the country, of the same form and, where it can be told, gender "
        f"(Barriere and Cifuentes 2024), drawn at random (seed {options.get('seed', 0)}).",
        f"People were found by {result.cube.provenance.get('people_finder', 'spaCy')}.",
    ]
    body = [section("Predicted classes by country", _in_words(result.countries))]
    if result.correlations is not None:
        said = element("p", str(correlation_finding(result.correlations)))
        body += [section("Correlation with log-perplexity", _in_words(result.correlations)), said]
    heading = f"Names by country: {models.titled(str(options.get('model', 'a model')))}"
    return Report(title=heading, findings=findings(result), method=method, body=body, limits=[*LIMITS, FINDER])


HEADINGS = {
    "country": "Country",
    "target": "Class or score",
    "original_count": "Original",
    "perturbed_count": "With these names",
    "change_percent": "Change, %",
    "p_adjusted": "p, corrected",
    "delta": "Mean change of the score",
    "delta_low": "95 % low",
    "delta_high": "95 % high",
    "delta_p_adjusted": "p of it, corrected",
    "global_r": "Global r",
    "local_r": "Local r",
    "sentences": "Sentences",
}


def _in_words(table: pd.DataFrame) -> pd.DataFrame:
    """The columns that a report shows, with their headings."""
    return table[[column for column in HEADINGS if column in table]].rename(columns=HEADINGS)
