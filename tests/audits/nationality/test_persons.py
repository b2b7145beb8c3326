"""The multilingual pipeline is used where it is installed, the English one elsewhere."""

import sys

import pytest

from psa_core.anchors import _spacy
from psa_core.audits.nationality import perturbation as persons


@pytest.fixture
def pipeline(tmp_path, monkeypatch):
    """A package by the pipeline's name that knows one person and one place."""
    import spacy

    language = spacy.blank("xx")
    ruler = language.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "PER", "pattern": "Ada Byron"}, {"label": "LOC", "pattern": "Paris"}])
    package = tmp_path / persons.MULTILINGUAL
    language.meta.update({"name": "ent_wiki_sm", "version": "9.9.9"})
    language.to_disk(package)
    (package / "__init__.py").write_text(
        "import spacy\n\ndef load(**options):\n    return spacy.util.load_model_from_path(__import__('pathlib')"
        ".Path(__file__).parent, **options)\n"
    )
    info = tmp_path / f"{persons.MULTILINGUAL}-9.9.9.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {persons.MULTILINGUAL}\nVersion: 9.9.9\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for cached in (_spacy._pipeline, _spacy.pipeline):
        cached.cache_clear()
    sys.modules.pop(persons.MULTILINGUAL, None)


def test_the_multilingual_pipeline_where_it_is_installed(pipeline):
    finder = persons.people_finder()
    assert finder.spec == "entities:PERSON?pipeline=xx_ent_wiki_sm"
    found = finder.find(["Hier soir, Ada Byron dansait à Paris.", "Rien."])
    assert [(anchor.start, anchor.end) for anchor in found[0]] == [(11, 20)]
    assert found[1] == ()


def test_the_english_pipeline_elsewhere():
    finder = persons.people_finder()
    assert finder.spec == "entities:PERSON"
    text = "I met Susan Miller yesterday."
    (anchor,) = finder.find([text])[0]
    assert text[anchor.start : anchor.end] == "Susan Miller"
