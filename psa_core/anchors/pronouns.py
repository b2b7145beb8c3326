"""Third-person singular pronouns from a table: the paper's anchors."""

from __future__ import annotations

from psa_core.anchors._base import AnchorFinder, AnchorPlugin
from psa_core.anchors._forms import Form, FormFinder, pronoun_tables
from psa_core.errors import AnchorError

DEFAULT_TABLE = "en"


def _build(argument: str) -> AnchorFinder:
    """A finder of the forms of tables, or of the persons that subject pronouns name (*he* stands for he, him, his)."""
    requested = [part.strip().lower() for part in argument.split(",") if part.strip()]
    tables = pronoun_tables()
    order = sorted(tables, key=lambda table: (table != DEFAULT_TABLE, table))
    every = [form for table in order for form in tables[table]]
    forms: dict[Form, None] = {}
    for part in requested or [DEFAULT_TABLE]:
        chosen = tables.get(part) or tuple(form for form in every if form.group == part)
        if not chosen:
            expected = (
                f"one of {', '.join(dict.fromkeys(form.group for form in every))}, or a table: {', '.join(tables)}"
            )
            raise AnchorError("anchors", got=f"pronouns:{part}", expected=expected, fix="Example: pronouns:he,she")
        forms |= dict.fromkeys(chosen)
    return FormFinder("pronouns", ":".join(["pronouns", *filter(None, [",".join(requested)])]), tuple(forms))


ANCHOR = AnchorPlugin(
    id="pronouns",
    title="Pronouns",
    summary="he, him, his, she, her, hers; or the pronouns that you name, such as they.",
    build=_build,
    argument="other pronouns, such as he,she,they",
    is_default=True,
    max_words=50,  # as in the paper
)
