"""``python -m research.training``: train an adapter on labelled texts; with ``debias-lm`` first, see `language`."""

from __future__ import annotations

import argparse
import logging
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np

from psa_core import signals
from psa_core.errors import OptionError
from psa_core.inputs import json_file
from psa_core.retraining import MAX_SEEDS, METHODS, Order, Retraining, retrain
from psa_core.retraining.measure import sensitivity_table, task_table
from psa_core.scoring import Watch
from psa_core.study import StudySpec
from research.training.adapter import Origin
from research.training.language import __main__ as language
from research.training.language.__main__ import STOPPED
from research.training.recipe import METRICS, PRECISIONS, Recipe
from research.training.task import Split, Task, read_task
from research.training.threads import set_threads
from research.training.train import ABOUT, describe, score_test, train

LOG = logging.getLogger("research.training")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns 0, or 2 after one sentence on stderr about what is wrong with the input."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] == [language.NAME]:
        return language.main(words[1:])
    options = _parser().parse_args(words)
    logging.basicConfig(stream=sys.stdout, format="%(message)s")
    logging.getLogger("research.training").setLevel(logging.INFO)
    return signals.exit_status(lambda: _run(options, _shareable(words)), stopped=STOPPED)


def _shareable(words: Sequence[str]) -> str:
    """The command for the model card: of paths only the last part, since a card is read on other machines."""
    shown = [Path(word).name if "/" in word or "\\" in word else word for word in words]
    return "python -m research.training " + shlex.join(shown)


def _run(options: argparse.Namespace, command: str) -> int:
    task = read_task(options.task_folder)
    if options.counterfactual:
        _retrain(task, options)
        return 0
    if options.score_test:
        _print_scores("test", score_test(task, options.out))
        return 0
    settings = {field.name: getattr(options, field.name) for field in fields(Recipe)}
    recipe = Recipe(**settings | {"class_weights": _class_weights(options.class_weights, task.labels)})
    differences = [_difference(text) for text in options.difference]
    description = {**describe(task.labels, _about(options.about), differences=differences), "command": command}
    set_threads(options.threads)
    train(task, options.out, recipe=recipe, description=description, origin=Origin(options.base, options.start_from))
    print(f"adapter: {options.out}")
    if task.test is not None and not options.no_test:
        _print_scores("test", score_test(task, options.out))
    return 0


def _retrain(task: Task, options: argparse.Namespace) -> None:
    """Train on from `--model`, so that it moves less with the names of a list; prints the tables of its card."""
    if not options.model:
        raise OptionError("--model", got="nothing", expected="the classifier to go on from: minilm-…, or hf:FOLDER")
    if not 1 <= options.seeds <= MAX_SEEDS:
        raise OptionError("--seeds", got=str(options.seeds), expected=f"1 to {MAX_SEEDS}")
    if options.labelled < 1:
        raise OptionError("--labelled", got=str(options.labelled), expected="at least 1")
    set_threads(options.threads)
    order = Order(
        StudySpec(sentences=options.held_out, names=options.counterfactual, model=options.model, sample=options.sample),
        Retraining(method=options.method, steps=options.steps),
        (options.strength,),
        tuple(range(options.seed, options.seed + options.seeds)),
        texts=task.train.texts,
        labelled=_drawn(task.val if task.test is None else task.test, options.labelled),
        labels=task.labels,
    )
    content = retrain(order, options.out, Watch(tell=LOG.info))
    print(sensitivity_table(content), task_table(content), f"result: {options.out}", sep="\n\n")


def _drawn(split: Split, most: int) -> Split:
    rows = np.random.default_rng(0).permutation(len(split))[:most]
    return Split(tuple(split.texts[row] for row in rows), split.labels[rows])


def _print_scores(split: str, scores: Mapping[str, float]) -> None:
    print(f"{split}: " + ", ".join(f"{name} {value:.4f}" for name, value in scores.items()))


def _about(path: Path | None) -> dict[str, str]:
    """Words for the model card from a json file: title, summary, data, licence, limits."""
    if path is None:
        return {}
    try:
        content = json_file.read(path)
    except (OSError, ValueError) as error:
        raise OptionError("--about", got=f"{path}, unreadable ({error})", expected="a json file") from error
    content = content.get("about", content)
    if not isinstance(content, dict) or not set(content) & set(ABOUT):
        raise OptionError("--about", got=f"{path} without them", expected=f"an object with {', '.join(ABOUT)}")
    return {key: str(content[key]) for key in ABOUT if key in content}


def _difference(text: str) -> tuple[str, str, str]:
    """``sentiment=positive-negative`` as (name, plus, minus)."""
    name, equals, labels = text.partition("=")
    plus, comma, minus = labels.partition(",")
    if not (name and equals and plus and comma and minus):
        raise OptionError("--difference", got=repr(text), expected="NAME=LABEL,LABEL")
    return name, plus, minus


def _class_weights(texts: Sequence[str], labels: Sequence[str]) -> tuple[float, ...]:
    """``no=3`` as one weight per label, 1 where none is given."""
    weights = dict.fromkeys(labels, 1.0)
    for text in texts:
        label, equals, weight = text.rpartition("=")
        if not equals or label not in weights:
            raise OptionError("--class-weights", got=repr(text), expected=f"LABEL=NUMBER, of {', '.join(labels)}")
        try:
            weights[label] = float(weight)
        except ValueError:
            raise OptionError("--class-weights", got=repr(text), expected="a number after the =") from None
    return tuple(weights.values()) if texts else ()


def _parser() -> argparse.ArgumentParser:
    parser = signals.Parser(
        prog="python -m research.training",
        description="Train an adapter on the packaged MiniLM from a folder with train, val and test .csv[.gz] tables "
        f"(columns text and label or label_name). For a language model: python -m research.training {language.NAME}.",
    )
    parser.add_argument("--task-folder", type=Path, required=True, help="folder with train, val and test tables")
    parser.add_argument(
        "--out", type=Path, required=True, help="adapter folder to write; must not exist (but see --score-test)"
    )
    parser.add_argument("--about", type=Path, help=f"json with {', '.join(ABOUT)} for the model card")
    parser.add_argument(
        "--difference",
        action="append",
        default=[],
        metavar="NAME=LABEL,LABEL",
        help="a further target: P(first label) - P(second label)",
    )
    parser.add_argument("--base", type=Path, help="folder of another base model (default: the packaged MiniLM)")
    parser.add_argument("--start-from", type=Path, help="adapter folder on the same base whose updates come first")
    _add_retraining(parser)
    parser.add_argument("--no-test", action="store_true", help="leave the test table alone while still choosing")
    parser.add_argument("--score-test", action="store_true", help="score the adapter in --out on the test table, once")
    parser.add_argument("--threads", type=int, help="processor threads (default: torch's choice)")
    _add_recipe(parser)
    return parser


def _add_retraining(parser: argparse.ArgumentParser) -> None:
    names = parser.add_argument_group("retraining, so that a classifier moves less with the name (docs/training.md)")
    names.add_argument("--counterfactual", metavar="LIST", help="names: half is trained on, half is measured")
    names.add_argument("--model", metavar="ID", help="the classifier to go on from: minilm-…, minilm:FOLDER, hf:FOLDER")
    names.add_argument("--method", choices=METHODS, default="pair", help="augmentation, or logit pairing (default)")
    names.add_argument("--strength", type=float, default=1.0, help="weight of that part of the loss (1)")
    names.add_argument("--steps", type=int, default=Retraining.steps, help="updates of the weights (%(default)s)")
    names.add_argument("--seeds", type=int, default=3, metavar="N", help="trainings, each with its own split (3)")
    names.add_argument("--held-out", metavar="FILE", default="sample", help="sentences that are measured (sample)")
    names.add_argument("--sample", type=int, default=100, help="at most so many of them (100)")
    names.add_argument("--labelled", type=int, default=1000, help="labelled texts for the task's score (1000)")


def _add_recipe(parser: argparse.ArgumentParser) -> None:
    """An option for each of a recipe's settings."""
    choices = {"metric": METRICS, "precision": PRECISIONS}
    for field in fields(Recipe):
        option = "--" + field.name.replace("_", "-")
        if field.name == "class_weights":
            parser.add_argument(option, nargs="+", default=[], metavar="LABEL=NUMBER", help="what a mistake costs")
            continue
        kind = type(field.default)
        parser.add_argument(
            option, type=kind, default=field.default, choices=choices.get(field.name), help="%(default)s"
        )
