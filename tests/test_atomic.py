"""What the disk says is an `OSError`, whichever library writes."""

from __future__ import annotations

import errno
import resource
import signal
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from psa_core import atomic


def test_a_full_disk_under_weights_is_told_as_any_full_disk(tmp_path: Path) -> None:
    before, limits = signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large") as told, atomic.disk_errors():
            save_file({"w": np.zeros(10_000, np.float32)}, tmp_path / "w.safetensors")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    assert told.value.errno == errno.EFBIG
