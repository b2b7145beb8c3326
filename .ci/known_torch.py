"""Is the torch that pip installed one of requirements-torch.txt? ``python .ci/known_torch.py REPORT [--strict]``"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def unknown(report: Path) -> str:
    """The file that was installed and is not listed; empty where it is listed, or was there before."""
    listed = set(re.findall(r"sha256:([0-9a-f]{64})", (ROOT / "requirements-torch.txt").read_text(encoding="utf-8")))
    for item in json.loads(report.read_text(encoding="utf-8"))["install"]:
        found = item["download_info"]["archive_info"]["hashes"]["sha256"]
        if item["metadata"]["name"] == "torch" and found not in listed:
            return f"{item['download_info']['url'].rpartition('/')[2]} (sha256 {found})"
    return ""


if __name__ == "__main__":
    file = unknown(Path(sys.argv[1]))
    if file:
        print(f"torch: {file} is not one of the files in requirements-torch.txt; only its version was checked.")
        sys.exit("--strict" in sys.argv)
