"""A field declared once is an option of the command line, an entry of the manifest and a part of the key.

That it is a widget of the form and a parameter of the address is tested by `tests/pages/test_audit.py`.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, make_dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from psa_core import options
from psa_core.audits.generation.journal import Journal
from psa_core.errors import OptionError
from psa_core.generators import Sampling
from psa_core.options import option


@dataclass(frozen=True, kw_only=True)
class Toy:
    """A specification of every kind of field."""

    model: str = option(metavar="ID", help="an id", model="scorer")
    draws: int = option(5, low=1, high=100, help="names drawn", label="Names drawn", on_page=8)
    warmth: float = option(1.0, above=0, high=5.0, help="how random")
    spelling: str = option("old", choices={"old": "As printed", "new": "Corrected"}, help="of a word", label="Spelling")
    scorers: tuple[str, ...] = option(("a", "b"), flag="--scorer", help="ids", in_key="never")
    everything: bool = option(False, help="leave out nothing", label="Everything")
    balance: bool | None = option(None, help="as many of each")
    column: str | None = option(None, help="of the texts")

    def __post_init__(self) -> None:
        options.check(self)


def with_field(**declared: Any) -> type:
    """The same with one more field."""

    def check(self: Any) -> None:
        options.check(self)

    new = ("top_k", int, option(0, low=0, help="most likely tokens", label="Top k", **declared))
    return make_dataclass("More", [new], bases=(Toy,), frozen=True, kw_only=True, namespace={"__post_init__": check})


def parsed(spec: type, *words: str) -> Any:
    parser = argparse.ArgumentParser(exit_on_error=False)
    options.add_arguments(parser, spec)
    return spec(**vars(parser.parse_args(words)))


def test_the_command_line_gives_every_kind_of_field() -> None:
    plain = parsed(Toy, "--model", "m")
    assert plain == Toy(model="m")
    words = ["--draws", "7", "--warmth", "0.5", "--spelling", "new", "--scorer", "x, y", "--everything", "--no-balance"]
    found = parsed(Toy, "--model", "m", "--column", "text", *words)
    assert (found.draws, found.warmth, found.scorers) == (7, 0.5, ("x", "y"))
    assert (found.everything, found.balance, found.column) == (True, False, "text")
    assert parsed(Toy, *options.as_arguments(Toy, options.as_json(found))) == found
    assert parsed(Toy, *options.as_arguments(Toy, {"model": "-m", "draws": 7})).model == "-m"


def test_one_more_field_is_on_every_surface_and_in_the_key() -> None:
    more = with_field()
    changed = parsed(more, "--model", "m", "--top-k", "3")
    assert changed.top_k == 3
    assert options.as_json(changed)["top_k"] == 3
    assert options.from_json(more, options.as_json(changed), what="toy") == changed
    assert options.fields_of(more)["top_k"].option.label == "Top k"
    key = options.key_parts(parsed(more, "--model", "m"))
    assert key != options.key_parts(changed)
    assert key != options.key_parts(Toy(model="m")), "what was made before the option is not taken for its default"


def test_a_field_that_says_so_leaves_earlier_keys_as_they_were() -> None:
    more = with_field(in_key="if set")
    assert options.key_parts(more(model="m")) == options.key_parts(Toy(model="m"))
    assert options.key_parts(more(model="m", top_k=3)) != options.key_parts(Toy(model="m"))
    assert options.key_parts(Toy(model="m", scorers=("c",))) == options.key_parts(Toy(model="m"))


def test_the_key_of_continuations_is_that_of_the_first_version() -> None:
    """Digest of fingerprint, tokens, temperature and seed, as version 0.1.0 made it."""

    class Parrot:
        fingerprint = "parrot-1"

    assert Journal.of(Path("out"), Parrot(), Sampling(tokens=30, temperature=1, seed=2)).setting == "14cf73cc3e6cbf06"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"draws": 0}, r"^draws.*1 to 100"),
        ({"draws": 2.5}, r"^draws.*a whole number"),
        ({"draws": True}, r"^draws.*a whole number"),
        ({"warmth": 0.0}, r"^warmth.*above 0, at most 5"),
        ({"warmth": float("nan")}, r"^warmth"),
        ({"spelling": "british"}, r"^spelling.*one of old, new"),
        ({"everything": "yes"}, r"^everything.*True or False"),
        ({"scorers": 3}, r"^scorer.*a list of strings"),
        ({"model": None}, r"^model.*a string"),
    ],
)
def test_a_value_that_does_not_fit_is_one_sentence(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        Toy(**{"model": "m", **wrong})


def test_an_entry_of_a_manifest_is_checked() -> None:
    with pytest.raises(OptionError, match="an unknown field 'size'"):
        options.from_json(Toy, {"model": "m", "size": 3}, what="toy")
    with pytest.raises(OptionError, match="no model"):
        options.from_json(Toy, {"draws": 3}, what="toy")


def test_the_parameters_of_a_command_are_options_too() -> None:
    def command(
        folders: tuple[str, ...] = option(flag="folders", many=True, help="one or several"),
        out: Path | None = option(None, help="a file"),
        only: tuple[str, ...] = option((), many=True, help="may be repeated"),
        kind: Literal["new", "old"] | None = option(None, alone="old", help="of them"),
        limit: float = option(low=0, help="a number"),
        job: int = 7,
    ) -> None: ...

    def given(*words: str) -> dict[str, Any]:
        parser = argparse.ArgumentParser(exit_on_error=False)
        options.add_arguments(parser, command)
        parsed = vars(parser.parse_args(words))
        return {name: item.checked(parsed[name]) for name, item in options.fields_of(command).items()}

    found = given("a", "b c", "--out", "x.csv", "--only", "1,5", "--only", "2", "--kind", "--limit", "0")
    assert found == {
        "folders": ("a", "b c"),
        "out": Path("x.csv"),
        "only": ("1,5", "2"),
        "kind": "old",
        "limit": 0.0,
    }
    assert given("a", "--kind", "new", "--limit", "1")["kind"] == "new"
    assert given("a", "--limit", "1")["kind"] is None
    for words in (["--limit", "1"], ["a"], ["a", "--limit", "1", "--kind", "other"]):
        with pytest.raises((argparse.ArgumentError, SystemExit)):
            given(*words)
    for limit in ("-1", "nan", "inf"):
        with pytest.raises(OptionError, match="at least 0"):
            given("a", f"--limit={limit}")
