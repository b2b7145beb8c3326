"""Everything that reads what somebody brings, with small undamaged inputs to start from."""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd

from pages.ui.audits.frame import AuditPage
from pages.ui.frame import state
from psa_core import audits, jobs, models
from psa_core.audits import chats, generation, nationality
from psa_core.audits import eec as equity
from psa_core.audits.eec import corpus as eec
from psa_core.audits.eec.result import of_design
from psa_core.audits.nationality import result
from psa_core.cube import ScoreCube, Target
from psa_core.folders import cube_file, judgements, manifest, results
from psa_core.inputs import corpus, names
from psa_core.models import predictions
from psa_core.registry import ASSETS
from psa_core.study import StudySpec
from tests.fuzz import command_line, model_files, nested, written
from tests.fuzz.mutation import damaged, damaged_table, every_format, odd_json, odd_text
from tests.zips import judged_in, read_zip

Draw = random.Random
Case = Callable[[Draw, Path], object]
ROWS = [
    ("a", "He left, she “stayed”.", "he"),
    ("b", 'She said "no" twice', "she"),
    ("c", "Nobody came.\nHe did.", "it"),
]
TARGETS = (Target("toxicity", 0.0, 1.0, "how toxic"), Target("sentiment", -1.0, 1.0))
STUDY = {"sentences": "sample", "names": "demo", "model": "vader", "seed": 3}


def sentences(draw: Draw, _: Path) -> object:
    name, content = damaged_table(draw, _sentences())
    return corpus.parse(name, content, draw.choice((None, None, "text", "genre ", odd_text(draw))))


@cache
def _sentences() -> dict[str, bytes]:
    return every_format(("sentence_id", "text", "genre"), ROWS)


def name_list(draw: Draw, _: Path) -> object:
    if draw.random() < 0.2:
        return names.from_text(odd_text(draw))
    return names.read_names(*damaged_table(draw, _names()))


@cache
def _names() -> dict[str, bytes]:
    return every_format(
        ("gender", "name", "born"), [("female", "Ann Lee", 1950), ("male", "Beyoncé", 1981), ("", "O’Neil", 7)]
    )


def scores(draw: Draw, folder: Path) -> object:
    name, content = damaged_table(draw, _scores())
    (folder / name).write_bytes(content)
    options = draw.choice(("", "", "?targets=toxicity", "?range=0..1", "?targets=text,x", f"?{odd_text(draw)}"))
    return predictions.load(f"{folder / name}{options}")


@cache
def _scores() -> dict[str, bytes]:
    return every_format(("text_id", "text", "toxicity"), [(n, text, n / 4) for n, (_, text, _) in enumerate(ROWS)])


def design(draw: Draw, _: Path) -> object:
    part = draw.choice(eec.PARTS)
    file = "emotion_words" if part == "words" else part
    content = damaged((ASSETS / "eec" / f"{file}.csv").read_bytes(), draw)
    own = {name: getattr(eec.published_design(), name) for name in eec.PARTS}
    return eec.Design(**own | {part: eec.read_part(part, content)})


@cache
def study() -> ScoreCube:
    """A study of two sentences with three names and two targets."""
    table = pd.DataFrame(
        [("a", "He left.", "He", 0, 2, "subject", "x"), ("b", "=I saw him.", "him", 7, 10, "object", "y")],
        columns=["sentence_id", "text", "anchor", "start", "end", "role", "genre"],
    )
    people = pd.DataFrame({"name": ["Ann", "Bo", "=Cy"], "gender": ["female", "male", "male"]})
    random_scores = np.random.default_rng(0).random((2, 4, 2)).astype(np.float32)
    content = {
        "study": STUDY,
        "targets": [vars(target) for target in TARGETS],
        "inputs": {"sentences": {"source": "a.csv", "sha256": "0"}, "names": {"source": "demo", "sha256": "0"}},
        "account": {"read": 3, "kept": 2},
        "notes": ["One was left out."],
        "versions": {"python": "3.11"},
        "fingerprint": "vader-1",
    }
    return ScoreCube(table, people, TARGETS, random_scores[:, 0], random_scores[:, 1:], content)


@cache
def _study_files(place: Path) -> dict[str, bytes]:
    results.write(study(), place / "study", lambda _: "report")
    judgement = judgements.Judgement("a", "Ann", "toxicity", "defect")
    judgements.save(place / "study", judgement)
    return _files(place / "study")


@cache
def _eec_files(place: Path) -> dict[str, bytes]:
    whole = eec.published_design()
    own = eec.Design(whole.templates.head(3), whole.people, whole.words.groupby("kind").head(2))
    values = np.random.default_rng(1).random((len(own.rows), len(own.people), 1)).astype(np.float32)
    cube = eec.cube(own, TARGETS[:1], values)
    about = {"spelling": "published", "models": {"vader": {}}}
    equity.AUDIT.write(of_design(own, {"vader": cube}, {}, about), place / "eec")
    return _files(place / "eec")


@cache
def _nationality_files(place: Path) -> dict[str, bytes]:
    cube = study()
    columns = pd.DataFrame({"name": ["India 1", "France 1"], "country": ["India", "France"], "iso3": ["IND", "FRA"]})
    columns = columns.assign(draw=["1", "1"])
    table = cube.sentences.assign(entities=["0:2", "7:10"])
    content = {
        **cube.provenance,
        "audit": "nationality",
        "account": dict.fromkeys(result.COUNTED, 1),
        "options": {"draws": 1, "model": "vader"},
        "names_not_in_latin_letters_left_out": {},
        "people_finder": "x",
    }
    audited = ScoreCube(table, columns, TARGETS, cube.original, cube.perturbed[:, :2], content)
    texts = (("A left.", "B left."), ("=I saw A.", "=I saw B."))
    nationality.AUDIT.write(result.measured(audited, texts, None), place / "nationality")
    return _files(place / "nationality")


@cache
def _generation_files(place: Path) -> dict[str, bytes]:
    written.write(place / "generation")
    return _files(place / "generation")


@cache
def _chats_files(place: Path) -> dict[str, bytes]:
    written.write_chats(place / "chats" / "out")
    return _files(place / "chats" / "out")


AUDITS = (
    (equity.AUDIT, _eec_files),
    (nationality.AUDIT, _nationality_files),
    (generation.AUDIT, _generation_files),
    (chats.AUDIT, _chats_files),
)


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


def _one_damaged(draw: Draw, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of a folder, one or two of them damaged; the manifest most often."""
    changed = {name: content for name, content in files.items() if not name.endswith(".html")}
    for _ in range(draw.randint(1, 2)):
        name = "manifest.json" if draw.random() < 0.5 else draw.choice(list(changed))
        if name.endswith(".json") and draw.random() < 0.8:
            changed[name] = json.dumps(odd_json(json.loads(files[name]), draw)).encode()
        elif draw.random() < 0.05:
            changed.pop(name, None)
        else:
            changed[name] = damaged(files[name], draw, list(files.values()))
        if not changed:
            break
    return changed


def _zipped(files: Mapping[str, bytes], draw: Draw) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", draw.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED))) as archive:
        for name, content in files.items():
            archive.writestr(draw.choice((name, f"study/{name}", f"../{name}")), content)
    content = buffer.getvalue()
    return damaged(content, draw) if draw.random() < 0.3 else content


def _in_folder(files: Mapping[str, bytes], folder: Path) -> Path:
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


class Folders:
    """Readers of folders and zips; their undamaged files are made once, in `place`."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def zipped_study(self, draw: Draw, _: Path) -> object:
        cube = read_zip(_zipped(_one_damaged(draw, _study_files(self.place)), draw))
        return jobs.keep(cube, lambda _: "report") if draw.random() < 0.2 else cube

    def zipped_judgements(self, draw: Draw, _: Path) -> object:
        files = _study_files(self.place)
        changed = files | {judgements.FILE: damaged(files[judgements.FILE], draw)}
        return judged_in(_zipped(changed, draw), study())

    def run_folder(self, draw: Draw, folder: Path) -> object:
        return results.read(_in_folder(_one_damaged(draw, _study_files(self.place)), folder))

    def eec_audit(self, draw: Draw, folder: Path) -> object:
        return equity.AUDIT.read(_in_folder(_one_damaged(draw, _eec_files(self.place)), folder))

    def nationality_audit(self, draw: Draw, folder: Path) -> object:
        return nationality.AUDIT.read(_in_folder(_one_damaged(draw, _nationality_files(self.place)), folder))

    def generation_audit(self, draw: Draw, folder: Path) -> object:
        brought = _in_folder(_one_damaged(draw, _generation_files(self.place)), folder)
        if draw.random() < 0.9:
            return generation.AUDIT.read(brought)
        return generation.AUDIT.rewrite(brought, folder / "anew")

    def chats_audit(self, draw: Draw, folder: Path) -> object:
        brought = _in_folder(_one_damaged(draw, _chats_files(self.place)), folder)
        if draw.random() < 0.9:
            return chats.AUDIT.read(brought)
        return chats.AUDIT.rewrite(brought, folder / "anew")

    def zipped_audit(self, draw: Draw, _: Path) -> object:
        audit, files = draw.choice(AUDITS)
        content = _zipped(_one_damaged(draw, files(self.place)), draw)
        return audits.open_zip(audit.id, content, self.place / f"opened-{draw.random()}")

    def partial_result(self, draw: Draw, folder: Path) -> object:
        cube_file.save(study(), folder / "partial.npz")
        content = (folder / "partial.npz").read_bytes()
        (folder / "partial.npz").write_bytes(damaged(content, draw))
        return cube_file.load(folder / "partial.npz")


def manifests(draw: Draw, folder: Path) -> object:
    whole = {**study().provenance, "name_columns": ["name", "gender"]}
    text = json.dumps(odd_json(whole, draw)).encode()
    (folder / "manifest.json").write_bytes(text if draw.random() < 0.8 else damaged(text, draw))
    content = manifest.read(folder / "manifest.json")
    return StudySpec.from_mapping(content.get("study", {}))


def model_id(draw: Draw, _: Path) -> object:
    kind = draw.choice(("predictions", "minilm", "sklearn", "onnx", "nowhere", "", "keyword"))
    argument = draw.choice((odd_text(draw), "x" * 260, "~nobody", "/" * 9, "a\0b", "../" * 90, odd_text(draw) + ".csv"))
    return models.load(f"{kind}:{argument}" if draw.random() < 0.9 else argument)


class Address(dict[str, list[str]]):
    """The parameters of a page's address, as the framework gives them."""

    def get(self, name: str, default: str = "") -> str:  # type: ignore[override]
        return self[name][-1] if self.get_all(name) else default

    def get_all(self, name: str) -> list[str]:
        return super().get(name, [])

    def __setitem__(self, name: str, value: str | list[str]) -> None:
        super().__setitem__(name, [value] if isinstance(value, str) else value)


def address(draw: Draw, _: Path) -> object:
    odd = ("", "nan", "-inf", "1e999", "0.5", "0x1", "toxicity", "a", "Ann", "A" * 20, "../" * 7, "x" * 260, "\ud800")
    values = [*odd, odd_text(draw), odd_text(draw)]
    parameters = Address()
    for name in (*state.PARAMETERS, "eec", "nationality", odd_text(draw)):
        parameters[name] = [draw.choice(values) for _ in range(draw.choice((0, 1, 1, 3, 60)))]
    with (
        mock.patch.object(state.st, "query_params", parameters),
        mock.patch.object(state.st, "session_state", {}),
    ):
        seen = state.view(study())
        audit = AuditPage("eec", "equity audit")
        return jobs.run_path(draw.choice((seen.run, audit.run_id, draw.choice(values))) or "x")


def undamaged(place: Path) -> list[object]:
    """What the readers of folders and zips make of the files that the damaged ones are made from."""
    for audit, files in AUDITS:
        audits.open_zip(audit.id, _zipped_whole(files(place)), place / f"opened-{audit.id}")
    opened = [audit.read(place / f"opened-{audit.id}") for audit, _ in AUDITS]
    return [read_zip(_zipped_whole(_study_files(place))), *opened]


def _zipped_whole(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def loaders(place: Path) -> dict[str, tuple[int, Case]]:
    """Each reader with its share of the cases, by name."""
    folders = Folders(place)
    return {
        "sentences": (10, sentences),
        "names": (7, name_list),
        "predictions": (5, scores),
        "continuations": (4, written.continuations),
        "templates and values": (3, written.prompt_sets),
        "question": (4, written.question),
        "equity design": (3, design),
        "zipped study": (4, folders.zipped_study),
        "zipped judgements": (1, folders.zipped_judgements),
        "run folder": (6, folders.run_folder),
        "equity audit": (3, folders.eec_audit),
        "nationality audit": (5, folders.nationality_audit),
        "generation audit": (4, folders.generation_audit),
        "chats audit": (2, folders.chats_audit),
        "logs": (2, written.logs),
        "people": (1, command_line.people),
        "prices": (1, written.price_table),
        "zipped audit": (3, folders.zipped_audit),
        "partial result": (4, folders.partial_result),
        "retraining": (2, written.retraining),
        "manifest": (5, manifests),
        "nested JSON": (2, nested.deep),
        "adapter": (2, model_files.adapter),
        "adapter weights": (1, model_files.adapter_weights),
        "model folder": (1, model_files.model_folder),
        "onnx folder": (1, model_files.onnx_folder),
        "skops file": (1, model_files.skops_file),
        "model id": (4, model_id),
        "address": (2, address),
        "documents": (2, command_line.documents),
        "answers": (1, command_line.answers),
        "conditions": (1, command_line.conditions),
        "evidence": (1, command_line.evidence),
        "tasks": (1, command_line.tasks),
        "question asked": (1, command_line.asked),
    }
