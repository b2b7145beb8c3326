"""Explicit slots: ``{name}`` in the sentence itself."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from psa_core.anchors._base import Anchor, AnchorFinder, AnchorPlugin
from psa_core.anchors._forms import RULES, place_role

DEFAULT_FILLER = "this person"
_SLOT = re.compile(r"\{\s*name\s*\}", re.IGNORECASE)


@dataclass(frozen=True)
class SlotFinder:
    """Finds ``{name}``; every slot of a sentence takes the same name.

    The sentence has no original, so a neutral filler stands in for one. A possessive ending after the slot stays in
    the text: ``{name}'s`` becomes *this person's*.
    """

    spec: str
    filler: str

    @property
    def fingerprint(self) -> str:
        """Hash of the filler."""
        return hashlib.sha256(repr(("slot", RULES, self.filler)).encode()).hexdigest()[:16]

    def find(self, texts: Sequence[str]) -> list[tuple[Anchor, ...]]:
        """Slots of each text, by position; all have the referent ``slot``."""
        return [
            tuple(
                Anchor(match.start(), match.end(), place_role(text, match.start()), "", "slot")
                for match in _SLOT.finditer(text)
            )
            for text in texts
        ]


def _build(argument: str) -> AnchorFinder:
    filler = " ".join(argument.split()) or DEFAULT_FILLER
    return SlotFinder("slot" if filler == DEFAULT_FILLER else f"slot:{filler}", filler)


ANCHOR = AnchorPlugin(
    id="slot",
    title="Slot",
    summary=f"{{name}} in the sentence; the original has the words “{DEFAULT_FILLER}” there, or yours.",
    build=_build,
    argument="filler words, if others",
    has_original=False,
    marks=lambda text: _SLOT.search(text) is not None,
)
