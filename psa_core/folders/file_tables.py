"""The tables of a result folder, by file name."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from psa_core import tables
from psa_core.cube import SENTENCE_COLUMNS, ScoreCube
from psa_core.inputs import spreadsheet
from psa_core.inputs.limits import FLIPS, within
from psa_core.study import perturbation_of

#: What names.csv has beyond its first columns: how large ScoreSens is, and all about the other baseline.
EFFECT_COLUMNS = ("score_sens_size", "effect", "effect_low", "effect_high", "effect_p_adjusted", "effect_size")


def measured(cube: ScoreCube, text: Callable[[int, int], str] | None = None) -> dict[str, pd.DataFrame]:
    """Every csv file of a study; `text` gives the text of a cell ``(s, n)`` where it is none of a study."""
    selection = {}
    if cube.provenance.get("study", {}).get("select"):
        selection["selection.csv"] = _per_target(cube, tables.selection_file_table, last=())
    return {
        "sentences.csv": sentences(cube),
        "names.csv": _per_target(cube, _names, last=(*EFFECT_COLUMNS, "threshold")),
        "groups.csv": _per_target(cube, tables.group_file_table, last=()),
        **selection,
        "label_dist.csv": _per_target(cube, tables.label_dist_table, last=("low", "high")),
        "flips.csv": pd.concat(
            [_flips(cube, target.name, text or perturbation_of(cube, target.name).text) for target in cube.targets]
        ),
    }


def _names(cube: ScoreCube, target: str) -> pd.DataFrame:
    """Both baselines and the threshold of the labels; a reader's column of that name has another heading."""
    table = tables.name_file_table(cube, target).rename(columns={"threshold": "threshold (group)"})
    return table.assign(threshold=cube.targets[cube.target_index(target)].default_threshold)


def data(cube: ScoreCube) -> dict[str, pd.DataFrame]:
    """The csv files without which a study cannot be read, with nothing in them that is measured."""
    names = cube.names.rename(columns={"target": "target (group)"})
    names.insert(0, "target", cube.targets[0].name)
    return {"sentences.csv": sentences(cube), "names.csv": names}


def scores(cube: ScoreCube) -> dict[str, pd.DataFrame]:
    """A Parquet file a target: a row a sentence, ``sentence_id``, ``original`` and one float32 column a name."""
    files = {}
    for target in cube.targets:
        original, perturbed = cube.scores(target.name)
        keys = pd.DataFrame({"sentence_id": cube.sentences["sentence_id"].to_numpy(), "original": original})
        headings = [score_heading(name) for name in cube.names["name"]]
        columns = pd.DataFrame(perturbed, columns=headings)
        files[f"scores.{target.name}.parquet"] = pd.concat([keys, columns], axis=1)
    return files


def controls(cube: ScoreCube) -> dict[str, pd.DataFrame]:
    """A Parquet file a target, where neutral edits were scored: ``sentence_id``, ``0`` (unedited), ``1`` …"""
    if cube.controls is None:
        return {}
    ids = pd.DataFrame({"sentence_id": cube.sentences["sentence_id"].to_numpy()})
    headings = [str(number) for number in range(cube.controls.shape[1])]
    return {
        f"controls.{target.name}.parquet": pd.concat(
            [ids, pd.DataFrame(cube.controls[:, :, index], columns=headings)], axis=1
        )
        for index, target in enumerate(cube.targets)
    }


def score_heading(name: str) -> str:
    """What a name's column of scores is called: a name such as *original* stands beside a column of the format."""
    return f"{name} (name)" if name in ("sentence_id", "original") else name


def sentences(cube: ScoreCube) -> pd.DataFrame:
    """Each sentence with its anchor, its columns and its original scores."""
    originals = {f"original.{target.name}": cube.original[:, t] for t, target in enumerate(cube.targets)}
    groups = [column for column in cube.sentences.columns if column not in SENTENCE_COLUMNS]
    table = cube.sentences[[*SENTENCE_COLUMNS, *groups]].assign(**originals)
    return spreadsheet.place(table)


def _per_target(
    cube: ScoreCube, build: Callable[[ScoreCube, str], pd.DataFrame], *, last: tuple[str, ...]
) -> pd.DataFrame:
    """A table of every target in one; `last` are columns beyond the contract, which come after those in it."""
    frames = [build(cube, target.name) for target in cube.targets]
    named = [frame.rename(columns={"target": "target (group)"}) for frame in frames]
    for frame, target in zip(named, cube.targets, strict=True):
        frame.insert(0, "target", target.name)
    table = pd.concat(named, ignore_index=True)
    return table[[*table.columns.difference([*last], sort=False), *last]]


def _flips(cube: ScoreCube, target: str, text: Callable[[int, int], str]) -> pd.DataFrame:
    flips = tables.find_flips(cube, target).frame()
    cells = zip(flips["sentence_position"].tolist(), flips["name_position"].tolist(), strict=True)
    texts = list(within((text(sentence, name) for sentence, name in cells), FLIPS.value // len(cube.targets)))
    kept = flips.drop(columns=["sentence_position", "name_position"]).head(len(texts))
    return kept.assign(text=pd.Series(texts, dtype=str))


def note_on_flips(cube: ScoreCube, listed: int) -> str:
    """That ``flips.csv`` lists the largest flips only, where there are too many or too long ones; else empty."""
    flips = sum(len(tables.find_flips(cube, target.name)) for target in cube.targets)
    left = flips - listed
    return f"flips.csv has the largest {listed:,} of {flips:,} flips: its texts may have {FLIPS.words}." if left else ""
