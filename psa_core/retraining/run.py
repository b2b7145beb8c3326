"""Retrain, measure and write down: several strengths and seeds; what is finished is kept, so a stopped run goes on."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from psa_core import atomic, study, trust
from psa_core.cube import ScoreCube
from psa_core.errors import OptionError
from psa_core.folders import cube_file, writing
from psa_core.inputs import json_file
from psa_core.models import Scorer
from psa_core.retraining.card import card
from psa_core.retraining.fit import fit
from psa_core.retraining.labelled import Split
from psa_core.retraining.material import Material, material
from psa_core.retraining.measure import change, sensitivity, task_score
from psa_core.retraining.recipe import Retraining
from psa_core.retraining.seeds import over_seeds
from psa_core.retraining.student import Student, student
from psa_core.retraining.updates import open_to_others
from psa_core.study import Plan, StudySpec
from psa_core.study.near_duplicates import normalized

FILE = "retraining.json"
MAX_SEEDS = 1_000
BEFORE, AFTER, ADAPTER = "before.npz", "after.npz", "adapter"


@dataclass(frozen=True, eq=False)
class Order:
    """What is to be retrained, and how it is measured.

    Attributes
    ----------
    spec : StudySpec
        Model, name list, and the sentences that are measured (half of them, where there are no other training texts).
    recipe : Retraining
        Its strength and seed are replaced by those below.
    strengths : tuple of float
    seeds : tuple of int
        Each splits the names anew.
    texts : tuple of str
        Other texts to train on; empty: half of the study's sentences.
    labelled : Split or None
        Texts with the classes that the model knows, for the task's score.
    labels : tuple of str
        Those classes: the model's own, or their numbers in the order of its outputs.
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


@dataclass(frozen=True)
class Watch:
    """Who is told of the progress, who may stop it, and who says how many cells may be measured."""

    tell: Callable[[str], None] = lambda _: None
    on_step: Callable[[int, int], None] = lambda _done, _total: None
    should_stop: Callable[[], bool] | None = None
    allow: Callable[[int], None] = lambda _: None


def retrain(order: Order, out: Path, watch: Watch | None = None) -> dict[str, Any]:
    """Retrain a classifier with every strength and seed, and write a result folder, all or nothing.

    Parameters
    ----------
    order : Order
    out : path
        New or empty. What is finished stays in ``.<name>.part`` beside it until everything is.
    watch : Watch, optional

    Returns
    -------
    dict
        What ``retraining.json`` holds: ``runs`` (one a strength and seed: ``before``, ``after``, ``change``),
        ``strengths`` (means over seeds with intervals), ``material``, ``names``.

    Raises
    ------
    Cancelled
        When it was asked to stop.
    PsaError
        When an input cannot be used.
    """
    watch = watch or Watch()
    out = writing.check_target(out)
    watch.tell("Reading the sentences and finding anchors")
    planned = study.plan(order.spec)
    before: dict[int, Measured] = {}
    runs = [_one(order, planned, number, out, watch, before) for number in range(len(order.recipes))]
    settings = {key: value for key, value in asdict(order.recipe).items() if key not in ("strength", "seed")}
    content = {"study": asdict(planned.spec), "recipe": settings, **over_seeds(runs)}
    with writing.atomic_directory(out) as aside:
        for number, recipe in enumerate(order.recipes):
            if recipe.seed == order.seeds[0]:
                place = aside / _folder(recipe.strength)
                shutil.copytree(_part(out) / str(number), place)
                atomic.write(place / ADAPTER / "README.md", card(content).encode())
                open_to_others(place / ADAPTER)
        atomic.write(aside / FILE, (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode())
        atomic.write(aside / "README.md", card(content).encode())
    shutil.rmtree(_part(out), ignore_errors=True)
    return content


def _folder(strength: float) -> str:
    return f"strength-{strength:g}"


def _place(out: Path, strength: float) -> Path:
    """Where an adapter will be, for its id; a visitor is not told where the server keeps a run, nor the run's id."""
    is_visitors = trust.current() >= trust.Origin.VISITOR
    return (Path() if is_visitors else out.resolve()) / _folder(strength) / ADAPTER


def _part(out: Path) -> Path:
    return out.parent / f".{out.name}.part"


def _key(order: Order, planned: Plan, recipe: Retraining) -> str:
    """Equal for equal trainings, whatever the files were called: what was read counts, not where."""
    labelled = ([], []) if order.labelled is None else (order.labelled.texts, order.labelled.labels.tolist())
    read = json.dumps([asdict(planned.perturbation), order.texts, labelled])
    digest = hashlib.sha256(read.encode()).hexdigest()
    return json.dumps([asdict(order.spec), asdict(recipe), digest, order.labels], sort_keys=True)


def _one(
    order: Order, planned: Plan, number: int, out: Path, watch: Watch, before: dict[int, Measured]
) -> dict[str, Any]:
    """Train and measure one recipe, unless an earlier run of this order has; `before` is by seed."""
    recipe, folder = order.recipes[number], _part(out) / str(number)
    key, done = _key(order, planned, recipe), folder / "run.json"
    if (known := _known(done)).get("key") == key:
        run: dict[str, Any] = known["run"]
        return run
    shutil.rmtree(folder, ignore_errors=True)
    watch.tell(f"Preparing strength {recipe.strength:g}, seed {recipe.seed}")
    split = material(planned, texts=order.texts, seed=recipe.seed)
    pupil = student(order.spec.model, recipe)
    labelled = _labelled(order, pupil, split)
    watch.allow(split.held_out.cells)
    if recipe.seed not in before:
        before[recipe.seed] = _measured(split.held_out, pupil.scorer, labelled, watch)
    began, total = time.perf_counter(), len(order.recipes) * recipe.steps
    watch.tell(f"Training with strength {recipe.strength:g}, seed {recipe.seed}")
    first = number * recipe.steps
    fit(pupil, split, recipe, on_step=lambda step: watch.on_step(first + step, total), should_stop=watch.should_stop)
    seconds = time.perf_counter() - began
    watch.tell(f"Measuring strength {recipe.strength:g}, seed {recipe.seed}")
    named = replace(order.spec, model=pupil.id_with(_place(out, recipe.strength)))
    after = _measured(replace(split.held_out, spec=named), pupil.scorer, labelled, watch)
    folder.mkdir(parents=True)
    pupil.save(folder / ADAPTER)
    cube_file.save(before[recipe.seed].cube, folder / BEFORE)
    cube_file.save(after.cube, folder / AFTER)
    run = _run(recipe, split, before[recipe.seed], after) | {"seconds": round(seconds, 1)}
    run["labelled"] = 0 if labelled is None else len(labelled)
    atomic.write(done, json.dumps({"key": key, "run": run}).encode())
    return run


def _known(done: Path) -> dict[str, Any]:
    """A training that an earlier run finished; nothing where there is none, or its note is damaged."""
    try:
        return json_file.read(done)
    except (OSError, ValueError):
        return {}


def _labelled(order: Order, pupil: Student, split: Material) -> Split | None:
    """The labelled texts that are not trained on, with classes as the model numbers them."""
    if order.labelled is None:
        return None
    known = [str(label) for label in pupil.model.config.id2label.values()]
    known = [f"not {known[0]}", *known] if len(known) == 1 else known  # one output says yes or no
    where = {str(number): number for number in range(len(known))} | {name: i for i, name in enumerate(known)}
    unknown = [label for label in order.labels if label not in where]
    if unknown:
        raise OptionError("labels", got=repr(unknown[0][:60]), expected=f"the classifier's own: {', '.join(known)}")
    numbers = np.array([where[label] for label in order.labels], dtype=np.int64)
    trained = set(map(normalized, split.texts))
    rows = [row for row, text in enumerate(order.labelled.texts) if normalized(text) not in trained]
    if not rows:
        raise OptionError("labelled texts", got="only texts that are trained on", expected="some others to measure on")
    return Split(tuple(order.labelled.texts[row] for row in rows), numbers[order.labelled.labels[rows]])


def _measured(planned: Plan, scorer: Scorer, labelled: Split | None, watch: Watch) -> Measured:
    cube = study.execute(planned, scorer, should_stop=watch.should_stop)
    return Measured(cube, None if labelled is None else task_score(scorer, labelled))


def _run(recipe: Retraining, split: Material, before: Measured, after: Measured) -> dict[str, Any]:
    targets = [target.name for target in before.cube.targets]
    return {
        "strength": recipe.strength,
        "seed": recipe.seed,
        "material": split.words,
        "names": {"trained": list(split.trained.names), "held_out": split.held_out.names.table["name"].tolist()},
        "before": {target: sensitivity(before.cube, target) for target in targets},
        "after": {target: sensitivity(after.cube, target) for target in targets},
        "change": {target: change(before.cube, after.cube, target) for target in targets},
        "task": None if before.task is None else {"before": before.task, "after": after.task},
    }


__all__ = ["ADAPTER", "AFTER", "BEFORE", "FILE", "MAX_SEEDS", "Order", "Watch", "retrain"]
