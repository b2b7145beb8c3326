"""Work in a process of its own that a folder describes: submit, wait for its turn, watch, cancel, resume."""

from __future__ import annotations

from psa_core.jobs._places import CANCEL, JOB, LOCK, PARTIAL, RESULT, RUN_ID, SO_FAR, root, run_path
from psa_core.jobs._records import write_status
from psa_core.jobs._starting import advance, own_machine
from psa_core.jobs.create import adopt, keep, own_copy
from psa_core.jobs.imports import complete_result, keep_zip
from psa_core.jobs.rerun import has_inputs, submit_with
from psa_core.jobs.run_status import LIVE, RunStatus, history, open_cube, result_folder, result_so_far, status
from psa_core.jobs.runs import cancel, origin_at, resume, spec_at, submit, submit_audit
from psa_core.jobs.titles import MAX_TITLE_LENGTH, give_title, started, title

__all__ = [
    "CANCEL",
    "JOB",
    "LIVE",
    "LOCK",
    "MAX_TITLE_LENGTH",
    "PARTIAL",
    "RESULT",
    "RUN_ID",
    "SO_FAR",
    "RunStatus",
    "adopt",
    "advance",
    "cancel",
    "complete_result",
    "give_title",
    "has_inputs",
    "history",
    "keep",
    "keep_zip",
    "open_cube",
    "origin_at",
    "own_copy",
    "own_machine",
    "result_folder",
    "result_so_far",
    "resume",
    "root",
    "run_path",
    "spec_at",
    "started",
    "status",
    "submit",
    "submit_audit",
    "submit_with",
    "title",
    "write_status",
]
