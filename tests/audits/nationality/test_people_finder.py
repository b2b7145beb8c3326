"""The multilingual pipeline is used where it is installed, the English one elsewhere."""

import sys

import pytest

from psa_core.audits.nationality import people_finder


@pytest.fixture
def pipeline(tmp_path, monkeypatch):
    """A package by the pipeline's name that knows one person and one place."""
    import spacy

    language = spacy.blank("xx")
    ruler = language.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "PER", "pattern": "Ada Byron"}, {"label": "LOC", "pattern": "Paris"}])
    package = tmp_path / people_finder.MULTILINGUAL
    language.meta.update({"name": "ent_wiki_sm", "version": "9.9.9"})
    language.to_disk(package)
    (package / "__init__.py").write_text(
        "import spacy\n\ndef load(**options):\n    return spacy.util.load_model_from_path(__import__('pathlib')"
        ".Path(__file__).parent, **options)\n"
    )
    info = tmp_path / f"{people_finder.MULTILINGUAL}-9.9.9.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {people_finder.MULTILINGUAL}\nVersion: 9.9.9\n")
    monkeypatch.syspath_prepend(tmp_path)
    people_finder._pipeline.cache_clear()
    yield
    people_finder._pipeline.cache_clear()
    sys.modules.pop(people_finder.MULTILINGUAL, None)


def test_the_multilingual_pipeline_where_it_is_installed(pipeline):
    finder = people_finder.people_finder()
    assert finder.spec == "xx_ent_wiki_sm"
    found = finder.find(["Hier soir, Ada Byron dansait à Paris.", "Rien."])
    assert [(anchor.start, anchor.end) for anchor in found[0]] == [(11, 20)]
    assert found[1] == ()


def test_the_english_pipeline_elsewhere():
    finder = people_finder.people_finder()
    assert finder.spec == "entities:PERSON"
    text = "I met Susan Miller yesterday."
    (anchor,) = finder.find([text])[0]
    assert text[anchor.start : anchor.end] == "Susan Miller"
