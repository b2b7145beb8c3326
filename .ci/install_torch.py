"""Install torch, but only a file that requirements-torch.txt lists: ``python .ci/install_torch.py``

Its packages differ between machines (with and without CUDA, by processor), and pip takes the first file of the version
that it comes upon. So the file is fetched by version, and nothing of it is installed or run before its SHA-256 is found
in the list.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

LIST = Path(__file__).resolve().parent.parent / "requirements-torch.txt"


def known(folder: Path, listed: str) -> Path:
    """The wheel of torch in a folder; exits with one sentence where it is not listed."""
    (wheel,) = folder.glob("torch-*.whl")
    with wheel.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    if digest not in re.findall(r"sha256:([0-9a-f]{64})", listed):
        sys.exit(
            f"torch: {wheel.name} (sha256 {digest}) is not one of the files in {LIST.name}, so it was not installed; "
            "add its hash there if you trust it."
        )
    return wheel


def main() -> None:
    """Fetch, check, install; nothing where that version is installed already."""
    listed = LIST.read_text(encoding="utf-8")
    wanted = re.search(r"^torch==(\S+)", listed, re.MULTILINE)
    assert wanted is not None
    try:
        if version("torch").partition("+")[0] == wanted[1]:
            return
    except PackageNotFoundError:
        pass
    pip = [sys.executable, "-m", "pip", "--quiet"]
    with tempfile.TemporaryDirectory() as folder:
        fetch = ["download", "--no-deps", "--only-binary", ":all:", "--dest", folder, f"torch=={wanted[1]}"]
        subprocess.run([*pip, *fetch], check=True)
        subprocess.run([*pip, "install", "--only-binary", ":all:", str(known(Path(folder), listed))], check=True)


if __name__ == "__main__":
    main()
