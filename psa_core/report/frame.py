"""The frame of every ``report.html``, whatever kind of result it shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from psa_core.claims.formatting import Finding
from psa_core.report.markup import Html, element, join, listing, page, table

MASKED = "These look like anchors but are not; no name was put in their place."


@dataclass(frozen=True)
class Report:
    """What a kind of result has to say, in the order in which it is said.

    A ``caution`` stands before the findings where they rest on too little. ``limits`` say what the numbers do not; the
    notes of the ``provenance`` (the manifest) follow. ``commands`` run it again, with comments between. Question,
    caution and commands may be empty.
    """

    title: str
    findings: Sequence[Finding]
    method: Sequence[str]
    body: Sequence[Html]
    limits: Sequence[str]
    provenance: Mapping[str, Any] = field(default_factory=dict)
    question: str = ""
    caution: str = ""
    commands: Sequence[str] = ()


def framed(report: Report) -> str:
    """The text of ``report.html``: a whole document without script or reference to another file or address."""
    parts = [
        element("h1", report.title),
        element("p", report.question, css="question") if report.question else Html(""),
        element("p", element("strong", report.caution)) if report.caution else Html(""),
        *(finding_html(finding, css="finding") for finding in report.findings),
        element("h2", "Method"),
        listing(report.method, ordered=True),
        *report.body,
        element("h2", "Limits"),
        listing([*report.limits, *map(str, report.provenance.get("notes", ()))]),
        _account(report.provenance),
        _reproduction(report.commands, report.provenance),
    ]
    return page(report.title, join(parts))


def finding_html(finding: Finding, css: str = "") -> Html:
    """A finding in plain words, and beneath it how sure it is."""
    evidence = element("p", finding.evidence, css="small") if finding.evidence else Html("")
    return join([element("p", finding.headline, css=css), evidence])


def _account(provenance: Mapping[str, Any]) -> Html:
    """What became of every sentence that was read, and which expressions only look like anchors."""
    parts = []
    if counts := provenance.get("account", {}):
        parts = [element("h2", "What became of the sentences"), _counts(counts)]
    if masked := provenance.get("masked", {}):
        parts += [element("p", MASKED), _counts(masked)]
    return join(parts)


def _counts(counts: Mapping[str, int]) -> Html:
    return table(("What", "Count"), [[str(reason), f"{count:,}"] for reason, count in counts.items()])


def _reproduction(commands: Sequence[str], provenance: Mapping[str, Any]) -> Html:
    """The command that runs it again, and what it ran on."""
    hashes = {f"{what} (sha256)": source.get("sha256") for what, source in provenance.get("inputs", {}).items()}
    facts = {"scorer": provenance.get("fingerprint"), **hashes, **provenance.get("versions", {})}
    rows = [[key, str(value)] for key, value in facts.items() if value]
    parts = []
    if commands:
        same = "The same inputs, model, seed and versions give the same numbers."
        parts = [element("pre", *commands), element("p", same, css="small")]
    parts += [table(("What", "Version or hash"), rows, css="words")] if rows else []
    return join([element("h2", "How to run it again"), *parts]) if parts else Html("")
