"""What a reader has set on a study's pages, which its folder, zip and report carry: see `View`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from psa_core.cube import ScoreCube

#: The entry of the manifest.
KEY = "view"
HIDDEN = "Names are shown as initials, as a reader chose; the data files have them in full."


@dataclass(frozen=True)
class View:
    """What a reader has set: thresholds other than a target's own, ids of sentences that count nowhere, hidden names.

    With ``hidden_names`` pages and report show initials; the data files have the names.
    """

    thresholds: Mapping[str, float] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    hidden_names: bool = False


def view_of(cube: ScoreCube) -> View:
    """The view in which a study was kept; `with_view` puts it there."""
    kept = cube.provenance.get(KEY, {})
    moved = kept.get("own_thresholds", {})
    return View(
        {target.name: target.default_threshold for target in cube.targets if target.name in moved},
        tuple(kept.get("left_out", ())),
        bool(kept.get("hidden_names", False)),
    )


def with_view(cube: ScoreCube, view: View) -> ScoreCube:
    """A study as a reader sees it: its targets have the reader's thresholds, its manifest says what else was set.

    All its sentences stay in it, so that whoever opens it may take one back in; see `shown`.
    """
    own = _own_thresholds(cube)
    ranges = {target.name: (target.low, target.high) for target in cube.targets}
    moved = {name: float(np.clip(level, *ranges[name])) for name, level in view.thresholds.items() if name in ranges}
    chosen = cube.with_thresholds({**own, **moved})
    levels = {target.name: target.default_threshold for target in chosen.targets}
    known = set(cube.sentences["sentence_id"])
    kept: dict[str, Any] = {
        "own_thresholds": {name: level for name, level in own.items() if levels[name] != level},
        "left_out": sorted(known.intersection(view.left_out)),
        "hidden_names": view.hidden_names,
    }
    provenance = {name: value for name, value in cube.provenance.items() if name != KEY}
    if any(kept.values()):
        provenance[KEY] = kept
    return replace(chosen, provenance={**provenance, "targets": [asdict(target) for target in chosen.targets]})


def shown(cube: ScoreCube) -> ScoreCube:
    """The sentences of a study that count, and in its notes what its reader has set."""
    if KEY not in cube.provenance:
        return cube
    view, own = view_of(cube), _own_thresholds(cube)
    is_left_out = cube.sentences["sentence_id"].isin(view.left_out).to_numpy()
    notes = [
        f"{name} is labelled at {level:g} and above, as a reader chose; the model's own threshold is {own[name]:g}."
        for name, level in view.thresholds.items()
    ]
    if view.hidden_names:
        notes.append(HIDDEN)
    if is_left_out.any() and not is_left_out.all():  # a study of nothing cannot be measured
        notes.append(f"A reader left {is_left_out.sum():,} of {len(is_left_out):,} sentences out of these results.")
        cube = cube.rows(~is_left_out)
    return cube.noted(*notes)


def _own_thresholds(cube: ScoreCube) -> dict[str, float]:
    """Each target's threshold before a reader moved it."""
    moved = cube.provenance.get(KEY, {}).get("own_thresholds", {})
    return {target.name: float(moved.get(target.name, target.default_threshold)) for target in cube.targets}


def obfuscated(names: Iterable[str]) -> dict[str, str]:
    """Each name to its initials and dots, distinct for distinct names, as in the paper's Figure 1.

    Examples
    --------
    >>> obfuscated(["Ann Lee", "Amy Low", "Cher"])
    {'Ann Lee': 'A•• L••', 'Amy Low': 'A•• L•• (2)', 'Cher': 'C•••'}
    """
    seen: Counter[str] = Counter()
    shown = {}
    for name in names:
        dotted = " ".join(word[0] + "•" * (len(word) - 1) for word in name.split())
        seen[dotted] += 1
        shown[name] = dotted if seen[dotted] == 1 else f"{dotted} ({seen[dotted]})"
    return shown
