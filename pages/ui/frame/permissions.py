"""Which models a page offers and accepts; the rules are in `psa_core.trust`."""

from __future__ import annotations

from psa_core import jobs, models, trust
from psa_core.errors import PsaError
from psa_core.models import ModelPlugin
from psa_core.trust import Origin

#: Characters of an id that somebody types.
MAX_ID_LENGTH = 300


def origin() -> Origin:
    """Who sits before these pages: the owner of the machine, or a visitor."""
    return Origin.OWN_MACHINE if jobs.own_machine() else Origin.VISITOR


def origin_of(run_id: str, model_id: str) -> Origin:
    """On whose word the model of a run may be loaded here: a file's, where no person submitted the run with it."""
    spec = jobs.status(run_id).spec
    if spec is None or spec.model != model_id:
        return Origin.FILE
    return max(origin(), jobs.origin_at(jobs.run_path(run_id)))


def kinds() -> dict[str, ModelPlugin]:
    """The kinds of models that take an argument, by id: one that this person may name, or a file to upload."""
    named = {item: plugin for item, plugin in models.plugins().items() if plugin.argument}
    return {
        item: plugin for item, plugin in named.items() if plugin.uploads or trust.offered_to(plugin.takes, origin())
    }


def is_offered(model_id: str) -> bool:
    """Whether a person before these pages may use an id."""
    return _passes(model_id, origin())


def is_harmless(model_id: str) -> bool:
    """Whether loading a model touches nothing but the program, whoever names it."""
    return _passes(model_id, Origin.FILE)


def _passes(model_id: str, said_by: Origin) -> bool:
    try:
        models.check(model_id, said_by)
    except PsaError:
        return False
    return True


def check(model_id: str) -> str:
    """Return an id that a person before these pages may use; raises a `PsaError` for others."""
    return models.check(model_id, origin())
