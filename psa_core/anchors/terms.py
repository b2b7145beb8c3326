"""A user-defined list of words and phrases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from psa_core.anchors import _forms
from psa_core.anchors._base import Anchor, AnchorFinder, AnchorPlugin, Found
from psa_core.anchors._forms import Form
from psa_core.errors import AnchorError


@dataclass(frozen=True)
class TermFinder:
    """Finds the terms as whole words, in any case; a term that is a pronoun behaves as one.

    A term is not found inside an address, a handle or code, but may be one itself (*@bob*, *example.com*). Its
    possessive ending stays in the text: of *the mayor's speech* only *the mayor* is replaced.
    """

    spec: str
    forms: tuple[Form, ...]
    filler: str = ""

    @property
    def fingerprint(self) -> str:
        """Hash of the terms, and the tagger's version where a tag decides."""
        return _forms.fingerprint("terms", self.forms)

    def find(self, texts: Sequence[str]) -> list[tuple[Anchor, ...]]:
        """Terms of each text, by position; the longest wins where several begin."""
        return [found.anchors for found in self.search(texts)]

    def search(self, texts: Sequence[str]) -> list[Found]:
        """Terms of each text, and how many words look like one but are none."""
        return _forms.search_forms(texts, self.forms)


def _build(argument: str) -> AnchorFinder:
    terms = list(dict.fromkeys(" ".join(part.casefold().split()) for part in argument.split(",") if part.strip()))
    if not terms:
        raise AnchorError("anchors", got="terms without a list", expected="terms:he,she,they", fix="Name the terms.")
    return TermFinder(f"terms:{','.join(terms)}", tuple(form for term in terms for form in _forms_of(term)))


def _forms_of(term: str) -> tuple[Form, ...]:
    pronouns = (form for table in _forms.pronoun_tables().values() for form in table if form.word == term)
    return tuple(dict.fromkeys(pronouns)) or (Form(term),)


ANCHOR = AnchorPlugin(
    id="terms",
    title="Terms",
    summary="Words or phrases of your own, found as whole words.",
    build=_build,
    argument="comma-separated terms",
    example="he,she",
)
