"""Rewrite a foreign result folder: keep its continuations, scores and what only models can say; measure the rest."""

from __future__ import annotations

from pathlib import Path

from psa_core.audits.generation import folder, report
from psa_core.audits.generation.quality import quality_of_brought
from psa_core.audits.generation.tables import tables
from psa_core.errors import RunFolderError
from psa_core.folders.results import DAMAGES
from psa_core.inputs.limits import RUN_CELLS


def rewrite(brought: Path, to: Path) -> None:
    """Open a folder that somebody brought, measure it again, and write a new one.

    Raises
    ------
    RunFolderError
        When it is another folder, or one of its files is missing or damaged.
    """
    opened = folder.read(brought)
    RUN_CELLS.check(opened.cube.texts.size, field="zip", error=RunFolderError)
    try:
        texts = folder.read_texts(brought)
        rows = zip(texts["template"], texts["prompt"], texts["k"], texts["sampled"], strict=True)
        sampled = {(str(t), str(prompt), int(k)): text for t, prompt, k, text in rows if isinstance(text, str)}
        m, a, k = opened.cube.shape
        prompts = texts["prompt"].astype(str).to_numpy().reshape(m, a, k)[:, :, 0].tolist()
        found = tables(opened.cube, quality=quality_of_brought(opened.cube, opened.tables.summary.get("quality")))
        folder.write(opened.cube, found, to, sampled=sampled, prompts=prompts, report=report.render)
    except DAMAGES as error:
        got = f"tables that do not fit ({type(error).__name__}: {error})"[:300]
        raise RunFolderError("result folder", got=got, expected=folder.EXPECTED) from error
