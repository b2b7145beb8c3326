"""What changed since an earlier result, for a pull request: Markdown, and JUnit XML for whatever counts tests."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.etree import ElementTree

import pandas as pd

from psa_core.charts.caption import NOT_XML
from psa_core.claims.comparison import change_finding
from psa_core.plurals import counted
from psa_core.stats import SIGNIFICANT
from psa_core.study import families, perturbation_of
from psa_core.tables import MatchedCubes, new_flips

SHOWN_NAMES, SHOWN_FLIPS, MAX_LENGTH = 20, 5, 400


def markdown(pair: MatchedCubes, changes: Mapping[str, pd.DataFrame], *, limit: float) -> str:
    """A verdict, and for each target the names that changed and five new flips; `changes` by `tables.change_table`."""
    failed = any(table["above"].any() for table in changes.values())
    sentences, names, _ = pair.first.shape
    unmatched = {"sentence": pair.unmatched_sentences, "name": pair.unmatched_names}
    lacking = [counted(count, what) for what, count in unmatched.items() if count]
    together = families.words(pair.first.families, pair.first.asked.get("families"), pair.first.noun)
    lines = [
        f"## Perturbation sensitivity: {'failed' if failed else 'passed'}",
        "",
        f"{counted(sentences, 'sentence')} × {counted(names, 'name')}, in both results. Limit: a name's effect on the "
        f"mean score may be {limit:g} further from 0 than before.",
        *([f"Not in the baseline, so not judged: {' and '.join(lacking)}."] if lacking else []),
        *([together] if together else []),
    ]
    for target, table in changes.items():
        lines += [
            "",
            f"### {_code(target)}",
            "",
            str(change_finding(table, limit)),
            *_names(table),
            *_flips(pair, target, table),
        ]
    return "\n".join(lines) + "\n"


def junit(changes: Mapping[str, pd.DataFrame], *, limit: float) -> str:
    """One test suite a target, one test a name."""
    suites = ElementTree.Element("testsuites", name="psa gate")
    for target, table in changes.items():
        counts = {"tests": str(len(table)), "failures": str(int(table["above"].sum())), "errors": "0"}
        suite = ElementTree.SubElement(suites, "testsuite", {"name": _printable(target), **counts})
        for row in table.to_dict("records"):
            attributes = {"classname": f"psa.{_printable(target)}", "name": _printable(str(row["name"]))}
            case = ElementTree.SubElement(suite, "testcase", attributes)
            if row["above"]:
                message = f"effect {row['before']:+.4f} before, {row['now']:+.4f} now: grown by more than {limit:g}"
                ElementTree.SubElement(case, "failure", message=message, type="sensitivity").text = (
                    f"change {row['change']:+.4f}, 95 % interval {row['low']:+.4f} to {row['high']:+.4f}; "
                    f"corrected p = {row['p_above']:.2g}"
                )
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _names(table: pd.DataFrame) -> list[str]:
    shown = table[(table["p_change"] < SIGNIFICANT) | table["above"]]
    shown = shown.sort_values("change", key=abs, ascending=False, kind="stable")
    shown = shown.sort_values("above", ascending=False, kind="stable").head(SHOWN_NAMES)
    if shown.empty:
        return []
    rows = [
        f"| {_code(str(row['name'])).replace('|', chr(92) + '|')} | {row['before']:+.4f} | {row['now']:+.4f} "
        f"| {row['change']:+.4f} [{row['low']:+.4f}, {row['high']:+.4f}] | {row['p_change']:.2g} "
        f"| {'**above**' if row['above'] else ''} |"
        for row in shown.to_dict("records")
    ]
    heading = "| name | before | now | change, 95 % interval | p (Holm) | the limit |"
    return ["", heading, "|---|---|---|---|---|---|", *rows]


def _flips(pair: MatchedCubes, target: str, table: pd.DataFrame) -> list[str]:
    """Those of names that are above the limit come first, then by size."""
    flips = new_flips(pair, target)
    if not len(flips):
        return []
    above = table["above"].to_numpy()
    rows = flips.frame()
    rows = rows.assign(above=above[rows["name_position"]]).sort_values("above", ascending=False, kind="stable")
    texts, before = perturbation_of(pair.first), pair.second.scores(target)[1]
    lines = [
        f"- {_code(texts.text(int(row['sentence_position']), int(row['name_position'])))} with "
        f"{_code(str(row['name']))}: {row['original']:.3f} → {row['perturbed']:.3f} "
        f"(before {before[row['sentence_position'], row['name_position']]:.3f})"
        for row in rows.head(SHOWN_FLIPS).to_dict("records")
    ]
    shown = f"{len(lines)} of {len(flips):,}" if len(flips) > len(lines) else f"{len(flips)}"
    return ["", f"Labels that the name changes now and did not before ({shown}):", "", *lines]


def _code(text: str) -> str:
    """A text as a Markdown code span, in which nothing is markup, a link or somebody's name."""
    line = " ".join(_printable(text).split())
    line = line if len(line) <= MAX_LENGTH else line[: MAX_LENGTH - 1] + "…"
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    pad = " " if line[:1] == "`" or line[-1:] == "`" else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def _printable(text: str) -> str:
    return NOT_XML.sub("\ufffd", text)
