"""The report: whole, self-contained, escaped, and true to the tables."""

from __future__ import annotations

import html
import re
import shlex
from dataclasses import asdict, replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from markupsafe import escape

from psa_core import report, study, tables
from psa_core.claims import findings
from psa_core.cube import ScoreCube, Target
from psa_core.inputs.groups import grouping
from psa_core.report._sections import MAX_GROUPS, command_line
from psa_core.study import StudySpec
from psa_core.tables.floors import edit_table

EVIL = "<script>alert('x')</script>"


@pytest.fixture(scope="module")
def cube() -> ScoreCube:
    random = np.random.default_rng(1)
    original = random.uniform(0.1, 0.9, (50, 1))
    perturbed = np.clip(original[:, None] + random.normal(0, 0.1, (50, 8, 1)), 0, 1)
    sentences = pd.DataFrame(
        {"sentence_id": [f"s{i}" for i in range(50)], "text": [f"He ran {i} miles." for i in range(50)]}
    )
    sentences.loc[0, "text"] = f"He said {EVIL} & left."
    names = pd.DataFrame({"name": [EVIL, *(f"n{i}" for i in range(7))], "gender": ["f", "m"] * 4})
    provenance = {
        "study": asdict(StudySpec(sentences="my file.csv", names="demo", model="vader")),
        "account": {"read": 60, "no anchor": 10, "kept": 50},
        "notes": [f"A note with {EVIL}"],
        "versions": {"psa_core": "0.1.0"},
        "fingerprint": "vader-3.3.2",
        "inputs": {"sentences": {"source": "my file.csv", "sha256": "abc"}},
    }
    return ScoreCube(
        sentences.assign(anchor="He", start=0, end=2, role="subject"),
        names,
        (Target("toxicity", meaning="more toxic"),),
        original.astype(np.float32),
        perturbed.astype(np.float32),
        provenance,
    )


@pytest.fixture(scope="module")
def page(cube: ScoreCube) -> str:
    return report.render(cube)


@pytest.mark.slow
def test_only_several_sentences_have_intervals(cube, page):
    assert "95 % interval over sentences" in page and "One sentence has no interval." not in page
    alone = report.render(cube.rows(np.arange(50) == 0))
    assert "One sentence has no interval." in alone and "95 % interval over sentences." not in alone


class Tags(HTMLParser):
    """Every tag and attribute of a page; insists that what is opened is closed."""

    VOID = frozenset({"meta", "br"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.attributes: list[tuple[str, str, str]] = []
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs] or [(tag, "", "")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_nothing_is_fetched_or_run(page: str) -> None:
    tags = Tags(page)
    assert not {tag for tag, _, _ in tags.attributes} & {
        "script",
        "img",
        "iframe",
        "link",
        "image",
        "object",
        "form",
        "a",
    }
    for _, name, value in tags.attributes:
        assert not name.startswith("on") and name not in ("src", "href", "xlink:href")
        assert "url(" not in value or re.fullmatch(r"url\(#\w+\)", value)
    assert "//" not in re.sub(r"<script>.*?</script>", "", html.unescape(page)).replace("</", "")
    assert "default-src 'none'" in page


def test_user_text_is_escaped(page: str) -> None:
    assert "<script" not in page
    assert escape(EVIL) in page


def test_it_says_what_the_tables_say(cube: ScoreCube, page: str) -> None:
    numbers = tables.summary(cube)["toxicity"]
    corpus = findings.corpus_finding(numbers, "toxicity")
    names = tables.name_table(cube, "toxicity")
    for words in (corpus.headline, corpus.evidence, str(findings.name_finding(names, "toxicity"))):
        assert escape(words) in page
    assert f"({len(tables.find_flips(cube, 'toxicity')):,} in all)" in page
    assert f"{numbers['score_dev']['value']:.3f}<small>{numbers['score_dev']['low']:.3f} to" in page


def test_flips_are_of_ten_different_sentences(page: str) -> None:
    swapped = re.findall(r"<td><del>He</del><mark>(.*?)</mark> (.*?)</td>", page)
    assert len(swapped) == 10 == len({rest for _, rest in swapped})


def test_account_reproduction_and_limits(page: str) -> None:
    assert "without a word to replace" in page and "vader-3.3.2" in page and "abc" in page
    assert "--sentences &#39;my file.csv&#39;" in page
    assert "perturbation sensitivity" in page and escape(f"A note with {EVIL}") in page


def test_masked_expressions_and_the_accuracy_of_entities(cube: ScoreCube, page: str) -> None:
    known = {"masked": {"code": 1234, EVIL: 1}, "anchors": {"spec": "entities:PERSON", "fingerprint": "x"}}
    said = report.render(replace(cube, provenance={**cube.provenance, **known}))
    assert "1,234" in said and escape(EVIL) in said and "46 %" in said
    assert "look like words to replace" not in page and "46 %" not in page
    Tags(said)


def test_a_cube_without_provenance_groups_or_flips(cube: ScoreCube) -> None:
    flat = cube.original[:, None].repeat(8, axis=1)
    bare = replace(cube, perturbed=flat, names=cube.names[["name"]], provenance={})
    page = report.render(bare)
    assert "No label changes at the threshold 0.5." in page
    assert "--from-manifest" in page
    Tags(page)


@pytest.mark.parametrize("sentences, names", [(1, 1), (1, 2), (2, 1)])
def test_the_smallest_studies(cube: ScoreCube, sentences: int, names: int) -> None:
    small = replace(
        cube.rows(np.arange(sentences)),
        names=cube.names.iloc[:names],
        perturbed=cube.perturbed[:sentences, :names],
    )
    Tags(report.render(small))


def test_a_study_of_few_sentences_or_families_says_so_at_the_head(cube: ScoreCube, page: str) -> None:
    few = "are too few to say anything. Results come from 12"
    assert few not in page.partition("<h2>")[0]
    small, families = cube.rows(np.arange(8)), cube.sentences.assign(family=np.arange(50) % 5)
    assert f"<strong>8 sentences {few} on." in report.render(small).partition('class="finding"')[0]
    alike = report.render(replace(cube, sentences=families)).partition('class="finding"')[0]
    assert f"<strong>50 sentences in 5 families {few} families on." in alike


def test_control_characters_are_not_printed(cube: ScoreCube) -> None:
    strange = cube.sentences.assign(text="He rang\x07 twice 😀.")
    page = report.render(replace(cube, sentences=strange))
    assert "\x07" not in page and "😀" in page


def test_every_target_has_its_section(cube: ScoreCube) -> None:
    both = replace(
        cube,
        targets=(Target("toxicity"), Target("calm")),
        original=np.concatenate([cube.original, 1 - cube.original], axis=1),
        perturbed=np.concatenate([cube.perturbed, 1 - cube.perturbed], axis=2),
    )
    page = report.render(both)
    assert "Target: toxicity" in page and "Target: calm" in page
    assert page.count("<figure>") == 4 and "more target" not in page
    one = report.render(both, ["calm"])
    assert "Target: calm" in one and "Target: toxicity" not in one
    assert "Figures, changed labels and statistics of 1 more target are in the study's folder." in html.unescape(one)


def test_command_line_gives_the_same_study() -> None:
    import argparse

    from psa_core import options

    spec = StudySpec(
        sentences="my file.csv",
        names="demo",
        model="vader",
        balance=True,
        sample=7,
        anchors="terms:he,she",
        name_column="full name",
    )
    parser = argparse.ArgumentParser()
    options.add_arguments(parser, StudySpec)
    parser.add_argument("--out")
    words = shlex.split(command_line(spec))
    assert words[:2] == ["psa", "run"]
    given = vars(parser.parse_args(words[2:]))
    assert StudySpec(**{name: given[name] for name in options.fields_of(StudySpec)}) == spec


def test_group_columns_sort_names_into_a_few_groups() -> None:
    names = pd.DataFrame(
        {
            "name": list("abcd"),
            "pair": ["x", "x", "y", "y"],
            "one": "z",
            "each": list("abcd"),
            "gaps": ["x", "x", None, "y"],
            "alone": ["x", "", None, "y"],
        }
    )
    assert grouping(names, most=MAX_GROUPS) == ["pair", "gaps"]


@pytest.mark.parametrize("asked", ["gender*career", "gender", ""])
def test_crossed_groups_have_their_own_table_where_two_columns_are_asked_for(cube: ScoreCube, asked: str) -> None:
    study = dict(cube.provenance["study"]) | {"groups": asked, "select": "threshold"}
    names = cube.names.assign(career=["actor", "actor", "leader", "leader"] * 2)
    said = report.render(replace(cube, names=names, provenance={**cube.provenance, "study": study}))
    titles = re.findall(r'<th scope="col">([^<]*) \(names\)</th>', said)
    crossed = ["gender × career"] if "*" in asked else []
    assert titles == ["gender", "career", *crossed] * 2, "once for differences, once for selection rates"


def test_a_name_without_a_test_leaves_the_others_their_marks(cube: ScoreCube) -> None:
    perturbed = cube.perturbed.copy()
    perturbed[1:, 1] = np.nan
    missing = {"toxicity": {"no valid answer": 49}}
    answered = replace(cube, perturbed=perturbed, provenance={**cube.provenance, "missing": missing})
    assert np.isnan(tables.name_table(answered, "toxicity")["p_adjusted"]).sum() == 1
    said = report.render(answered)
    assert "full colour: adjusted p &lt; 0.05. Whiskers: 95 % interval over sentences." in said


def test_two_sentences_say_how_many_would_be_needed(cube: ScoreCube) -> None:
    assert "would be needed" in report.render(cube.rows(np.arange(2)))


def test_neutral_edits_are_listed_behind_a_click() -> None:
    edited = study.run(sentences="sample", names="demo", model="keyword:Rihanna=0.4", sample=14, controls=3)
    said, edits = report.render(edited), edit_table(edited, "toxicity")
    assert "<summary>The 20 edits with the largest change</summary>" in said and len(edits) > 20
    assert f"<td>{escape(edits['edit'][0])}</td>" in said


def test_the_names_table_goes_from_the_highest_to_the_lowest_effect(page: str, cube: ScoreCube) -> None:
    rows = re.findall(r"<tr><td>([^<]*)</td><td>([+−][\d.]+)</td>", page.split("<h3>Statistics</h3>")[1])
    effects = [float(effect.replace("−", "-")) for _, effect in rows]
    assert len(effects) == len(cube.names) and effects == sorted(effects, reverse=True)


def test_a_group_of_one_name_has_no_impact_ratio(cube: ScoreCube) -> None:
    names = cube.names.assign(gender=["x", *["f", "m"] * 3, "f"])
    study = dict(cube.provenance["study"]) | {"select": "threshold"}
    said = report.render(replace(cube, names=names, provenance={**cube.provenance, "study": study}))
    rates = said.split("<h3>Selection rates</h3>")[1]
    ratios = dict(re.findall(r"<tr><td>(\w) \(\d\)</td><td>[^<]*</td><td>[^<]*</td><td>([^<]*)</td>", rates))
    assert ratios.pop("x") == "one name"
    best, other = sorted(ratios.values(), key=len)
    assert best == "1.00" and "95 % interval" in other
