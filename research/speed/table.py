"""One table: what was measured, what it should be, what it is."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """One measure; `goal` and `got` are words, `met` is None where there is no goal."""

    measure: str
    goal: str
    got: str
    met: bool | None = None


def render(rows: Iterable[Row]) -> str:
    """The table in Markdown."""
    lines = ["| measure | goal | measured | |", "|---|---|---|---|"]
    marks = {True: "met", False: "**missed**", None: ""}
    lines += [f"| {row.measure} | {row.goal} | {row.got} | {marks[row.met]} |" for row in rows]
    return "\n".join(lines)


def machine() -> str:
    """The machine and the libraries in one line."""
    libraries = ", ".join(filter(None, map(_version, ("torch", "transformers", "onnxruntime", "numpy"))))
    return (
        f"{_processor()}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}, {libraries}"
    )


def _version(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return ""


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    flags = next((line for line in lines if line.startswith("flags")), "")
    width = "AVX-512" if " avx512f" in flags else "AVX2" if " avx2" in flags else ""
    return " ".join(filter(None, (names[0] if names else platform.processor() or platform.machine(), width)))
