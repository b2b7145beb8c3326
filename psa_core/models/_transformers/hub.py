"""Locate a transformers model: a local folder, or a model hub's files, downloaded when missing."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from psa_core import cache_dir, locks, trust
from psa_core.errors import ModelError
from psa_core.inputs.checks import path_of
from psa_core.inputs.limits import HUB, HUB_DISK
from psa_core.models._answers import reason
from psa_core.models._options import flag
from psa_core.models._transformers.vetting import vetted
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


def files_of(name: str, options: Mapping[str, str], *, vouched: bool = False) -> Path:
    """Folder with a model's files: the folder of that name, or the hub's model, fetched to this machine's cache.

    For visitors it is a copy of what may be read of it; see `vetting`. Of the options ``revision`` is that of a hub
    model, ``allow_pickle`` fetches pickled weights where there are no others. A `vouched` name comes from whoever runs
    the program. Raises `ModelError` when there is neither such a folder nor such a model, or the hub cannot be reached
    or refuses.
    """
    is_visitors = trust.current() >= trust.Origin.VISITOR and not vouched
    folder = path_of(name)
    if is_visitors and (trust.is_hub_id(name) or not folder.is_dir()):
        return vetted(_fetch(name, options))
    if folder.is_dir():
        return vetted(folder) if is_visitors else folder
    if folder.is_file():
        raise ModelError("model", got=f"the file {name}", expected="a folder or a hub id", fix="Give its folder.")
    if not trust.is_hub_id(name):
        expected = "a folder that exists, or a hub id such as owner/model"
        raise ModelError("model", got=repr(name[:120]), expected=expected)
    found = _fetch(name, options, vouched=vouched)
    if flag(options, "allow_pickle") and not any(found.glob("*.safetensors")):
        found = _fetch(name, options, PICKLED_WEIGHTS)
    return found


def fetch(needs: Iterable[trust.Need]) -> dict[str, str]:
    """Fetch the models of a hub that loading something needs, for a process that cannot: their `Sandbox.models`.

    Raises `ModelError` as `files_of`.
    """
    found = {}
    for need in needs:
        if need.kind is trust.Kind.HUB:
            options = {"revision": need.revision} if need.revision else {}
            found[f"{need.value}@{need.revision}"] = str(_fetch(need.value, options))
    return found


def _fetch(
    name: str,
    options: Mapping[str, str],
    patterns: Sequence[str] = (*SMALL_FILES, *SAFE_WEIGHTS),
    *,
    vouched: bool = False,
) -> Path:
    import huggingface_hub
    from huggingface_hub import constants, errors

    what = f"hub model {name}"
    http_error: type[Exception] = errors.HfHubHTTPError.__mro__[1]  # its client's, which depends on the hub's version
    revision = options.get("revision")
    if revision is not None and not REVISION.fullmatch(revision):
        raise ModelError("model option revision", got=repr(revision[:60]), expected="a branch, tag or commit")
    is_visitors = trust.current() >= trust.Origin.VISITOR and not vouched
    if (box := sandbox.entered()) is not None:
        folder = box.models.get(f"{name}@{revision or ''}")
        if folder is None:
            raise _not_local(what)
        return Path(folder)
    cache = Path(constants.HF_HUB_CACHE)
    try:
        if is_visitors and not constants.HF_HUB_OFFLINE:
            public = _public(name, revision, patterns)
            if snapshot := public.snapshot_in(cache):
                return snapshot
            cache, revision = public.room(), public.commit
            if snapshot := public.snapshot_in(cache):
                return snapshot
        elif is_visitors and name not in [each.strip() for each in os.environ.get(OFFLINE_MODELS, "").split(",")]:
            raise _not_local(what)  # what else is here may be private
        folder = huggingface_hub.snapshot_download(
            name,
            revision=revision,
            cache_dir=cache,
            allow_patterns=list(patterns),
            token=False if is_visitors else None,  # the operator's login is not a visitor's
        )
        # Offline the client goes where a file of its cache leads, which has to be what it keeps of this model.
        own = _kept_in(cache, name) / "snapshots"
        found = Path(folder)
        if is_visitors and not (found.resolve().parent == own.resolve() and COMMIT.fullmatch(found.name)):
            raise _not_local(what)
        return found
    except errors.GatedRepoError as error:
        fix = f"Accept its terms at huggingface.co/{name}, run `hf auth login`, and load it again."
        raise ModelError(what, got="a model whose owner asks for consent first", expected="access", fix=fix) from error
    except errors.RevisionNotFoundError as error:
        raise ModelError(what, got=f"no revision {revision!r}", expected="a branch, tag or commit of it") from error
    except errors.RepositoryNotFoundError as error:
        fix = "Check the spelling; for a private model, run `hf auth login` first."
        raise ModelError(what, got="no such folder and no such hub model", expected="owner/model", fix=fix) from error
    except (errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled) as error:
        raise _not_local(what) from error
    except (http_error, errors.HFValidationError, OSError) as error:
        got = f"no answer from the hub ({reason(error)})"
        raise ModelError(what, got=got, expected="its files", fix="Try again.") from error


def _not_local(what: str) -> ModelError:
    got, fix = "no copy on this machine and no connection to the hub", "Connect, or copy the model's folder here."
    return ModelError(what, got=got, expected="one of them", fix=fix)


def _public(name: str, revision: str | None, patterns: Sequence[str]) -> Public:
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


ROOM = "hub"
#: A model that somebody asked for so recently is not dropped: a run may be about to read it.
IN_USE_SECONDS = 3_600
#: In a model's folder: the bytes that it will have when what was asked for is there.
EXPECTED = "expected"


@dataclass(frozen=True)
class Public:
    """A hub's model as the hub shows it to anybody; `sizes` are the bytes of each file that is wanted."""

    name: str
    commit: str
    sizes: dict[str, int]

    def snapshot_in(self, cache: Path) -> Path | None:
        """The folder with every wanted file in a cache of the hub's client; None when one is missing."""
        snapshot = _kept_in(cache, self.name) / "snapshots" / self.commit
        return snapshot if self.sizes and all((snapshot / file).is_file() for file in self.sizes) else None

    def room(self) -> Path:
        """The visitors' cache, with room for this model: those used longest ago are dropped for it.

        Raises `ModelError` when it is larger than all of them may be, or others that are in use leave no room.
        """
        cache, size = cache_dir.room(ROOM), sum(self.sizes.values())
        HUB_DISK.check(size, field=f"hub model {self.name}", error=ModelError, of="of files")
        with locks.locked(cache / ".lock"):
            own = _kept_in(cache, self.name)
            own.mkdir(exist_ok=True)
            os.utime(own)
            if self.snapshot_in(cache) is None:
                others = [folder for folder in cache.iterdir() if folder != own and not folder.name.startswith(".")]
                left = HUB_DISK.value - _stored(own) - size - sum(map(_taken, others))
                for folder in sorted(others, key=lambda folder: folder.stat().st_mtime):
                    if left >= 0 or time.time() - folder.stat().st_mtime < IN_USE_SECONDS:
                        break
                    left += _taken(folder)
                    shutil.rmtree(folder)
                if left < 0:
                    got = f"no room beside the models of other visitors, which fill {HUB_DISK.words}"
                    fix = f"Try again in an hour, or choose a packaged model. ({HUB_DISK.setting} sets the limit.)"
                    raise ModelError(f"hub model {self.name}", got=got, expected="a smaller one", fix=fix)
                (own / EXPECTED).write_text(str(_stored(own) + size))
        return cache


def _kept_in(cache: Path, name: str) -> Path:
    """Where the hub's client keeps a model in a cache."""
    from huggingface_hub.file_download import repo_folder_name

    return cache / repo_folder_name(repo_id=name, repo_type="model")


def _taken(folder: Path) -> int:
    """The bytes of a model's folder, or those that it will have."""
    try:
        expected = int((folder / EXPECTED).read_text())
    except (OSError, ValueError):
        expected = 0
    return max(expected, _stored(folder))


def _stored(folder: Path) -> int:
    """The bytes of a folder's files; links to them count as links."""
    return sum(file.lstat().st_size for file in folder.rglob("*"))
