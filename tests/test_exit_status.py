"""What comes to the edge of a program is one sentence and an exit status."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from psa_core import cli, signals
from psa_core.errors import OptionError

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{ROOT}"}


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (OptionError("--n", got="1", expected="2"), 2, "x: --n: got 1, expected 2.\n"),
        (OSError(28, "No space left on device", "a\nb"), 2, "x: 'a\\nb': No space left on device.\n"),
        (OSError(28, "No space left on device"), 2, "x: a file: No space left on device.\n"),
        (KeyboardInterrupt(), 130, "x: stopped\n"),
        (BrokenPipeError(), 0, ""),
    ],
)
def test_what_a_user_can_mend_is_one_sentence(error, status, said, capsys) -> None:
    def work() -> int:
        raise error

    assert signals.exit_status(work, named="x: ", stopped="stopped") == status
    assert capsys.readouterr().err == said


def test_a_message_quotes_no_more_than_a_line(capsys) -> None:
    assert cli.main(["compare", "a\0b"]) == 2
    assert cli.main(["flips", "y/" * 3000, "--out", "o.csv"]) == 2
    assert cli.main(["eec", "--out", "o", "--model", "\x1b[2J" + "a" * 9000]) == 2
    with pytest.raises(SystemExit) as stop:
        cli.main(["texts", "--mentions", "a" * 9000])
    assert stop.value.code == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 4
    assert max(map(len, said)) < 1_500
    assert "\x1b" not in "".join(said)


@pytest.mark.slow
def test_a_program_without_standard_output_ends_well() -> None:
    command = "import sys; sys.stdout = None; from psa_core import cli; sys.exit(cli.main(['limits']))"
    done = subprocess.run([sys.executable, "-c", command], stderr=subprocess.PIPE, env=ENVIRONMENT, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.slow
def test_output_that_nobody_can_write_to_ends_in_no_traceback() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no full device here")
    command = [sys.executable, "-m", "psa_core", "limits"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=ENVIRONMENT, text=True, check=False)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
