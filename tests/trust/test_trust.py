"""Where an id comes from decides what it may do; every load passes that one gate."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from huggingface_hub import constants

from psa_core import models, trust
from psa_core.errors import OptionError, PsaError
from psa_core.inputs import corpus, names
from psa_core.trust import Kind, Need, Origin

IDS = {
    "vader": Origin.FILE,
    "keyword:Ann=0.2": Origin.FILE,
    "hf:owner/model": Origin.VISITOR,
    "hf:owner/model?allow_pickle=1": Origin.OWN_MACHINE,
    "hf:/srv/model": Origin.OWN_MACHINE,
    "hf:../model": Origin.OWN_MACHINE,
    "hf:~root/model": Origin.OWN_MACHINE,
    "hf:C:\\model": Origin.OWN_MACHINE,
    "lm:weights.gguf": Origin.OWN_MACHINE,
    "lm:~nobody-here/weights.gguf": Origin.OWN_MACHINE,
    "minilm:/srv/adapter": Origin.OWN_MACHINE,
    "onnx:folder": Origin.OWN_MACHINE,
    "skops:file.skops": Origin.OWN_MACHINE,
    "predictions:/etc/passwd": Origin.OWN_MACHINE,
    "http://127.0.0.1:9/": Origin.OWN_MACHINE,
    "https://models.example.org/": Origin.OWN_MACHINE,
    "python:subprocess:getoutput": Origin.COMMAND_LINE,
}


@pytest.fixture(autouse=True)
def no_list_of_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PSA_HTTP_ALLOW", raising=False)


@pytest.mark.parametrize("origin", Origin)
@pytest.mark.parametrize(("model_id", "most"), IDS.items())
def test_an_id_may_do_what_its_origin_may(model_id: str, most: Origin, origin: Origin) -> None:
    if origin <= most:
        assert models.check(model_id, origin) == model_id
    else:
        with pytest.raises(OptionError, match="model"):
            models.check(model_id, origin)
        with pytest.raises(OptionError, match="model"):
            models.load(model_id, origin=origin)


@pytest.mark.parametrize("room", ["models", "generators"])
def test_every_plug_in_with_an_argument_says_what_that_is(room: str) -> None:
    for path in (Path(models.__file__).parents[1] / room).glob("[a-z]*.py"):
        source = path.read_text(encoding="utf-8")
        plugin = source[source.rfind(f"\n{room.upper()[:-1]} = ") :]
        assert "takes=" in plugin or "argument=" not in plugin, path.name


def test_what_looks_like_a_hub_id_is_one_to_a_visitor_whatever_folders_are_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "owner" / "model").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    told = []
    for name in ("owner/model", "owner/other"):
        assert [need.kind for need in _needs(f"hf:{name}", Origin.VISITOR)] == [Kind.HUB]
        with pytest.raises(PsaError) as error:
            models.load(f"hf:{name}", origin=Origin.VISITOR)
        told.append(str(error.value).replace(name, ""))
    assert told[0] == told[1]  # a message that differs would tell what is here
    assert [need.kind for need in _needs("hf:owner/model", Origin.OWN_MACHINE)] == [Kind.PATH]


def _needs(model_id: str, origin: Origin) -> tuple[Need, ...]:
    with trust.acting(origin):
        return models.needs(model_id)


@pytest.mark.parametrize("model_id", ["hf:owner/m?adapter=a", "onnx:a", "skops:a", "minilm:a", "lm:a/b.gguf"])
def test_a_visitors_uploads_are_no_model_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model_id: str) -> None:
    monkeypatch.chdir(tmp_path)
    with trust.acting(Origin.VISITOR, tmp_path), pytest.raises(OptionError, match="loads a model"):
        models.check(model_id)


def test_a_plug_in_that_does_not_say_what_it_takes_may_do_nothing_from_a_page() -> None:
    silent = models.ModelPlugin("silent", "Silent", "", load=lambda _: pytest.fail("was loaded"), argument="thing")
    assert not trust.offered_to(silent.takes, Origin.OWN_MACHINE)
    with pytest.raises(OptionError):
        trust.permit("model", silent.takes.needs("thing")[0], Origin.OWN_MACHINE)


def test_a_block_inside_of_another_is_never_laxer() -> None:
    with trust.acting(Origin.FILE), trust.acting(Origin.OWN_MACHINE):
        assert trust.current() is Origin.FILE
        with pytest.raises(OptionError):
            models.load("predictions:x.csv", origin=Origin.COMMAND_LINE)
    assert trust.current() is Origin.COMMAND_LINE


def test_a_model_inside_of_a_model_passes_the_same_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    outer = models.ModelPlugin(
        "outer", "", "", load=lambda argument: models.load(argument), argument="id", takes=trust.NOTHING
    )
    monkeypatch.setattr(models, "plugins", lambda: {"outer": outer, "python": _python()})
    with pytest.raises(OptionError, match="runs a program"):
        models.load("outer:python:subprocess:getoutput", origin=Origin.OWN_MACHINE)


def _python() -> models.ModelPlugin:
    return models.ModelPlugin("python", "", "", load=lambda _: pytest.fail("was run"), argument="module:function")


@pytest.mark.parametrize("origin", [Origin.VISITOR, Origin.FILE])
def test_files_are_read_only_inside_the_folder_of_a_run(tmp_path: Path, origin: Origin) -> None:
    inside, outside = tmp_path / "inputs", tmp_path / "secret.txt"
    inside.mkdir()
    outside.write_text("He knows.\nShe too.\n")
    (inside / "mine.txt").write_text("He left.\nShe left.\n")
    (inside / "link.txt").symlink_to(outside)
    with trust.acting(origin, inside):
        assert len(corpus.load(str(inside / "mine.txt")).sentences) == 2
        assert len(names.load(str(inside / "mine.txt")).table) == 2
        assert len(corpus.load("sample").sentences) > 2
        for path in (outside, inside / "link.txt", inside / ".." / "secret.txt", "a\0b"):
            with pytest.raises(OptionError, match="reads this machine's files"):
                corpus.load(str(path))
            with pytest.raises(OptionError, match="reads this machine's files"):
                names.load(str(path))


def test_an_id_of_any_length_is_one_sentence() -> None:
    for model_id in (
        "hf:" + "a" * 300,
        "hf:" + "a" * 90 + "/" + "b" * 300,
        "predictions:" + "x" * 300 + ".csv",
        "hf:a\0b",
    ):
        for origin in Origin:
            with pytest.raises(PsaError) as caught:
                models.load(model_id, origin=origin)
            assert "\n" not in str(caught.value)
            assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("model_id", ["lm:x.gguf/.", "hf:owner/.", "hf:owner/..", "ask:lm:o/m?/../x?question=loan"])
@pytest.mark.parametrize("origin", [Origin.VISITOR, Origin.FILE])
def test_gate_and_loader_take_the_same_for_a_path(model_id: str, origin: Origin) -> None:
    """A path leaves ``.`` out, and what a hub's id looks like before a ``?`` may be one behind it."""
    with pytest.raises(PsaError, match=r"reads this machine's files|expected one \?"):
        models.check(model_id, origin)


def test_pickles_are_for_who_owns_the_machine() -> None:
    for query in ("allow_pickle=1", "allow_pickle=TRUE", "targets=a&allow_pickle=yes", "allow_pickle=maybe"):
        assert Need(Kind.PICKLE, "o/m") in trust.HUB_OR_PATH.needs(f"o/m?{query}")
    assert trust.HUB_OR_PATH.needs("o/m?allow_pickle=0") == (Need(Kind.HUB, "o/m"),)


LOADERS = {"models", "generators", "corpora", "corpus", "name_lists", "names"}
SUBMITTERS = {"submit", "submit_audit"}
PAGES = sorted((Path(__file__).resolve().parents[2] / "pages").rglob("*.py"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages_say_on_whose_word_they_load(path: Path) -> None:
    """The default is the command line's word, which no page has."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        room = node.func.value.id if isinstance(node.func.value, ast.Name) else ""
        loads = node.func.attr == "load" and room in LOADERS
        if loads or (node.func.attr in SUBMITTERS and room == "jobs"):
            assert "origin" in {keyword.arg for keyword in node.keywords}, f"{path.name}, line {node.lineno}"
