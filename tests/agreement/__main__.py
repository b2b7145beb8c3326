"""``python -m tests.agreement``: eighteen studies at two thresholds, read at every door (about eight minutes)."""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import time
from pathlib import Path

from tests.agreement.doors import check
from tests.agreement.studies import cases


def main(only: list[str]) -> int:
    """Print each contradiction; the exit status says whether there was one."""
    found = []
    logging.getLogger("streamlit").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"PSA_RUNS_DIR": f"{folder}/runs", "PSA_CACHE_DIR": f"{folder}/cache"}
        for title, case in cases(Path(folder)).items():
            if only and title not in only:
                continue
            start = time.monotonic()
            lines = list(check(case))
            print(
                f"{title}: {len(lines)} contradictions, {time.monotonic() - start:.0f} s",
                *lines,
                sep="\n  ",
                flush=True,
            )
            found += lines
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
