from __future__ import annotations

from psa_core.claims.formatting import Finding
from psa_core.report.page import Html, Report, element, framed, join, table

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
    for words in ("1,200", "A &lt;note&gt;.", "2.4", "abc", "Why?", "<pre>run &#39;it&#39;</pre>"):
        assert words in page
    assert "names (sha256)" not in page


def test_only_markup_is_taken_as_markup() -> None:
    assert join(["<b>", Html("<i>"), "\x07"]) == "&lt;b&gt;<i>�"
    assert element("p", "a & b", css='x"y') == '<p class="x&#34;y">a &amp; b</p>'
    assert "<td>&lt;b&gt;</td>" in table(("<b>",), [("<b>",)])
    assert "&lt;b&gt;</th>" in table(("<b>",), [])
