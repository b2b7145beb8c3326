"""``psa_core retrain``: go on training a classifier, so that its answers move less with the name."""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd

from psa_core.cli._base import Command, add_selection, study_spec, tell
from psa_core.errors import OptionError
from psa_core.folders import writing
from psa_core.inputs import corpus
from psa_core.jobs.worker import TELL_SECONDS, Job
from psa_core.retraining import MAX_SEEDS, METHODS, Order, Retraining, Watch, retrain
from psa_core.retraining.measure import labelled_texts

#: Labelled texts on which the task's score is measured, at most.
LABELLED = 1000
#: Texts as they are, the sentences as they are, and these with two names.
TEXTS_A_STEP = 4 * Retraining.sentences


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", metavar="ID", required=True, help="an adapter, or a transformers classifier")
    add_selection(parser)
    parser.add_argument("--method", choices=METHODS, default="pair", help="augment, or logit pairing (default)")
    parser.add_argument(
        "--strength", default="1", metavar="A,B,…", help="weights of that part of the loss, a training each (default 1)"
    )
    parser.add_argument(
        "--steps", type=int, default=Retraining.steps, help="steps of each training (default %(default)s)"
    )
    parser.add_argument(
        "--seeds", type=int, default=1, metavar="N", help="trainings of each strength, with different seeds (default 1)"
    )
    parser.add_argument(
        "--switched-off",
        metavar="FILE",
        type=Path,
        help="anchors to leave unchanged: a csv with sentence_id and start",
    )
    parser.add_argument("--texts", metavar="FILE", help="texts to train on (default: half of the sentences)")
    parser.add_argument("--labelled", metavar="FILE", help="labelled texts, to measure the classifier at its own task")
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="result folder, new or empty")
    parser.add_argument("--job", type=Path, help=argparse.SUPPRESS)


def _execute(options: argparse.Namespace) -> int:
    if options.job is not None:
        job = Job(options.job)
        return job.supervise(lambda: _retrain(options, _Progress(job).watch))
    count = _retrain(options, Watch(tell=tell))
    print(f"measured on {count} held-out sentences: results in {options.out}")
    return 0


def _retrain(options: argparse.Namespace, watch: Watch) -> int:
    writing.check_target(options.out)
    content = retrain(_order(options), options.out, watch)
    return int(content["runs"][0]["material"]["sentences_held_out"])


def _order(options: argparse.Namespace) -> Order:
    if not 1 <= options.seeds <= MAX_SEEDS:
        raise OptionError("--seeds", got=str(options.seeds), expected=f"1 to {MAX_SEEDS}")
    try:
        strengths = tuple(float(part) for part in options.strength.split(",") if part.strip())
    except ValueError:
        got = repr(options.strength[:60])
        raise OptionError("--strength", got=got, expected="numbers, separated by commas") from None
    texts = corpus.load(options.texts).sentences["text"] if options.texts else ()
    labelled, labels = labelled_texts(options.labelled, most=LABELLED) if options.labelled else (None, ())
    return Order(
        replace(study_spec(options), exclude=_switched_off(options.switched_off)),
        Retraining(method=options.method, steps=options.steps),
        strengths,
        tuple(range(options.seed, options.seed + options.seeds)),
        tuple(map(str, texts)),
        labelled,
        labels,
    )


def _switched_off(path: Path | None) -> tuple[tuple[str, int], ...]:
    if path is None:
        return ()
    try:
        table = pd.read_csv(path, dtype={"sentence_id": str, "start": int}, keep_default_na=False)
        return tuple(zip(table["sentence_id"].tolist(), table["start"].tolist(), strict=True))
    except (OSError, ValueError, LookupError) as error:
        got = f"{str(path)[:120]!r} ({str(error).splitlines()[0][:80]})"
        raise OptionError("--switched-off", got=got, expected="a csv with the columns sentence_id and start") from error


@dataclass
class _Progress:
    """The progress of a training as its job tells it: texts read, and the time that is left."""

    job: Job
    reported_at: float = 0.0
    began: float = field(default_factory=time.monotonic)
    first: int = 0

    @property
    def watch(self) -> Watch:
        return Watch(self.job.tell, self._step, self.job.should_stop, self.job.allow)

    def _step(self, done: int, total: int) -> None:
        now = time.monotonic()
        if not self.first:
            self.began, self.first = now, done
        if now - self.reported_at < TELL_SECONDS:
            return
        self.reported_at = now
        speed = (done - self.first) / max(now - self.began, 1e-9)
        left = (total - done) / speed if speed else None
        texts = {"texts_done": TEXTS_A_STEP * done, "texts_total": TEXTS_A_STEP * total}
        self.job.tell(f"Training: step {done:,} of {total:,}", seconds_left=left, **texts)


COMMAND = Command("retrain", "Fine-tune a classifier so that its scores depend less on the name.", _configure, _execute)
