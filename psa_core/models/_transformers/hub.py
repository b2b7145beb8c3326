"""Locate a transformers model: a local folder, or a model hub's files, downloaded when missing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatch
from pathlib import Path
from urllib.parse import parse_qsl

from psa_core import trust
from psa_core.errors import ModelError
from psa_core.inputs.checks import path_of
from psa_core.inputs.limits import HUB
from psa_core.models._answers import reason
from psa_core.models._transformers.vetting import vetted
from psa_core.models._transformers.visitors import Public
from psa_core.trust import sandbox

TOKENIZER_FILES = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model", "bpe.codes")
SMALL_FILES = (
    *("*config.json", "tokenizer*", "vocab*", "merges.txt", "special_tokens_map.json", "added_tokens.json"),
    *("*.model", "chat_template.jinja"),
)
SAFE_WEIGHTS = ("model.safetensors", "model-*.safetensors", "model.safetensors.index.json")
PICKLED_WEIGHTS = ("pytorch_model.bin", "pytorch_model-*.bin", "pytorch_model.bin.index.json")
#: A branch, tag or commit; no part of it is ``..``, which would lead out of the hub's own folders.
REVISION = re.compile(r"[A-Za-z0-9_][\w.-]{0,99}(/[A-Za-z0-9_][\w.-]{0,99}){0,4}", re.ASCII)
COMMIT = re.compile(r"[0-9a-f]{40}")
#: The ids of the models that visitors may load where the hub is offline, separated by commas.
OFFLINE_MODELS = "PSA_OFFLINE_MODELS"
FLAGS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


def split_options(argument: str, known: tuple[str, ...]) -> tuple[str, dict[str, str]]:
    """Split ``name?option=value&option=value`` into the name and its options.

    Raises
    ------
    ModelError
        When an option is not among the known ones or has no value.
    """
    name, _, query = argument.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    wrong = [key for key, value in options.items() if key not in known or not value]
    if wrong or (query and not options):
        raise ModelError(
            "model options",
            got=repr(query),
            expected=f"{', '.join(f'{option}=…' for option in known)}, joined by &",
            fix=f"For example: {name}?{known[0]}=…",
        )
    return name, options


def flag(options: Mapping[str, str], name: str) -> bool:
    """Whether an option says yes; False when it is not given.

    Raises
    ------
    ModelError
        When its value is neither yes nor no.
    """
    value = options.get(name, "0").lower()
    if value not in FLAGS:
        raise ModelError(f"model option {name}", got=repr(value), expected="1 or 0")
    return FLAGS[value]


def files_of(name: str, options: Mapping[str, str], *, weights: bool = True, vouched: bool = False) -> Path:
    """Folder with a model's files: the folder of that name, or the hub's model, fetched to this machine's cache.

    For visitors it is a copy of what may be read of it; see `vetting`.

    Parameters
    ----------
    name : str
        A folder, or a hub id such as ``cardiffnlp/twitter-roberta-base-sentiment-latest``.
    options : mapping
        ``revision`` of a hub model; ``allow_pickle`` fetches pickled weights where there are no others.
    weights : bool
        False fetches the small files only.
    vouched : bool
        Whether whoever runs the program names it, whoever is being acted for.

    Raises
    ------
    ModelError
        When there is neither such a folder nor such a model, or the hub cannot be reached or refuses.
    """
    is_visitors = trust.current() >= trust.Origin.VISITOR and not vouched
    folder = path_of(name)
    if is_visitors and (trust.is_hub_id(name) or not folder.is_dir()):
        return vetted(_fetch(name, options, patterns=[*SMALL_FILES, *(SAFE_WEIGHTS if weights else ())]))
    if folder.is_dir():
        return vetted(folder) if is_visitors else folder
    if folder.is_file():
        raise ModelError("model", got=f"the file {name}", expected="a folder or a hub id", fix="Give its folder.")
    if not trust.is_hub_id(name):
        raise ModelError(
            "model", got=repr(name[:120]), expected="a folder that exists, or a hub id such as owner/model"
        )
    found = _fetch(name, options, patterns=[*SMALL_FILES, *(SAFE_WEIGHTS if weights else ())], vouched=vouched)
    if weights and flag(options, "allow_pickle") and not any(found.glob("*.safetensors")):
        found = _fetch(name, options, patterns=list(PICKLED_WEIGHTS))
    return found


def fetch(needs: Iterable[trust.Need]) -> dict[str, str]:
    """Fetch the models of a hub that loading something needs, for a process that cannot: their `Sandbox.models`.

    Raises
    ------
    ModelError
        As `files_of`.
    """
    found = {}
    for need in needs:
        if need.kind is trust.Kind.HUB:
            options = {"revision": need.revision} if need.revision else {}
            folder = _fetch(need.value, options, patterns=[*SMALL_FILES, *SAFE_WEIGHTS])
            found[f"{need.value}@{need.revision}"] = str(folder)
    return found


def _fetch(name: str, options: Mapping[str, str], *, patterns: list[str], vouched: bool = False) -> Path:
    import huggingface_hub
    from huggingface_hub import constants, errors

    what = f"hub model {name}"
    revision = options.get("revision")
    if revision is not None and not REVISION.fullmatch(revision):
        raise ModelError("model option revision", got=repr(revision[:60]), expected="a branch, tag or commit")
    is_visitors = trust.current() >= trust.Origin.VISITOR and not vouched
    if (box := sandbox.entered()) is not None:
        folder = box.models.get(f"{name}@{revision or ''}")
        if folder is None:
            raise _not_here(what)
        return Path(folder)
    cache = Path(constants.HF_HUB_CACHE)
    try:
        if is_visitors and not constants.HF_HUB_OFFLINE:
            public = _public(name, revision, patterns)
            if there := public.whole_in(cache):
                return there
            cache, revision = public.room(), public.commit
            if there := public.whole_in(cache):
                return there
        elif is_visitors and not _is_listed(name):  # what else is here may be private
            raise _not_here(what)
        folder = huggingface_hub.snapshot_download(
            name,
            revision=revision,
            cache_dir=cache,
            allow_patterns=patterns,
            token=False if is_visitors else None,  # the operator's login is not a visitor's
        )
        if is_visitors and not _is_snapshot(Path(folder), name, cache):
            raise _not_here(what)
        return Path(folder)
    except errors.GatedRepoError as error:
        fix = f"Accept its terms at huggingface.co/{name}, run `hf auth login`, and load it again."
        raise ModelError(what, got="a model whose owner asks for consent first", expected="access", fix=fix) from error
    except errors.RevisionNotFoundError as error:
        raise ModelError(what, got=f"no revision {revision!r}", expected="a branch, tag or commit of it") from error
    except errors.RepositoryNotFoundError as error:
        fix = "Check the spelling; for a private model, run `hf auth login` first."
        raise ModelError(what, got="no such folder and no such hub model", expected="owner/model", fix=fix) from error
    except (errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled) as error:
        raise _not_here(what) from error
    except (_http_error(), errors.HFValidationError, OSError) as error:
        raise ModelError(
            what, got=f"no answer from the hub ({reason(error)})", expected="its files", fix="Try again."
        ) from error


def _not_here(what: str) -> ModelError:
    got, fix = "no copy on this machine and no connection to the hub", "Connect, or copy the model's folder here."
    return ModelError(what, got=got, expected="one of them", fix=fix)


def _is_listed(name: str) -> bool:
    """Whether whoever runs the server offers a model where the hub is offline."""
    return name in [listed.strip() for listed in os.environ.get(OFFLINE_MODELS, "").split(",")]


def _is_snapshot(folder: Path, name: str, cache: Path) -> bool:
    """Whether a folder is what the hub's client keeps of a model: offline, it goes where a file of its cache leads."""
    from huggingface_hub.file_download import repo_folder_name

    own = cache / repo_folder_name(repo_id=name, repo_type="model") / "snapshots"
    return folder.resolve().parent == own.resolve() and COMMIT.fullmatch(folder.name) is not None


def _http_error() -> type[Exception]:
    """What the hub's HTTP client raises; which client that is depends on the hub's version."""
    from huggingface_hub import errors

    base: type[Exception] = errors.HfHubHTTPError.__mro__[1]
    return base


def _public(name: str, revision: str | None, patterns: list[str]) -> Public:
    """What the hub gives to anybody; refuses the rest, though a copy may be here, and what is over the limit."""
    from huggingface_hub import HfApi

    found = HfApi(token=False).model_info(name, revision=revision, files_metadata=True)
    if found.gated:
        raise ModelError(f"hub model {name}", got="a model whose owner asks for consent first", expected="an open one")
    files = [file for file in found.siblings or () if any(fnmatch(file.rfilename, pattern) for pattern in patterns)]
    if not COMMIT.fullmatch(str(found.sha)):
        raise ModelError(f"hub model {name}", got="an answer without a commit", expected="the hub's own answer")
    public = Public(name, str(found.sha), {file.rfilename: file.size or 0 for file in files})
    HUB.check(sum(public.sizes.values()), field=f"hub model {name}", error=ModelError, of="of files")
    return public
