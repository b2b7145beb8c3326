"""A process for untrusted models: without secrets in its environment, network, or files that it does not need.

`Sandbox.environment` is for the process to be started, which calls `enter` before it imports anything else. On Linux
the kernel holds it there (Landlock for files, seccomp for sockets; no rights are needed for either); elsewhere Python's
own audit events do, which bind Python code and not the libraries below it.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import struct
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

#: How the process is told its limits.
SETTING = "PSA_SANDBOX"
#: The only variables of its parent's environment that such a process has, so that no forgotten secret is among them.
KEPT = frozenset(
    {
        *("PATH", "LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH", "SYSTEMROOT", "CUDA_VISIBLE_DEVICES"),
        *("PYTHONPATH", "PYTHONSAFEPATH", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "PYTHONWARNINGS"),
        *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "ARROW_DEFAULT_MEMORY_POOL"),
        *("PSA_CACHE_DIR", "PSA_CACHE_OWNER", "PSA_RUNS_DIR", "PSA_HISTORY", "PSA_DEVICE", "PSA_MINILM"),
    }
)
KEPT_BEGINNINGS = ("LC_", "PSA_MAX_")
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1"}

#: What libraries look up of the machine. Landlock closes the memory and environment of others in ``/proc`` by itself.
SYSTEM = (
    *("/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64", "/usr/share/zoneinfo"),
    *("/etc/ld.so.cache", "/etc/localtime", "/proc", "/sys/devices/system", "/sys/module/nvidia"),
)
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/shm")


@dataclass(frozen=True)
class Sandbox:
    """The files and folders that a process may touch beyond the program itself.

    ``scratch`` is a folder of its own, which is its home, its place for temporary files and the one that it may always
    write. ``models`` has what was fetched for it, since it cannot fetch: the folder by ``name@revision``.
    """

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    scratch: str = ""
    models: Mapping[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        """The whole environment for such a process."""
        kept = {name: value for name, value in os.environ.items() if name in KEPT or name.startswith(KEPT_BEGINNINGS)}
        homes = ("HOME", "TMPDIR", "TEMP", "TMP", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HF_HOME")
        return {**kept, **OFFLINE, **dict.fromkeys(homes, self.scratch), SETTING: json.dumps(asdict(self))}


_entered: Sandbox | None = None


def entered() -> Sandbox | None:
    """The limits of this process; None where it has none."""
    return _entered


def enter() -> None:
    """Give up, for good, whatever the environment's setting does not list; nothing, where there is no setting.

    To be called before anything starts a thread, which would keep its rights. Raises `OSError` when the kernel refuses
    a protection that it offers.
    """
    global _entered
    if SETTING not in os.environ:
        return
    given = json.loads(os.environ[SETTING])
    box = Sandbox(tuple(given["reads"]), tuple(given["writes"]), given["scratch"], given["models"])
    tempfile.tempdir = box.scratch
    # Python, the installed packages, and this library without what else lies in its checkout.
    package = Path(__file__).resolve().parents[1]
    packages = [path for path in sys.path if path and Path(path).resolve() != package.parent]
    roots = {sys.prefix, sys.base_prefix, sys.exec_prefix, str(Path(sys.executable).resolve())}
    program = [*packages, *sorted(roots), sys.executable, str(package), str(package.parent / "assets")]
    gpus = map(str, Path("/dev").glob("nvidia*"))
    reads, writes = [*program, *SYSTEM, *box.reads], [*DEVICES, *gpus, *box.writes, box.scratch]
    if sys.platform == "linux":
        _prctl(38, 1)  # PR_SET_NO_NEW_PRIVS, without which the kernel takes no rules from those without rights
        # With some of root's capabilities a process reads the environment of any other: `capset` with none of them.
        capset = {"x86_64": 126, "aarch64": 91}.get(platform.machine(), 91)
        _libc().syscall(capset, struct.pack("Ii", 0x20080522, 0), bytes(24))
    if not all((_limit_files(reads, writes), _refuse_sockets())):
        sys.addaudithook(_guard([Path(path).resolve() for path in (*reads, *writes)]))
    _entered = box


# -- Linux: Landlock (landlock(7), since 5.13) and seccomp ---------------------------------------------------------


# Rights by their bits in the kernel's header.
_READ = 0b1101  # execute (0), read a file (2), list a folder (3)
_WRITE = 0b1111_0111_1011_0010  # all else but the making of devices (6, 11)
_OF_A_FILE = 0b1100_0000_0000_0111
#: By the kernel's version of Landlock: how many rights on files it knows.
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
_NEWEST = 16


def landlock() -> int:
    """The kernel's version of Landlock; 0 where there is none, or it is switched off."""
    if sys.platform != "linux":
        return 0
    return max(0, _libc().syscall(444, None, ctypes.c_size_t(0), 1))


def _limit_files(reads: list[str], writes: list[str]) -> bool:
    """Whether the kernel now keeps this process to these files and folders, and from others' memory and TCP."""
    version = landlock()
    if not version:
        return False
    known = (1 << _RIGHTS.get(version, _NEWEST)) - 1
    # From version 4 on the connections of TCP, from 6 on abstract sockets and signals to other processes.
    attributes = struct.pack("QQQ", known, 3, 3)[: 8 if version < 4 else 16 if version < 6 else 24]
    rules = _checked(_libc().syscall(444, attributes, ctypes.c_size_t(len(attributes)), 0))
    try:
        for path, rights in [(path, _READ) for path in reads] + [(path, _READ | _WRITE) for path in writes]:
            with suppress(OSError):  # a path that is not there need not be allowed
                opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
                try:
                    allowed = rights & known & (-1 if os.path.isdir(path) else _OF_A_FILE)
                    _checked(_libc().syscall(445, rules, 1, struct.pack("=Qi", allowed, opened), 0))
                finally:
                    os.close(opened)
        _checked(_libc().syscall(446, rules, 0))
    finally:
        os.close(rules)
    return True


#: By machine: its mark in a system call, and the numbers of `socket`, `connect` and `io_uring_setup`.
_CALLS = {"x86_64": (0xC000003E, (41, 42, 425)), "aarch64": (0xC00000B7, (198, 203, 425))}


def _refuse_sockets() -> bool:
    """Whether the kernel now refuses sockets of any kind."""
    mark, calls = _CALLS.get(platform.machine(), (0, ()))
    if not mark:
        return False
    load, equal, at_least, answer, refuse = 0x20, 0x15, 0x35, 0x06, 0x50001  # errno EPERM
    steps = [(load, 0, 0, 4), (equal, 1, 0, mark), (answer, 0, 0, refuse), (load, 0, 0, 0)]
    steps += [(at_least, len(calls) + 1, 0, 0x40000000)]  # numbers of a second kind on x86-64
    steps += [(equal, len(calls) - number, 0, call) for number, call in enumerate(calls)]
    steps += [(answer, 0, 0, 0x7FFF0000), (answer, 0, 0, refuse)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    return _prctl(22, 2, ctypes.byref(_Filter(len(steps), ctypes.addressof(code))))


class _Filter(ctypes.Structure):
    _fields_ = (("steps", ctypes.c_ushort), ("code", ctypes.c_void_p))


def _prctl(option: int, *values: Any) -> bool:
    zeros = (ctypes.c_ulong(0),) * (4 - len(values))
    plain = (ctypes.c_ulong(value) if isinstance(value, int) else value for value in values)
    return bool(_libc().prctl(option, *plain, *zeros) == 0)


def _libc() -> Any:
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    return library


def _checked(answer: int) -> int:
    if answer < 0:
        raise OSError(ctypes.get_errno(), "the kernel refused a rule of Landlock")
    return answer


# -- elsewhere -----------------------------------------------------------------------------------------------------


def _guard(allowed: list[Path]) -> Any:
    """What refuses Python code other files and all connections."""
    roots = tuple(str(path) for path in allowed)

    def guard(event: str, given: tuple[Any, ...]) -> None:
        if event in ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto"):
            raise PermissionError("no network in here")
        if event == "open" and isinstance(given[0], str | bytes | os.PathLike):
            path = os.path.realpath(os.fsdecode(given[0]))
            if not any(path == root or path.startswith(root + os.sep) for root in roots):
                raise PermissionError(f"a file outside: {path}")

    return guard
