"""Third-person singular pronouns from a table: the paper's anchors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from psa_core.anchors import _forms
from psa_core.anchors._base import Anchor, AnchorFinder, AnchorPlugin, Found
from psa_core.anchors._forms import Form
from psa_core.errors import AnchorError

DEFAULT_TABLE = "en"


@dataclass(frozen=True)
class PronounFinder:
    """Finds pronouns of a table; *her* is an object or a possessive by its part-of-speech tag.

    Reflexives, alternations such as *he/she* and words inside addresses, handles and code are no anchors. The pronouns
    of one gender in a text share their referent.

    References
    ----------
    Prabhakaran, Hutchinson, Mitchell 2019, section 3, "Corpora".
    """

    spec: str
    forms: tuple[Form, ...]
    filler: str = ""

    @property
    def fingerprint(self) -> str:
        """Hash of the table and the tagger's version."""
        return _forms.fingerprint("pronouns", self.forms)

    def find(self, texts: Sequence[str]) -> list[tuple[Anchor, ...]]:
        """Pronouns of each text, by position."""
        return [found.anchors for found in self.search(texts)]

    def search(self, texts: Sequence[str]) -> list[Found]:
        """Pronouns of each text, and how many words look like one but are none."""
        return _forms.search_forms(texts, self.forms)


def _build(argument: str) -> AnchorFinder:
    wanted = [part.strip().lower() for part in argument.split(",") if part.strip()]
    forms = dict.fromkeys(form for part in wanted or [DEFAULT_TABLE] for form in _chosen(part))
    return PronounFinder(":".join(["pronouns", *filter(None, [",".join(wanted)])]), tuple(forms))


def _chosen(part: str) -> tuple[Form, ...]:
    """The forms of a table, or of the person that a subject pronoun names (*he* stands for he, him, his)."""
    tables = _forms.pronoun_tables()
    if part in tables:
        return tables[part]
    order = sorted(tables, key=lambda table: (table != DEFAULT_TABLE, table))
    every = [form for table in order for form in tables[table]]
    forms = tuple(form for form in every if form.group == part)
    if not forms:
        groups = ", ".join(dict.fromkeys(form.group for form in every))
        expected = f"one of {groups}, or a table: {', '.join(tables)}"
        raise AnchorError("anchors", got=f"pronouns:{part}", expected=expected, fix="Example: pronouns:he,she")
    return forms


ANCHOR = AnchorPlugin(
    id="pronouns",
    title="Pronouns",
    summary="he, him, his, she, her, hers; or the pronouns that you name, such as they.",
    build=_build,
    argument="other pronouns, such as he,she,they",
    is_default=True,
)
