from __future__ import annotations

from tests.research.training.conftest import task_folder, tiny_base

__all__ = ["task_folder", "tiny_base"]
