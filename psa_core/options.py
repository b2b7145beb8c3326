"""Options, each declared once: as a field of a specification, which is a frozen dataclass, or a command's parameter.

From a field made by `option` follow the option of the command line, the widget of the page's form, the entry in the
manifest, the parameter in the address, and its part of the key under which finished work is found again. So a new
option is one line, and none is forgotten in the key: it is part of it unless its declaration says that it is not.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from dataclasses import Field as DataclassField
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from psa_core.errors import OptionError
from psa_core.inputs.checks import as_text, whole_number, yes_or_no

Spec = TypeVar("Spec")
#: A specification, or a function with parameters that are declared like its fields.
Declaring = type | Callable[..., Any]
InKey = Literal["always", "if set", "never"]
_EMPTY = (None, "", ())


@dataclass(frozen=True)
class Option:
    """What a field's declaration says beside its name, type and default.

    On the command line: `help`, to which the default is added; the `flag`, where it is not ``--`` and the field's name
    (without hyphens it is an argument that stands alone); what a flag without a value stands for (`alone`); whether a
    list is `many` flags or arguments, one for each value, rather than one text with commas. On the page: the `label` of
    the form's widget (without one, the page asks in a way of its own), its help (`tip`), and its first value, where
    that is not the default (`on_page`).

    `choices` are from each value to its words on the page, or the values alone; `low`, `high` and `above` (a lower
    limit that is no value itself) the range of a number. `in_key` says whether work done with one value may not be
    reused with another; "if set": only values other than the default enter the key, so that results from before the
    option existed stay valid. `model` says that it is the id of a model, and of which kind: what a stranger's file
    names is not repeated as a command.
    """

    help: str = ""
    flag: str = ""
    alone: Any = None
    many: bool = False
    metavar: str | None = None
    choices: Mapping[str, str] | tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    above: float | None = None
    label: str = ""
    tip: str = ""
    on_page: Any = None
    in_key: InKey = "always"
    model: Literal["", "scorer", "generator"] = ""


def option(default: Any = MISSING, *, default_factory: Any = MISSING, **declared: Any) -> Any:
    """A field of a specification; see `Option` for what can be declared. Without a default it has to be given."""
    metadata = {"option": Option(**declared)}
    if default_factory is not MISSING:
        return field(default_factory=default_factory, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Field:
    """A declared field with what its annotation says: a number, ``bool``, text (or a ``Literal``), path or tuple."""

    name: str
    kind: type
    optional: bool
    make_default: Callable[[], Any] | None
    option: Option

    @property
    def flag(self) -> str:
        """Of the command line."""
        return self.option.flag or f"--{self.name.replace('_', '-')}"

    @property
    def default(self) -> Any:
        """The value where none is given; None for a field that has to be given."""
        return self.make_default() if self.make_default else None

    @property
    def page_default(self) -> Any:
        """The form's first value."""
        return self.default if self.option.on_page is None else self.option.on_page

    def parse(self, text: str) -> Any:
        """The value of a text from the command line or the address; raises `OptionError`."""
        value: Any = text
        try:
            if self.kind in (int, float):
                value = self.kind(text)
            elif self.kind is bool:
                value = text == "True"
        except ValueError as error:
            expected = "a whole number" if self.kind is int else "a number"
            raise OptionError(self.flag, got=repr(text[:60]), expected=expected) from error
        return self.checked(value)

    def text(self, value: Any) -> str:
        """A value as `parse` reads it."""
        return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)

    def checked(self, value: Any) -> Any:
        """The value in its type; raises `OptionError` where it is of another, no choice, or out of range."""
        if value is None and self.optional:
            return None
        if self.kind is tuple and self.option.many:
            return tuple(as_text(self.flag, part) for part in value)
        if self.kind is Path:
            return Path(as_text(self.flag, value))
        if self.kind is tuple:
            parts = value.split(",") if isinstance(value, str) else value
            if not isinstance(parts, list | tuple):
                raise OptionError(self.flag, got=repr(value)[:60], expected="a list of strings")
            return tuple(stripped for part in parts if (stripped := as_text(self.flag, part).strip()))
        if self.kind is bool:
            return yes_or_no(self.flag, value)
        if self.kind is str:
            value = as_text(self.flag, value)
            if self.option.choices and value not in self.option.choices:
                expected = f"one of {', '.join(self.option.choices)}"
                raise OptionError(self.flag, got=repr(value[:60]), expected=expected)
            return value
        if self.kind is int:
            return self._in_range(whole_number(self.flag, value))
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise OptionError(self.flag, got=repr(value)[:60], expected="a number")
        return self._in_range(float(value))

    def _in_range(self, value: float) -> float:
        low, high, above = self.option.low, self.option.high, self.option.above
        fits = (low is None or value >= low) and (high is None or value <= high) and (above is None or value > above)
        if fits and value - value == 0:  # neither infinite nor NaN
            return value
        ends = {"above": above, "at least": low, "at most": high}
        words = {
            word: f"{end:,}" if isinstance(end, int) else f"{end:,g}" for word, end in ends.items() if end is not None
        }
        if low is not None and high is not None:
            expected = f"{words['at least']} to {words['at most']}"
        else:
            expected = ", ".join(map(" ".join, words.items()))
        raise OptionError(self.flag, got=str(value), expected=expected or "a finite number")


def fields_of(spec: Declaring) -> dict[str, Field]:
    """The declared fields of a specification, or parameters of a function, by name, in order."""
    if isinstance(spec, type):
        items = {item.name: item for item in fields(spec) if "option" in item.metadata}
    else:
        defaults = {name: each.default for name, each in signature(spec).parameters.items()}
        items = {name: item for name, item in defaults.items() if isinstance(item, DataclassField)}
    hints = get_type_hints(spec.func if isinstance(spec, partial) else spec)
    found = {}
    for name, item in items.items():
        hint = hints[name]
        optional = type(None) in get_args(hint)
        plain = next(part for part in get_args(hint) if part is not type(None)) if optional else hint
        factory = None if item.default_factory is MISSING else item.default_factory
        if factory is None and item.default is not MISSING:
            factory = lambda value=item.default: value  # noqa: E731
        kind, declared = get_origin(plain) or plain, item.metadata["option"]
        if kind is Literal:
            kind, declared = str, replace(declared, choices=get_args(plain))
        found[name] = Field(name, kind, optional, factory, declared)
    return found


def check(spec: Any) -> None:
    """Check every declared field of a specification and put it in its type; to be called in ``__post_init__``."""
    for name, item in fields_of(type(spec)).items():
        object.__setattr__(spec, name, item.checked(getattr(spec, name)))


def add_arguments(
    parser: argparse.ArgumentParser, spec: Declaring, only: Collection[str] | None = None, *, required: bool = True
) -> None:
    """Add the options of a specification, or `only` some of them, to a command.

    Unless `required`, fields without a default need not be given, and what is not given is not in the parsed arguments.
    """
    for name, item in fields_of(spec).items():
        if only is not None and name not in only:
            continue
        default = item.default if required else argparse.SUPPRESS
        shown = item.kind is not bool and item.default not in _EMPTY and "default" not in item.option.help
        words = f"{item.option.help} (default {item.text(item.default)})" if shown else item.option.help
        declared: dict[str, Any] = {"default": default, "help": words.replace("%", "%%")}
        if item.flag.startswith("-"):
            declared |= {"dest": name, "required": required and not item.make_default}
        elif item.make_default:
            declared["nargs"] = "*" if item.option.many else "?"
        elif item.option.many:
            declared["nargs"] = "+"
        if item.kind is bool:
            declared["action"] = argparse.BooleanOptionalAction if item.optional else "store_true"
            del declared["required"]
        else:
            declared |= {"type": item.kind if item.kind in (int, float, Path) else str, "metavar": item.option.metavar}
            declared["choices"] = list(item.option.choices) or None
            if item.option.alone is not None:
                declared |= {"nargs": "?", "const": item.option.alone}
            if item.option.many and item.flag.startswith("-"):
                declared |= {"action": "append", "default": []}
        parser.add_argument(item.flag, **declared)


def as_arguments(spec: type, values: Mapping[str, Any]) -> list[str]:
    """The words of a command line that give these values, one word or two an option; what is empty is left out."""
    words: list[str] = []
    for name, item in fields_of(spec).items():
        value = values.get(name)
        if item.kind is bool:
            words += [item.flag] if value else [f"--no-{item.flag[2:]}"] if value is False and item.optional else []
        elif value not in (*_EMPTY, []):
            text = item.text(value)  # what begins with a hyphen would be taken for an option
            words += [f"{item.flag}={text}"] if text.startswith("-") else [item.flag, text]
    return words


def as_json(spec: Any) -> dict[str, Any]:
    """The entry of a manifest: every declared field, as JSON has it."""
    found = {name: getattr(spec, name) for name in fields_of(type(spec))}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}


def from_json(spec: type[Spec], values: Mapping[str, Any], *, what: str) -> Spec:
    """A specification from the entry of a manifest, `what`; `OptionError` for an unknown, missing or wrong field."""
    known = {item.name: item for item in fields(spec)}  # type: ignore[arg-type]
    if unknown := sorted(set(values) - set(known)):
        raise OptionError(what, got=f"an unknown field {unknown[0]!r}", expected=", ".join(sorted(known)))
    needed = [name for name, item in known.items() if item.default is MISSING and item.default_factory is MISSING]
    if missing := [name for name in needed if name not in values]:
        raise OptionError(what, got=f"no {missing[0]}", expected=", ".join(needed))
    return spec(**values)


def key_parts(spec: Any) -> list[str]:
    """What finished work depends on, in an order that does not change: the parts of a key; see `Option.in_key`."""
    parts = []
    for name, item in fields_of(type(spec)).items():
        value = getattr(spec, name)
        if item.option.in_key == "always":
            parts.append(item.text(value))
        elif item.option.in_key == "if set" and value != item.default:
            parts.append(f"{name}={item.text(value)}")
    return parts
