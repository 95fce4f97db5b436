"""Find checkpoints: shipped with the package, in a local folder, or in the hub's cache.

Nothing here uses the network but ``pull`` and ``pull_bases``.
Only safetensors are ever loaded, and never code from a checkpoint.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from qsquared.errors import ModelError, first_line
from qsquared.language.checkpoints.checksums import (
    SUMS,
    FetchedModel,
    cached_sha256,
    check_sums,
    compare_files,
    decisive_files,
    folder_sha256,
    hub_cache,
    read_lock,
    record,
)
from qsquared.language.checkpoints.larger_bases import HOW_TO_PULL, pull_base, require_base
from qsquared.language.checkpoints.shared_weights import checked_base, read_record
from qsquared.profiles.loading import load_profiles
from qsquared.profiles.profile import AnyRole, Profile, checkpoint_source

_COMMIT = re.compile(r"[0-9a-f]{40}")
_PATIENCE_S = 20
_FETCHED = ("*.json", "*.txt", "*.model", "*.safetensors")


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model of a profile; ``size`` is in bytes, ``None`` for a model that is not on this machine."""

    profile: str
    role: str
    model: AnyRole
    present: bool
    size: int | None


def locate(checkpoint: str, revision: str = "") -> Path:
    """Return the folder of a checkpoint on this machine, without network.

    Raises:
        ModelError: it is not there, holds no safetensors, or adapts an encoder that is not there.
    """
    folder = _folder(checkpoint, revision)
    _require_safetensors(checkpoint, folder)
    if record := read_record(folder):
        require_base(checkpoint, record)
    return folder


def _folder(checkpoint: str, revision: str) -> Path:
    source = checkpoint_source(checkpoint)
    if source == "hub":
        folder = _hub_folder(checkpoint, revision)
    elif source == "bundled":
        folder = Path(str(files("qsquared.models"))) / checkpoint.removeprefix("bundled:")
    else:
        folder = Path(checkpoint).expanduser()
    if not folder.is_dir():
        hint = "Install the package anew." if source == "bundled" else "Check the profile's path."
        raise ModelError(f"The model {checkpoint} is not there: {folder} is no folder.", hint)
    return folder


def identity(checkpoint: str, revision: str = "") -> str:
    """Return the identity of a checkpoint: `hub:<name>@<commit>`, or `sha256:<hash of its files>`.

    Raises:
        ModelError: it is not there.
    """
    if checkpoint_source(checkpoint) == "hub":
        return f"hub:{checkpoint}@{_commit(checkpoint, revision)}"
    return f"sha256:{folder_sha256(locate(checkpoint, revision))}"


def check_before_loading(checkpoint: str, folder: Path, revision: str = "") -> bool:
    """Check a model's files against their recorded hashes; return whether there is a record.

    A shipped model has one always, a hub model if `q2 models pull` fetched it, and a local folder
    if it holds a list of SHA-256 sums.
    The weights that a model rests on are checked with it.

    Raises:
        ModelError: a file was changed.
    """
    source = checkpoint_source(checkpoint)
    if source == "hub":
        fetched = read_lock(hub_cache()).get((checkpoint, revision))
        if fetched is not None:
            compare_files(folder, fetched.files, HOW_TO_PULL)
        return fetched is not None
    checked_base(folder)
    if record := read_record(folder):
        require_base(checkpoint, record, checked=True)
    if source == "bundled":
        check_sums(folder)
    elif (folder / SUMS).is_file():
        check_sums(folder, f"Put the file back; if you changed it yourself, write {SUMS} anew.")
    else:
        return False
    return True


def verify(profile: Profile) -> list[str]:
    """Check every recorded file hash of a profile's models; return the checked checkpoints, in order.

    Hub models that other programs fetched, and local folders without a list of SHA-256 sums, have
    no record to check against.

    Raises:
        ModelError: a model is missing, or a file of it was changed.
    """
    checked = []
    # Two roles may share a model.
    models = dict.fromkeys(
        (role.checkpoint, role.revision)
        for role in profile.roles.values()
        if role.source in {"bundled", "hub", "local"}
    )
    for checkpoint, revision in models:
        if check_before_loading(checkpoint, locate(checkpoint, revision), revision):
            checked.append(checkpoint)
    return checked


def list_models(profiles: dict[str, Profile] | None = None) -> list[ModelRow]:
    """List every model of every profile, with its size if it is on this machine."""
    return [
        ModelRow(profile.name, name, role, *_presence(role))
        for profile in (load_profiles() if profiles is None else profiles).values()
        for name, role in profile.roles.items()
    ]


def pull(profile: Profile) -> list[FetchedModel]:
    """Fetch a profile's hub models and record their commits and file hashes.

    A ref is resolved to a commit once, here; exactly that commit is fetched, and scoring uses only
    what is recorded.

    Raises:
        ModelError: the hub cannot be reached, refuses, or holds another commit or no safetensors.
    """
    return [
        _fetch(role.checkpoint, role.revision)
        for role in profile.roles.values()
        if role.source == "hub"
    ]


def pull_bases(profile: Profile, tell: Callable[[str], None]) -> list[tuple[str, str]]:
    """Fetch the encoders that a profile's shipped adapters rest on; return each with its way here.

    Args:
        profile: its local and bundled models are looked at.
        tell: is told the steps.

    Raises:
        ModelError: no way leads to an encoder, or what came is not the recorded one.
    """
    records = {}
    for role in profile.roles.values():
        if role.source in {"bundled", "local"} and (
            record := read_record(_folder(role.checkpoint, role.revision))
        ):
            records[record.sha256] = record
    return [(record.base, pull_base(record, tell)) for record in records.values()]


def _fetch(checkpoint: str, revision: str) -> FetchedModel:
    from huggingface_hub import HfApi, snapshot_download

    cache = hub_cache()
    try:
        # Asked for a full hash too: a hub out of reach fails here at once, a download after retries.
        ref = revision.partition("@")[0]
        commit = HfApi().model_info(checkpoint, revision=ref, timeout=_PATIENCE_S).sha or ""
        _require_commit(checkpoint, revision, commit)
        folder = Path(
            snapshot_download(
                checkpoint,
                revision=commit,
                cache_dir=cache,
                allow_patterns=list(_FETCHED),
                ignore_patterns=["*/*"],
            )
        )
    except ModelError:
        raise
    except Exception as error:  # the HTTP library beneath the client, and its errors, have changed
        reason = first_line(error)
        raise ModelError(
            f"The model {checkpoint} could not be fetched from the hub: {reason}",
            "Check the connection (HF_ENDPOINT names a mirror, HF_HUB_OFFLINE must not be set), or "
            "use the profile `compact`, which needs no download.",
        ) from error
    _require_safetensors(checkpoint, folder)
    hashes = {path.name: cached_sha256(path) for path in decisive_files(folder)}
    fetched = FetchedModel(checkpoint, revision, commit, hashes)
    record(cache, fetched)
    return fetched


def _require_commit(checkpoint: str, revision: str, commit: str) -> None:
    ref, _, digits = revision.partition("@")
    if not commit.startswith(ref if _COMMIT.fullmatch(ref) else digits) or not commit:
        raise ModelError(
            f"{ref} of {checkpoint} is now the commit {commit}, and the profile names {digits}.",
            "Somebody changed the checkpoint: look at it before you change the profile.",
        )


def _commit(checkpoint: str, revision: str) -> str:
    if _COMMIT.fullmatch(revision):
        return revision
    fetched = read_lock(hub_cache()).get((checkpoint, revision))
    if fetched is None:
        raise ModelError(
            f"The hub model {checkpoint} is pinned to no commit yet: {revision!r} was never "
            "resolved on this machine, and a score must name the exact weights.",
            HOW_TO_PULL,
        )
    return fetched.commit


def _hub_folder(checkpoint: str, revision: str) -> Path:
    from huggingface_hub import try_to_load_from_cache

    commit, cache = _commit(checkpoint, revision), hub_cache()
    config = try_to_load_from_cache(checkpoint, "config.json", cache_dir=cache, revision=commit)
    folder = Path(config).parent if isinstance(config, str) else None
    fetched = read_lock(cache).get((checkpoint, revision))
    files = fetched.files if fetched else ()
    if folder is None or not all((folder / name).exists() for name in files):
        raise ModelError(
            f"The hub model {checkpoint} (commit {commit}) is not, or not wholly, in {cache}.",
            HOW_TO_PULL,
        )
    return folder


def _require_safetensors(checkpoint: str, folder: Path) -> None:
    if not any(folder.glob("*.safetensors")):
        pickled = any(folder.glob("*.bin"))
        content = "only pickled weights (.bin), which can run code" if pickled else "no weights"
        raise ModelError(
            f"The model {checkpoint} in {folder} has {content}; only safetensors are loaded.",
            "Convert it with `save_pretrained(..., safe_serialization=True)`, or name a revision "
            "that holds model.safetensors.",
        )


def _presence(role: AnyRole) -> tuple[bool, int | None]:
    if role.source == "none":
        return True, None
    if role.source == "package":
        return find_spec(role.checkpoint) is not None, None
    try:
        folder = locate(role.checkpoint, role.revision)
        record = read_record(folder)
        base = [require_base(role.checkpoint, record)] if record else []
    except ModelError:
        return False, None
    return True, sum(path.stat().st_size for path in [*decisive_files(folder), *base])
