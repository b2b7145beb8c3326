"""``psa_core app``: the dashboard, on one's own machine or for the visitors of a server."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from psa_core.cli._base import Command
from psa_core.errors import OptionError
from psa_core.inputs import limits
from psa_core.options import option
from psa_core.registry import home

LOOPBACK = ("localhost", "127.0.0.1")
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")


def _execute(
    port: int = option(8501, low=0, high=2**16 - 1, help="0 is any that is free"),
    shared: bool = option(
        False,
        help="for a server with visitors: lists no runs and opens no files of this machine; put a login in front "
        "(docs/deploy.md)",
    ),
    address: str = option("localhost", help="with --shared, where to listen"),
    host: tuple[str, ...] = option((), many=True, help="with --shared, a host name that visitors use"),
    options: tuple[str, ...] = option(
        (), flag="options", many=True, metavar="-- OPTION", help="further options of `streamlit run`"
    ),
) -> NoReturn:
    if not shared and (address not in LOOPBACK or host):
        raise OptionError(
            "--address",
            got=", ".join([address, *host]),
            expected="localhost",
            fix="Anyone who can reach your own dashboard can read your files. For visitors, add --shared.",
        )
    limits.check_settings()
    sys.stdout.flush()
    given = {"server.address": address, "server.port": str(port)}
    has_screen = sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in SCREENS)
    if not shared and has_screen:
        given |= {"server.headless": "false", "server.showEmailPrompt": "false"}
    settings = [*given.items(), *(("server.allowedHosts", name) for name in (host if shared else LOOPBACK))]
    # -P: no module comes from the folder that it is started in.
    command = [sys.executable, "-P", "-m", "streamlit", "run", str(home() / "app.py")]
    command += [part for name, value in settings for part in (f"--{name}", value)]
    environment = {name: value for name, value in os.environ.items() if name != "PSA_HISTORY"}
    os.execve(sys.executable, [*command, *options], environment if shared else {**environment, "PSA_HISTORY": "1"})


COMMAND = Command("app", "Open the dashboard.", _execute)
