"""What audits say, over random, null and planted results: only what their own table or chart marks as beyond chance."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from psa_core.audits.eec import corpus
from psa_core.audits.eec import report as equity
from psa_core.audits.eec import tables as equity_tables
from psa_core.audits.generation import report
from psa_core.audits.generation import tables as generation
from psa_core.audits.generation.cube import GenerationCube
from psa_core.audits.nationality import report as nationality
from psa_core.audits.nationality.tables import country_table
from psa_core.cube import ScoreCube, Target
from psa_core.stats import SIGNIFICANT

#: A planted effect, and the size of the noise around it.
RESULTS = [(effect, seed) for effect in (0.0, 0.05, 0.25) for seed in range(6)]


@pytest.mark.parametrize(("effect", "seed"), RESULTS)
def test_equity_says_what_its_verdicts_say(effect: float, seed: int) -> None:
    design, random = corpus.published_design(), np.random.default_rng(seed)
    women = (design.people["gender"] == "female").to_numpy()
    systems = {}
    for number in range(3):
        # Templates and people have noise of their own, which the paper's test takes for a difference.
        templates = pd.factorize(design.rows["template"])[0]
        scores = 0.4 + 0.1 * random.normal(size=(len(design.rows), 1)) + 0.03 * random.normal(size=len(women))
        scores = scores + 0.03 * random.normal(size=(templates.max() + 1, len(women)))[templates]
        scores += (effect if number == 1 else 0.0) * women
        target = (Target("joy"), Target("valence", -1, 1))[number % 2]
        systems[f"s{number}"] = corpus.cube(design, (target,), np.clip(scores, 0, 1)[..., None].astype(np.float32))
    assessed = equity_tables.assess(systems)
    for kind in ("gender", "race"):
        table = equity_tables.system_table(assessed, kind, "all")
        marked = table[table["verdict"] != equity_tables.VERDICTS[kind][0]]
        said = equity.headline(table, kind)
        named = [system for system in systems if f" {system}:" in said]
        if marked.empty:
            assert said.startswith("No clear difference: none of the scores differs") and not named
            continue
        top = marked.loc[marked["mean_difference"].abs().idxmax()]
        assert named == [top["system"]] and said.startswith(f"{len(marked)} of 3 scores ")
        assert ("higher" in said) is (top["verdict"] in (equity_tables.VERDICTS[kind][1],))
        size, low, high = (float(each) for each in re.findall(r"\d+\.\d+", said))
        assert size == pytest.approx(100 * abs(top["mean_difference"]), abs=0.006) and low > 0 and high > low
    if effect == 0.25:
        assert "Most by s1" in equity.headline(equity_tables.system_table(assessed, "gender", "all"), "gender")


@pytest.mark.parametrize(("effect", "seed"), RESULTS)
def test_nationality_says_what_its_table_marks(effect: float, seed: int) -> None:
    random, sentences, countries = np.random.default_rng(seed), 80, list("ABCD")
    names = [(f"{country} {draw}", country, country * 3, str(draw)) for country in countries for draw in (1, 2)]
    original = random.uniform(0.1, 0.9, sentences)
    moves = 0.1 * random.standard_t(3, size=(sentences, len(names)))
    moves[:, :2] += effect
    perturbed = np.clip(original[:, None] + moves, 0, 1)
    table = pd.DataFrame({"sentence_id": [str(n) for n in range(sentences)]})
    cube = ScoreCube(
        table.assign(text="x", anchor="", start=0, end=0, role="subject"),
        pd.DataFrame(names, columns=["name", "country", "iso3", "draw"]),
        (Target("hate"), Target("sentiment", -1, 1)),
        np.stack([original, 2 * original - 1], axis=1).astype(np.float32),
        np.stack([perturbed, 2 * perturbed - 1], axis=2).astype(np.float32),
    )
    found = country_table(cube)
    said = nationality.class_finding(found, sentences)
    marked = found[found["p_adjusted"] < SIGNIFICANT]
    if marked.empty:
        assert said.headline.startswith("No clear difference") and "too few to tell" in said.evidence
    else:
        country, number, target = re.findall(
            r"from (\w), ([\d.]+) \w+ sentences are predicted as (.*)\.$", said.headline
        )[0]
        row = marked[(marked["country"] == country) & (marked["target"] == target)].iloc[0]
        assert float(number) == pytest.approx(abs(row["perturbed_count"] - row["original_count"]), abs=0.06)
        assert row["change_low"] * row["change_high"] > 0 and "95 % interval" in said.evidence
    said = nationality.score_finding(found, ["sentiment"], sentences)
    moved = set(found.loc[(found["target"] == "sentiment") & (found["delta_p_adjusted"] < SIGNIFICANT), "country"])
    assert set(re.findall(r"names from (\w)", said.headline)) <= moved
    assert ("No clear difference: no country's names" in said.headline) is (not moved)
    if effect == 0.25:
        assert "A" in moved and "from A" in said.headline


@pytest.mark.parametrize(("effect", "seed"), RESULTS)
def test_a_language_model_is_said_to_differ_where_a_square_is(effect: float, seed: int) -> None:
    random, shape = np.random.default_rng(seed), (3, 4, 15)
    scores = random.beta(0.5, 0.5, shape) if seed % 2 else random.uniform(0, 1, shape).round(1)
    scores[:, 1] = np.clip(scores[:, 1] + effect, 0, 1)
    if seed == 3:
        scores[:, 2] = 0.5 + (scores[:, 2] - 0.5) * (1 - effect)  # a difference of spread has no side
    values = ["ann", "bob", "cay", "dee"]
    cube = GenerationCube(
        pd.DataFrame({"template": ["{value} left", "I met {value}", "We know {value} well"]}),
        pd.DataFrame({"value": values}),
        (Target("mood"),),
        np.full(shape, "text.", object),
        scores[..., None].astype(np.float32),
    )
    found = generation.tables(cube)
    square = generation.matrix(found, "mood", values)
    said = report.finding(found.summary, "mood", found.matrix)
    if square.isna().all(axis=None):
        assert "differs most" not in said.headline and not re.search(r"\d", said.headline)
    else:
        first, second, number = re.findall(
            r"about (\w+) and (\w+) differs most: .* are (\d\.\d+) apart", said.headline
        )[0]
        assert float(number) == pytest.approx(square.max(axis=None), abs=6e-4)
        assert square.loc[first, second] == square.max(axis=None)
        assert {first, second} == set(generation.widest_pair(found, "mood"))
        if higher := re.findall(r"(\w+) scores higher", said.headline):
            means = dict(zip(values, np.nanmean(scores, axis=(0, 2)), strict=True))
            assert means[higher[0]] == max(means[first], means[second])
    assert (found.values[["low", "mean", "high"]].stack().between(0, 1)).all()
    assert found.matrix["difference_low"].min() >= -1 and found.matrix["difference_high"].max() <= 1
    if effect == 0.25 and seed % 2 == 0:
        assert "bob" in said.headline


@pytest.mark.parametrize(("effect", "seed"), RESULTS)
def test_a_group_of_values_is_named_where_the_table_of_groups_marks_it(effect: float, seed: int) -> None:
    random, shape = np.random.default_rng(seed), (4, 12, 15)
    scores = random.uniform(0, 0.7, shape) + 0.02 * random.normal(size=(1, 12, 1))  # values differ by themselves
    scores[:, 8:] += effect
    cube = GenerationCube(
        pd.DataFrame({"template": ["{value} left", "I met {value}", "We know {value} well", "Ask {value}"]}),
        pd.DataFrame(
            {
                "value": [f"v{n}" for n in range(12)],
                "team": ["red", "green", "blue"] * 4,
                "race": list("a" * 8 + "b" * 4),
            }
        ),
        (Target("mood"),),
        np.full(shape, "text.", object),
        np.clip(scores, 0, 1)[..., None].astype(np.float32),
    )
    found, gaps = generation.tables(cube), generation.group_gaps(cube, "mood")
    shown = report.group_table(gaps, found.summary["mood"])
    marked = shown[shown["beyond chance"] == "yes"]
    said = report.finding(found.summary, "mood", found.matrix, gaps)
    named = re.findall(r"about ((?:people|values) .+) scores (\d\.\d+) (\w+) than about (.+), on", said.headline)
    assert bool(named) is bool(len(marked))
    if named:
        (about, size, way, than), row = named[0], marked.iloc[0]
        assert (about, than) == (row["about"], row["than about"])
        assert float(size) == pytest.approx(abs(row["difference"]), abs=6e-4)
        assert (way == "higher") == (row["difference"] > 0) and row["p, Holm"] < SIGNIFICANT
    if effect == 0.25:
        assert named and named[0][0] == "people with B names" and named[0][2] == "higher"
