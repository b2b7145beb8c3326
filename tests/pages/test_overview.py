"""Overview: the finding, its groups, three sentences, the reason and the doubt stand on one page, each with its n."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.results import study_model
from psa_core import jobs, tables
from psa_core.claims import comparison, findings
from psa_core.claims.groups import group_finding
from psa_core.study import StudySpec, execute, plan
from psa_core.tables import pairs
from tests.pages import result_studies

OpenPage = Callable[..., AppTest]
Words = Callable[[AppTest], str]


def test_it_says_the_finding_the_groups_the_labels_and_the_doubt(open_page: OpenPage, words_of: Words) -> None:
    cube = result_studies.cube()
    said = words_of(open_page("study", run=result_studies.keep()))
    claims = [
        findings.name_finding(tables.name_table(cube, "toxicity"), "toxicity"),
        comparison.replicability_finding(pairs.order_replicability(cube, "toxicity"), "toxicity"),
        findings.sentence_finding(tables.sentence_table(cube, "toxicity"), "toxicity", threshold=0.5),
        *(
            group_finding(tables.group_table(cube, "toxicity", column), "toxicity", column=column)
            for column in ("gender", "career")
        ),
    ]
    for claim in claims:
        assert html.escape(claim.headline) in said and html.escape(claim.evidence) in said, claim.headline
    places = [said.index(header) for header in ("Groups of names", "Changed labels", "Because", "What to do")]
    assert places == sorted(places)


def test_that_families_are_too_few_is_said_once(open_page: OpenPage, words_of: Words) -> None:
    cube = result_studies.cube()
    alike = replace(cube, sentences=cube.sentences.assign(family=np.arange(40) % 5))
    page = open_page("study", run=result_studies.keep(alike))
    (banner,) = page.info
    few = "40 sentences in 5 families are too few to say anything. Results come from 12 families on."
    assert not page.exception and banner.value == few and few not in words_of(page)


def test_the_reason_is_scored_without_being_asked_for(open_page: OpenPage, words_of: Words) -> None:
    spec = StudySpec(sentences="sample", names="demo", model="profanity-check", sample=40)
    from psa_core import models

    run_id = jobs.keep(execute(plan(spec), models.load(spec.model)), lambda _: "")
    said = words_of(open_page("study", run=run_id))
    while "are being scored one by one" in said:
        said = words_of(open_page("study", run=run_id))
    assert "12 sampled sentences, each part alone in the name" in said


def test_a_model_that_only_a_file_names_is_not_asked_for_the_reason(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study_model, "score", lambda *_: pytest.fail("it was asked"))
    cube = result_studies.cube()
    named = {**cube.provenance, "study": {**cube.provenance["study"], "model": "http://127.0.0.1:9/"}}
    open_page("study", run=result_studies.keep(replace(cube, provenance=named)))
