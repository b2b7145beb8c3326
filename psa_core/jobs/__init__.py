"""Work in a process of its own that a folder describes: submit, wait for its turn, watch, cancel, resume."""

from __future__ import annotations

from psa_core.jobs._queue import advance, own_machine
from psa_core.jobs._records import (
    CANCEL,
    INPUTS,
    JOB,
    LOCK,
    PARTIAL,
    RESULT,
    RUN_ID,
    SO_FAR,
    root,
    run_path,
    write_status,
)
from psa_core.jobs.run_status import (
    MAX_TITLE_LENGTH,
    RunStatus,
    give_title,
    history,
    open_cube,
    result_folder,
    result_so_far,
    started,
    status,
    title,
)
from psa_core.jobs.runs import (
    adopt,
    cancel,
    complete_result,
    has_inputs,
    keep,
    keep_zip,
    own_copy,
    resume,
    spec_at,
    submit,
    submit_audit,
    submit_with,
    zip_as_seen,
)
