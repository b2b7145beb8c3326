"""The sentences of a nationality audit, whole, against tables made by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from psa_core.audits.nationality.perturbation import MULTILINGUAL
from psa_core.audits.nationality.report import (
    account,
    class_finding,
    correlation_finding,
    largest,
    left_out,
    score_finding,
)
from psa_core.audits.nationality.tables import OVERALL
from tests.pages import result_studies


def countries(*rows: dict[str, Any]) -> pd.DataFrame:
    usual = {
        "country": "France", "target": "hate", "original_count": 40, "perturbed_count": 50.0, "change_percent": 25.0,
        "change_low": 6.0, "change_high": 14.0, "p_adjusted": 0.049, "delta": 0.02, "delta_low": 0.01,
        "delta_high": 0.03, "delta_p_adjusted": 0.049,
    }  # fmt: skip
    return pd.DataFrame([usual | row for row in rows])


CORRECTED = "corrected for the number of countries and columns (Holm)."
FEWER = {"country": "Gambia", "perturbed_count": 29.5, "change_percent": -26.25, "change_low": -14.0, "change_high": -7}


def test_the_largest_change_of_a_class_that_is_beyond_chance() -> None:
    found = class_finding(countries({}, {"country": "Peru", "change_percent": 90.0, "p_adjusted": 0.05}), 1200)
    assert found.headline == "With names from France, 10 more sentences are predicted as hate."
    assert found.evidence == (
        "50 of 1,200 sentences are predicted as hate instead of 40 (95 % interval of the change 6 to 14, p = 0.049). 1 "
        f"of 2 changes are beyond chance, {CORRECTED}"
    )
    fewer = class_finding(countries({}, FEWER), 100)
    assert fewer.headline == "With names from the Gambia, 10.5 fewer sentences are predicted as hate."
    assert fewer.evidence.startswith("29.5 of 100 sentences are predicted as hate instead of 40 (95 % interval of the ")
    assert "the change 7 to 14, p" in fewer.evidence and "2 of 2 changes are" in fewer.evidence
    chance = class_finding(countries({"p_adjusted": 0.05}, FEWER | {"p_adjusted": 0.05}), 100)
    assert str(chance) == (
        "No clear difference: no country's names change the size of a predicted class beyond chance. The largest "
        "change: with names from the Gambia, 29.5 of 100 sentences are predicted as hate instead of 40; too few to "
        "tell."
    )
    nothing = class_finding(countries({"change_percent": 0.0}, {"change_percent": np.nan}), 100)
    assert str(nothing) == "No predicted class changes its size with the country of the names."


def test_a_class_of_ten_counts_and_one_of_nine_does_not() -> None:
    small = {"country": "Peru", "change_percent": 90.0, "p_adjusted": 0.9, "original_count": 9}
    usual = {"p_adjusted": 0.9}
    assert largest(countries(usual, small))["country"] == "France"
    assert largest(countries(usual, small | {"original_count": 10}))["country"] == "Peru"
    assert largest(countries(usual | {"original_count": 9}, small))["country"] == "Peru", "where all are small"


def test_the_countries_that_move_a_score_most_to_either_side() -> None:
    rows = (
        {},
        {"country": "Gambia", "delta": -0.03, "delta_low": -0.04, "delta_high": -0.02},
        {"country": "Peru", "delta": 0.9, "delta_p_adjusted": 0.05},
        {"country": "Chad", "delta": 0.01, "delta_low": np.nan},
    )
    found = score_finding(countries(*rows), ["hate"], 1200)
    assert found.headline == (
        "The mean hate score moves by −0.030 (−0.040 to −0.020) with names from the Gambia and by +0.020 (+0.010 to "
        "+0.030) with names from France."
    )
    assert found.evidence == (
        f"Over 1,200 sentences, with 95 % intervals; 3 of 4 countries move it beyond chance, {CORRECTED}"
    )
    alone = score_finding(countries(rows[0]), ["hate"], 1)
    assert alone.headline == "The mean hate score moves by +0.020 (+0.010 to +0.030) with names from France."
    assert alone.evidence.startswith("Over 1 sentence, with 95 % intervals; 1 of 1 country moves it beyond chance, ")
    none = score_finding(countries({"delta_p_adjusted": 0.05}, {"delta": -0.1, "delta_p_adjusted": 0.9}), ["hate"], 30)
    assert str(none) == (
        "No clear difference: no country's names are shown to move the hate score. The largest mean change over 30 "
        f"sentences: −0.100 (+0.010 to +0.030) with names from France; p = 0.9, {CORRECTED}"
    )
    untested = score_finding(countries({"delta_p_adjusted": np.nan}), ["hate"], 30)
    assert untested.evidence.endswith("with names from France.")


def correlations(**columns: Any) -> pd.DataFrame:
    row = {"country": OVERALL, "target": "hate", "local_r": 0.4, "local_p": 0.001, "sentences": 40}
    row |= {"original_r": np.nan, "original_p": np.nan}
    return pd.DataFrame([row | columns, row | columns | {"country": "France", "local_r": 0.9, "target": "joy"}])


WITHIN = "within one sentence, the less expected the words, the {} “hate” (r = {}, corrected p < 0.05)"
NO_CLEAR = "No clear correlation between scores and how expected the words are."


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (correlations(), f"Overall, {WITHIN.format('higher', '+0.40')}."),
        (correlations(local_r=-0.4), f"Overall, {WITHIN.format('lower', '−0.40')}."),
        (
            correlations(original_r=-0.5, original_p=0.04),
            f"Overall, {WITHIN.format('higher', '+0.40')}; "
            f"{WITHIN.format('lower', '−0.50').replace('within one sentence', 'across the original texts')}.",
        ),
        (correlations(local_p=0.05), NO_CLEAR),
        (correlations(sentences=5), NO_CLEAR),
        (correlations(sentences=6), f"Overall, {WITHIN.format('higher', '+0.40')}."),
        (correlations(local_r=np.nan, original_r=0.1, original_p=0.9), NO_CLEAR),
        (correlations(local_r=np.nan), "Nothing varies enough to correlate scores with perplexity."),
    ],
)
def test_correlations_with_perplexity(table: pd.DataFrame, said: str) -> None:
    assert str(correlation_finding(table)) == said


def test_names_that_were_left_out() -> None:
    assert left_out({}) == left_out({"Peru": 0}) == ""
    assert left_out({"Peru": 1}) == "1 name that is not in Latin letters was left out (Peru 1)."
    six = {"Peru": 1, "Chad": 6, "Mali": 5, "Togo": 4, "Fiji": 3, "Cuba": 2}
    assert left_out(six) == (
        "21 names that are not in Latin letters were left out (Chad 6, Mali 5, Togo 4, Fiji 3, Cuba 2 and 1 more)."
    )
    assert left_out({key: six[key] for key in list(six)[:5]}).endswith("(Chad 6, Mali 5, Togo 4, Fiji 3, Peru 1).")


def test_the_account_of_what_was_used_and_left_out() -> None:
    cube = result_studies.cube(14)
    cube = replace(cube, names=cube.names.assign(country=["France", "Peru"] * 6))
    counts = {"read": 1200, "kept": 14, "no person found": 180, "not looked at: the sample was full": 6}
    counts |= {"mentions, female gender": 1, "mentions, male gender": 7, "mentions, unknown gender": 9}
    manifest = {"account": counts, "options": {"draws": 1, "model": "vader"}, "people_finder": "en_core_web_sm"}
    manifest |= {"names_not_in_latin_letters_left_out": {"Peru": 2}}
    begin = (
        "14 of 1,200 sentences, 1 name each for 2 countries, by VADER. 180 had no person. 6 were not looked at, since "
        "the sample was full. Of 17 mentions 1 is female by title, first name or pronouns, 7 male; "
    )
    unknown, end = "the gender of 9 is unknown. ", "2 names that are not in Latin letters were left out (Peru 2)."
    english, other = "People were found by spaCy's English pipeline. ", "People were found by spaCy's {} pipeline. "
    assert account(manifest, cube) == begin + unknown + english + end
    alone = counts | {"mentions, unknown gender, last name alone": 4}
    lone = "5 have an unknown gender and get first names of either; 4 are last names alone. "
    assert account(manifest | {"account": alone}, cube) == begin + lone + english + end
    many = account(manifest | {"people_finder": f"spaCy {MULTILINGUAL}"}, cube)
    assert many == begin + unknown + other.format("multilingual") + end
    own = account(manifest | {"options": {"draws": 3, "model": "vader", "people": "mine"}}, cube)
    assert own.endswith("People were found by spaCy's pipeline mine. " + end) and "3 names each" in own
    full = account(manifest | {"account": counts | {"not looked at: the sample was full": 0}}, cube)
    assert "not looked at" not in full
    nobody = counts | {
        "no person found": 0,
        "mentions, unknown gender": 0,
        "mentions, unknown gender, last name alone": 0,
    }
    everyone = account(manifest | {"account": nobody}, cube)
    assert " 0 " not in everyone and "by title, first name or pronouns, 7 male. People were" in everyone
    one = nobody | {"mentions, unknown gender": 2, "mentions, unknown gender, last name alone": 1}
    assert "7 male; 1 has an unknown gender and gets first names of either; 1 is a last name alone. " in account(
        manifest | {"account": one}, cube
    )
