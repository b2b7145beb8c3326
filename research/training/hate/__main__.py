"""``python -m research.training.hate``: build the hate speech task from public data sets."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from psa_core.errors import OptionError, PsaError
from research.training.hate.build import VALIDATION, build, read_comments, read_posts, read_tweets, with_posts


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns 0, or 2 after one sentence on stderr about what is wrong with the input."""
    parser = argparse.ArgumentParser(prog="python -m research.training.hate", description=__doc__)
    parser.add_argument("--comments", type=Path, required=True, help="folder of GoEmotions: train.csv.gz, labels.txt")
    parser.add_argument("--tweets", type=Path, required=True, help="TweetEval's offensive_train.csv.gz")
    parser.add_argument("--posts", type=Path, help="HateXplain's table: labelled posts, with --own rows of the rest")
    parser.add_argument("--own", type=int, default=7000, help="with --posts: rows that are not posts (7000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True, help="folder to write; must not exist")
    options = parser.parse_args(arguments)
    try:
        if options.out.exists():
            raise OptionError("--out", got=f"{options.out}, which exists", expected="a new folder")
        own = build(read_comments(options.comments), read_tweets(options.tweets), seed=options.seed)
        train, val = own[VALIDATION:], own[:VALIDATION]
        if options.posts:
            posts, val = read_posts(options.posts)
            train = with_posts(train, posts, most_own=options.own, seed=options.seed)
    except PsaError as error:
        print(error, file=sys.stderr)
        return 2
    options.out.mkdir(parents=True)
    train.to_csv(options.out / "train.csv.gz", index=False)
    val.to_csv(options.out / "val.csv.gz", index=False)
    print(train.groupby(["source", "label_name"]).size().to_string())
    return 0


if __name__ == "__main__":
    sys.exit(main())
