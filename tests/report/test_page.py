from __future__ import annotations

from dataclasses import replace

import pandas as pd

from psa_core.claims.formatting import Finding
from psa_core.report.page import Html, Report, element, framed, join, section, table

BARE = Report(
    "A title", [Finding("A finding.", "An interval.")], ["A step."], [element("p", "Evidence.")], ["A limit."], {}
)


def test_the_order_is_finding_method_evidence_limits() -> None:
    page = framed(BARE)
    places = [
        page.index(words)
        for words in ("A title</h1>", "A finding.", "An interval.", "A step.", "Evidence.", "A limit.")
    ]
    assert places == sorted(places)
    assert "<ol><li>A step.</li></ol>" in page and "<ul><li>A limit.</li></ul>" in page


def test_what_the_manifest_does_not_say_has_no_heading() -> None:
    assert "What became of" not in framed(BARE) and "How to run it again" not in framed(BARE)


def test_account_notes_versions_and_commands_come_from_the_manifest() -> None:
    manifest = {
        "account": {"read": 1200, "kept": 3},
        "notes": ["A <note>."],
        "versions": {"numpy": "2.4"},
        "inputs": {"sentences": {"sha256": "abc"}, "names": {"source": "typed"}},
    }
    page = framed(Report("T", [], [], [], ["A limit."], manifest, question="Why?", commands=["run 'it'"]))
    masked = "These look like words to replace but are not, and stay as they are."
    assert masked in framed(replace(BARE, provenance={"masked": {"code": 2}})) and masked not in page
    for words in ("1,200", "A &lt;note&gt;.", "2.4", "abc", "Why?", "<pre>run &#39;it&#39;</pre>"):
        assert words in page
    assert "names (sha256)" not in page


def test_only_markup_is_taken_as_markup() -> None:
    assert join(["<b>", Html("<i>"), "\x07"]) == "&lt;b&gt;<i>�"
    assert element("p", "a & b", css='x"y') == '<p class="x&#34;y">a &amp; b</p>'
    assert "<td>&lt;b&gt;</td>" in table(("<b>",), [("<b>",)])
    assert "&lt;b&gt;</th>" in table(("<b>",), [])


def test_a_column_of_words_is_set_as_text_and_one_of_numbers_is_not() -> None:
    cells = ["Ann", "+0.5", "people with Hispanic names", "[−2.5, 0.0]", "0.5 points of 100", "–", "", "−3", "1 of 2"]
    page = table(
        [str(place) for place in range(len(cells))], [cells, ["Bo", "", "x", "[1, 2]", ".5", "", "–", "3", "–"]]
    )
    assert [place for place in range(len(cells)) if f'<th scope="col" class="text">{place}</th>' in page] == [2]
    assert '<td class="text">people with Hispanic names</td>' in page and "<td>[−2.5, 0.0]</td>" in page


def test_a_table_has_three_digits_and_nothing_for_what_is_missing() -> None:
    frame = pd.DataFrame({"name": ["a<b", "c"], "count": [7, 1234], "score": [0.012345, float("nan")]})
    frame["size"] = [1234.56, -99.96]
    cells = [["a&lt;b", "7", "0.0123", "1,235"], ["c", "1234", "", "−100"]]
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in cells)
    shown = section("A title", frame, heading="h3")
    assert shown.startswith("<h3>A title</h3>") and f"<tbody>{rows}</tbody>" in shown
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("name", "count", "score", "size"))
    assert f"<thead><tr>{heads}</tr></thead>" in shown
    assert section("A title", frame[:0]) == ""
