"""Which models a page offers and accepts; the rules are in `psa_core.trust`."""

from __future__ import annotations

from psa_core import jobs, models, trust
from psa_core.errors import PsaError
from psa_core.models import ModelPlugin
from psa_core.trust import Origin

#: Characters of an id that somebody types.
MAX_ID_LENGTH = 300


def origin() -> Origin:
    """Who uses these pages: the owner of the machine, or a visitor."""
    return Origin.OWN_MACHINE if jobs.own_machine() else Origin.VISITOR


def origin_of(run_id: str, model_id: str) -> Origin:
    """The origin of a run's model id: a file, unless a person submitted the run with it."""
    spec = jobs.status(run_id).spec
    if spec is None or spec.model != model_id:
        return Origin.FILE
    return max(origin(), jobs.origin_at(jobs.run_path(run_id)))


def kinds() -> dict[str, ModelPlugin]:
    """The kinds of models that take an argument, by id: one that this person may give, or a file to upload."""
    found = models.plugins().items()
    return {
        item: plugin
        for item, plugin in found
        if plugin.argument and (plugin.uploads or trust.offered_to(plugin.takes, origin()))
    }


def is_offered(model_id: str, to: Origin | None = None) -> bool:
    """Whether the current user, or `to`, may use an id."""
    try:
        models.check(model_id, origin() if to is None else to)
    except PsaError:
        return False
    return True


def is_harmless(model_id: str) -> bool:
    """Whether a model can be loaded without access to files or the network, whoever asks for it."""
    return is_offered(model_id, Origin.FILE)


def check(model_id: str) -> str:
    """Return an id that the current user may use; raises a `PsaError` for others."""
    return models.check(model_id, origin())
