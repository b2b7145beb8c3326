"""How many processor threads a training takes."""

from __future__ import annotations

from psa_core.errors import OptionError


def set_threads(threads: int | None) -> None:
    """Have torch compute with so many threads; None leaves its own choice."""
    if threads is not None:
        import torch

        if threads < 1:
            raise OptionError("--threads", got=str(threads), expected="at least 1")
        torch.set_num_threads(threads)
