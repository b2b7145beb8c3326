"""Work in a process of its own that a folder describes: submit, wait for its turn, watch, cancel, resume."""

from __future__ import annotations

from psa_core.jobs._places import CANCEL, JOB, LOCK, PARTIAL, RESULT, RUN_ID, SO_FAR, root, run_path
from psa_core.jobs._starting import own_machine
from psa_core.jobs.again import has_inputs, submit_with
from psa_core.jobs.runs import (
    LIVE,
    RunStatus,
    adopt,
    advance,
    cancel,
    create,
    history,
    keep,
    open_cube,
    origin_at,
    own_copy,
    result_folder,
    result_so_far,
    resume,
    spec_at,
    status,
    submit,
    submit_audit,
    write_status,
)
from psa_core.jobs.titles import LONGEST_TITLE, give_title, started, title

__all__ = [
    "CANCEL",
    "JOB",
    "LIVE",
    "LOCK",
    "LONGEST_TITLE",
    "PARTIAL",
    "RESULT",
    "RUN_ID",
    "SO_FAR",
    "RunStatus",
    "adopt",
    "advance",
    "cancel",
    "create",
    "give_title",
    "has_inputs",
    "history",
    "keep",
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
