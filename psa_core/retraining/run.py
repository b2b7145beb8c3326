"""Retrain with several strengths and seeds, measure, and write the result; a stopped run resumes where it was."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from psa_core import atomic, study, trust
from psa_core.cube import ScoreCube
from psa_core.errors import OptionError
from psa_core.folders import cube_file, writing
from psa_core.inputs import json_file
from psa_core.retraining.material import Material, material
from psa_core.retraining.measure import Split, card, change, over_seeds, sensitivity, task_score
from psa_core.retraining.student import Retraining, Student, fit, open_to_others, student
from psa_core.scoring import Progress, Watch
from psa_core.study import Plan, StudySpec
from psa_core.study.families import normalized

FILE = "retraining.json"
MAX_SEEDS = 1_000
BEFORE, AFTER, ADAPTER = "before.npz", "after.npz", "adapter"


@dataclass(frozen=True, eq=False)
class Order:
    """What is to be retrained, and how it is measured.

    The sentences of `spec` are measured (half of them, where there are no other `texts` to train on); strength and seed
    of the `recipe` are replaced by each of `strengths` and `seeds`, and each seed splits the names in its own way. The
    task's score is measured on `labelled` texts, whose `labels` are the model's own, or their numbers in the order of
    its outputs.
    """

    spec: StudySpec
    recipe: Retraining
    strengths: tuple[float, ...]
    seeds: tuple[int, ...] = (0,)
    texts: tuple[str, ...] = ()
    labelled: Split | None = None
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for field, values in (("--strength", self.strengths), ("--seeds", self.seeds)):
            written = [f"{value:g}" for value in values]  # as folders are called
            if not written or len(set(written)) < len(written):
                got = ", ".join(written) or "none"
                raise OptionError(field, got=got, expected="one or several numbers that differ in six digits")

    @property
    def recipes(self) -> list[Retraining]:
        """One for each strength and seed."""
        return [
            replace(self.recipe, strength=strength, seed=seed) for strength in self.strengths for seed in self.seeds
        ]


class Measured(NamedTuple):
    """The held-out cells of one classifier, and its score at its task where there are labelled texts."""

    cube: ScoreCube
    task: dict[str, float] | None


def retrain(order: Order, out: Path, watch: Watch | None = None) -> dict[str, Any]:
    """Retrain a classifier with every strength and seed, and write a result folder, all or nothing.

    Finished trainings stay in ``.<name>.part`` beside the folder until all are done. Returns what ``retraining.json``
    holds: ``runs`` (one a strength and seed: ``before``, ``after``, ``change``), ``strengths`` (means over seeds with
    intervals), ``material``, ``names``. Raises `Cancelled` when it was asked to stop, another `PsaError` when an input
    cannot be used.
    """
    watch = watch or Watch()
    out = writing.check_target(out)
    parts = out.parent / f".{out.name}.part"
    watch.tell("Reading the sentences and finding anchors")
    planned = study.plan(order.spec)
    before: dict[int, Measured] = {}
    runs = []
    for number, recipe in enumerate(order.recipes):
        key, done = _key(order, planned, recipe), parts / str(number) / "run.json"
        try:
            finished = json_file.read(done)
        except (OSError, ValueError):  # there is none, or it is damaged
            finished = {}
        if finished.get("key") != key:
            finished = {"key": key, "run": _train(order, planned, number, out, done.parent, watch, before)}
            atomic.write(done, json.dumps(finished).encode())
        runs.append(finished["run"])
    settings = {key: value for key, value in asdict(order.recipe).items() if key not in ("strength", "seed")}
    content = {"study": asdict(planned.spec), "recipe": settings, **over_seeds(runs)}
    with writing.atomic_directory(out) as aside:
        for number, recipe in enumerate(order.recipes):
            if recipe.seed == order.seeds[0]:
                folder = aside / _folder(recipe.strength)
                shutil.copytree(parts / str(number), folder)
                atomic.write(folder / ADAPTER / "README.md", card(content).encode())
                open_to_others(folder / ADAPTER)
        atomic.write(aside / FILE, (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode())
        atomic.write(aside / "README.md", card(content).encode())
    shutil.rmtree(parts, ignore_errors=True)
    return content


def _folder(strength: float) -> str:
    return f"strength-{strength:g}"


def _adapter_path(out: Path, strength: float) -> Path:
    """Where an adapter will be, for its id; a visitor does not learn where the server keeps a run, nor the run's id."""
    is_visitors = trust.current() >= trust.Origin.VISITOR
    return (Path() if is_visitors else out.resolve()) / _folder(strength) / ADAPTER


def _key(order: Order, planned: Plan, recipe: Retraining) -> str:
    """Equal for equal trainings, whatever the files were called: their content counts, not their path."""
    labelled = ([], []) if order.labelled is None else (order.labelled.texts, order.labelled.labels.tolist())
    content = json.dumps([asdict(planned.perturbation), order.texts, labelled])
    digest = hashlib.sha256(content.encode()).hexdigest()
    return json.dumps([asdict(order.spec), asdict(recipe), digest, order.labels], sort_keys=True)


def _train(
    order: Order, planned: Plan, number: int, out: Path, folder: Path, watch: Watch, before: dict[int, Measured]
) -> dict[str, Any]:
    """Train and measure one recipe and write it into a folder; `before` is by seed, and filled here."""
    recipe = order.recipes[number]
    shutil.rmtree(folder, ignore_errors=True)
    watch.tell(f"Preparing strength {recipe.strength:g}, seed {recipe.seed}")
    split = material(planned, texts=order.texts, seed=recipe.seed)
    trained = student(order.spec.model, recipe)
    labelled = _labelled(order, trained, split)
    watch.allow(split.held_out.cells)

    def measured(plan: Plan) -> Measured:
        cube = study.execute(plan, trained.scorer, should_stop=watch.should_stop)
        return Measured(cube, None if labelled is None else task_score(trained.scorer, labelled))

    old = before[recipe.seed] = before.get(recipe.seed) or measured(split.held_out)
    began = time.perf_counter()
    watch.tell(f"Training with strength {recipe.strength:g}, seed {recipe.seed}")

    def on_step(step: int) -> None:
        if watch.on_window is not None:
            watch.on_window(_progress(order, number, step, time.perf_counter() - began))

    fit(trained, split, recipe, on_step=on_step, should_stop=watch.should_stop)
    seconds = time.perf_counter() - began
    watch.tell(f"Measuring strength {recipe.strength:g}, seed {recipe.seed}")
    spec = replace(order.spec, model=trained.id_with(_adapter_path(out, recipe.strength)))
    new = measured(replace(split.held_out, spec=spec))
    folder.mkdir(parents=True)
    trained.save(folder / ADAPTER)
    cube_file.save(old.cube, folder / BEFORE)
    cube_file.save(new.cube, folder / AFTER)
    targets = [target.name for target in old.cube.targets]
    return {
        "strength": recipe.strength,
        "seed": recipe.seed,
        "material": split.counts,
        "names": {"trained": list(split.trained.names), "held_out": split.held_out.names.table["name"].tolist()},
        "before": {target: sensitivity(old.cube, target) for target in targets},
        "after": {target: sensitivity(new.cube, target) for target in targets},
        "change": {target: change(old.cube, new.cube, target) for target in targets},
        "task": None if old.task is None else {"before": old.task, "after": new.task},
        "seconds": round(seconds, 1),
        "labelled": 0 if labelled is None else len(labelled),
    }


def _progress(order: Order, number: int, step: int, seconds: float) -> Progress:
    """How far all trainings are, when this one, whose `number` is from 0, has done so many steps in so many seconds."""
    total, done = len(order.recipes) * order.recipe.steps, number * order.recipe.steps + step
    texts = 4 * order.recipe.sentences  # texts as they are, the sentences as they are, and these with two names
    rate, words = step / max(seconds, 1e-9), f"Training: step {done:,} of {total:,}"
    return Progress(0, 0, texts * done, texts * total, seconds, texts * rate, (total - done) / rate, words=words)


def _labelled(order: Order, trained: Student, split: Material) -> Split | None:
    """The labelled texts that are not trained on, with classes as the model numbers them."""
    if order.labelled is None:
        return None
    known = [str(label) for label in trained.model.config.id2label.values()]
    known = [f"not {known[0]}", *known] if len(known) == 1 else known  # one output says yes or no
    number_of = {str(number): number for number in range(len(known))} | {name: i for i, name in enumerate(known)}
    unknown = [label for label in order.labels if label not in number_of]
    if unknown:
        raise OptionError("labels", got=repr(unknown[0][:60]), expected=f"the classifier's own: {', '.join(known)}")
    numbers = np.array([number_of[label] for label in order.labels], dtype=np.int64)
    trained_on = set(map(normalized, split.texts))
    rows = [row for row, text in enumerate(order.labelled.texts) if normalized(text) not in trained_on]
    if not rows:
        raise OptionError("labelled texts", got="only texts that are trained on", expected="some others to measure on")
    return Split(tuple(order.labelled.texts[row] for row in rows), numbers[order.labelled.labels[rows]])
