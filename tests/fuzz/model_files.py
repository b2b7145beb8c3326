"""Folders of adapters, with their description and their configuration."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

from psa_core.models import minilm
from psa_core.registry import ASSETS
from tests.fuzz.mutation import odd_json

Draw = random.Random
WHOLE = ASSETS / "models" / "minilm-emotion"


def adapter(draw: Draw, folder: Path) -> object:
    """The description and the configuration of an adapter, one of them odd."""
    for name in minilm.FILES[:2]:
        content = odd_json(json.loads((WHOLE / name).read_text("utf-8")), draw)
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    kept = draw.choice(minilm.FILES[:2])
    shutil.copy(WHOLE / kept, folder / kept)
    (folder / minilm.FILES[2]).write_bytes(b"no weights")
    description = minilm.read_description(folder)
    minilm.reduction(description)
    return minilm.fingerprint(folder)
