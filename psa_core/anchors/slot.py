"""Explicit slots: ``{name}``, ``{last}``, ``{he}`` … in the text itself."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from psa_core.anchors._base import UNKNOWN_SLOT, Anchor, AnchorFinder, AnchorPlugin, Found
from psa_core.anchors._forms import RULES, place_role
from psa_core.inputs import people

DEFAULT_FILLER = "this person"


@dataclass(frozen=True)
class SlotFinder:
    """Finds the slots of `people.SLOTS`; all slots of a text take the same person.

    The text has no original, so a neutral filler stands in for one: the words for each form of the name, and *they*.
    A possessive ending after the slot stays in the text: ``{name}'s`` becomes *this person's*. A text with a slot that
    is not known is not used.
    """

    spec: str
    filler: str

    @property
    def fingerprint(self) -> str:
        """Hash of the filler."""
        return hashlib.sha256(repr(("slot", RULES, self.filler)).encode()).hexdigest()[:16]

    def find(self, texts: Sequence[str]) -> list[tuple[Anchor, ...]]:
        """Slots of each text, by position; all have the referent ``slot``."""
        return [found.anchors for found in self.search(texts)]

    def search(self, texts: Sequence[str]) -> list[Found]:
        """Slots of each text, and which texts have one that is not known."""
        found = []
        for text in texts:
            slots, wrong = people.find_slots(text)
            anchors = tuple(
                Anchor(slot.start, slot.end, place_role(text, slot.start), "", "slot", slot.form) for slot in slots
            )
            found.append(Found(anchors, reason=UNKNOWN_SLOT if wrong else ""))
        return found


def _build(argument: str) -> AnchorFinder:
    filler = " ".join(argument.split()) or DEFAULT_FILLER
    return SlotFinder("slot" if filler == DEFAULT_FILLER else f"slot:{filler}", filler)


ANCHOR = AnchorPlugin(
    id="slot",
    title="{name} marker",
    summary=(
        f"{{name}} in the text, or {{first}}, {{last}}, {{title}}, {{email}}, {{he}}, {{his}}, {{is/are}} …; the "
        f"original has the words “{DEFAULT_FILLER}” there, or yours."
    ),
    build=_build,
    argument="filler words, if others",
    has_original=False,
    marks=lambda text: bool(people.find_slots(text)[0]),
)
