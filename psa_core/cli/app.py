"""``psa_core app``: the dashboard, on one's own machine or for the visitors of a server."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from typing import NoReturn

from psa_core.cli._base import Command
from psa_core.errors import OptionError
from psa_core.inputs import limits
from psa_core.registry import home

LOOPBACK = ("localhost", "127.0.0.1")
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, default=8501, help="(default %(default)s)")
    parser.add_argument(
        "--shared",
        action="store_true",
        help="for a server with visitors: lists no runs and opens no files of this machine; put a login in front "
        "(docs/deploy.md)",
    )
    parser.add_argument("--address", default="localhost", help="with --shared, where to listen (default %(default)s)")
    parser.add_argument("--host", action="append", default=[], help="with --shared, a host name that visitors use")
    parser.add_argument("options", metavar="-- OPTION", nargs="*", help="further options of `streamlit run`")


def _execute(options: argparse.Namespace) -> NoReturn:
    if not options.shared and (options.address not in LOOPBACK or options.host):
        raise OptionError(
            "--address",
            got=", ".join([options.address, *options.host]),
            expected="localhost",
            fix="Anyone who can reach your own dashboard can read your files. For visitors, add --shared.",
        )
    if not 0 <= options.port < 2**16:
        raise OptionError("--port", got=str(options.port), expected="0 to 65535, where 0 is any that is free")
    limits.check_settings()
    sys.stdout.flush()
    os.execve(sys.executable, _command(options), _environment(options))


def _command(options: argparse.Namespace) -> list[str]:
    """Of the server; -P: no module comes from the folder that it is started in."""
    given = {"server.address": options.address, "server.port": str(options.port)}
    has_screen = sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in SCREENS)
    if not options.shared and has_screen:
        given |= {"server.headless": "false", "server.showEmailPrompt": "false"}
    hosts = options.host if options.shared else LOOPBACK
    settings = [*given.items(), *(("server.allowedHosts", host) for host in hosts)]
    command = [sys.executable, "-P", "-m", "streamlit", "run", str(home() / "app.py")]
    return [*command, *(part for name, value in settings for part in (f"--{name}", value)), *options.options]


def _environment(options: argparse.Namespace) -> Mapping[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "PSA_HISTORY"}
    return kept if options.shared else {**kept, "PSA_HISTORY": "1"}


COMMAND = Command("app", "Open the dashboard.", _configure, _execute)
