"""A user-defined list of words and phrases."""

from __future__ import annotations

from psa_core.anchors._base import AnchorFinder, AnchorPlugin
from psa_core.anchors._forms import Form, FormFinder, pronoun_tables
from psa_core.errors import AnchorError


def _build(argument: str) -> AnchorFinder:
    terms = dict.fromkeys(" ".join(part.casefold().split()) for part in argument.split(",") if part.strip())
    if not terms:
        raise AnchorError("anchors", got="terms without a list", expected="terms:he,she,they", fix="Name the terms.")
    pronouns = dict.fromkeys(form for table in pronoun_tables().values() for form in table)
    forms: list[Form] = []
    for term in terms:  # one that is a pronoun behaves as a pronoun
        forms += [form for form in pronouns if form.word == term] or [Form(term)]
    return FormFinder("terms", f"terms:{','.join(terms)}", tuple(forms))


ANCHOR = AnchorPlugin(
    id="terms",
    title="My own words",
    summary="Words or phrases of your own, found as whole words.",
    build=_build,
    argument="comma-separated terms",
    example="he,she",
)
