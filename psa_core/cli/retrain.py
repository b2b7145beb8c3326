"""``psa_core retrain``: go on training a classifier, so that its answers move less with the name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from psa_core.cli._base import JOB, Command, tell
from psa_core.cli._subjects import SUBJECTS, subjects_in
from psa_core.errors import OptionError
from psa_core.folders import writing
from psa_core.inputs import corpus
from psa_core.jobs.worker import Job
from psa_core.options import option
from psa_core.retraining import MAX_SEEDS, METHODS, Order, Retraining, retrain
from psa_core.retraining.measure import labelled_texts
from psa_core.scoring import Watch
from psa_core.study import StudySpec

#: Labelled texts on which the task's score is measured, at most.
LABELLED = 1000


def _execute(
    given: dict[str, Any],
    *,
    method: str = option("pair", choices=METHODS, help="augment, or logit pairing"),
    strength: str = option("1", metavar="A,B,…", help="weights of that part of the loss, a training each"),
    steps: int = option(Retraining.steps, help="steps of each training"),
    seeds: int = option(1, low=1, high=MAX_SEEDS, metavar="N", help="trainings of each strength, with different seeds"),
    switched: Path | None = option(
        None,
        metavar="FILE",
        help="anchors to leave unchanged, and words left alone to replace: a csv with sentence_id and start",
    ),
    subjects: Path | None = SUBJECTS,
    texts: str | None = option(None, metavar="FILE", help="texts to train on (default: half of the sentences)"),
    labelled: str | None = option(
        None, metavar="FILE", help="labelled texts, to measure the classifier at its own task"
    ),
    out: Path = option(metavar="DIR", help="result folder, new or empty"),
    job: Path | None = JOB,
) -> int:
    def work(watch: Watch) -> int:
        writing.check_target(out)
        try:
            strengths = tuple(float(part) for part in strength.split(",") if part.strip())
        except ValueError:
            got = repr(strength[:60])
            raise OptionError("--strength", got=got, expected="numbers, separated by commas") from None
        spec = StudySpec(**given, switched=_switched(switched), **subjects_in(subjects))
        more = corpus.load(texts).sentences["text"] if texts else ()
        known, labels = labelled_texts(labelled, most=LABELLED) if labelled else (None, ())
        recipe, numbers = Retraining(method=method, steps=steps), tuple(range(spec.seed, spec.seed + seeds))
        order = Order(spec, recipe, strengths, numbers, tuple(map(str, more)), known, labels)
        return int(retrain(order, out, watch)["runs"][0]["material"]["sentences_held_out"])

    if job is not None:
        running = Job(job)
        return running.supervise(lambda: work(Watch(running.tell, running.show, running.should_stop, running.allow)))
    print(f"measured on {work(Watch(tell=tell))} held-out sentences: results in {out}")
    return 0


def _switched(path: Path | None) -> tuple[tuple[str, int], ...]:
    if path is None:
        return ()
    try:
        table = pd.read_csv(path, dtype={"sentence_id": str, "start": int}, keep_default_na=False)
        return tuple(zip(table["sentence_id"].tolist(), table["start"].tolist(), strict=True))
    except (OSError, ValueError, LookupError) as error:
        got = f"{str(path)[:120]!r} ({str(error).splitlines()[0][:80]})"
        raise OptionError("--switched", got=got, expected="a csv with the columns sentence_id and start") from error


COMMAND = Command(
    "retrain",
    "Fine-tune a classifier, an adapter or a transformers model, so that its scores depend less on the name.",
    _execute,
    StudySpec,
)
