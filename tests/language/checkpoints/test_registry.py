"""Tests of the registry of checkpoints: their places and checksums."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import huggingface_hub
import pytest
from huggingface_hub import constants

from qsquared.errors import ModelError
from qsquared.language.checkpoints import registry
from qsquared.language.checkpoints.checksums import (
    NAME,
    FetchedModel,
    cached_sha256,
    decisive_files,
    read_lock,
    record,
)
from qsquared.profiles.loading import get_profile
from qsquared.profiles.profile import Profile
from tests.language.tiny_models import bert_qa

COMMIT = "0123456789" * 4
HUB = "someone/reader"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty hub cache."""
    folder = tmp_path / "hub"
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(folder))
    return folder


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model folder in place of the package's."""
    monkeypatch.setattr(registry, "files", lambda _package: tmp_path / "models")
    folder = bert_qa(tmp_path / "models" / "tiny-qa")
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
        for path in sorted(folder.iterdir())
    ]
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")
    return folder


def _profile(checkpoint: str, revision: str = "") -> Profile:
    compact = get_profile("compact")
    reading = compact.question_answering.model_copy(
        update={"checkpoint": checkpoint, "revision": revision}
    )
    rules = compact.question_generation
    entailment = compact.entailment.model_copy(update={"checkpoint": ""})
    return compact.model_copy(
        update={
            "question_answering": reading,
            "question_generation": rules,
            "entailment": entailment,
            "similarity": None,
            "consistency": None,
            "indicators": None,
            "reply_classification": None,
        }
    )


def _snapshot(cache: Path, commit: str = COMMIT) -> Path:
    folder = cache / "models--someone--reader" / "snapshots" / commit
    return bert_qa(folder)


def test_a_local_folder_is_its_files(tmp_path: Path) -> None:
    """The identity of a folder hangs on its decisive files alone."""
    folder = bert_qa(tmp_path / "model")
    before = registry.identity(str(folder))
    (folder / "README.md").write_text("Read me.", encoding="utf-8")
    assert registry.identity(str(folder)) == before
    config = folder / "config.json"
    config.write_text(config.read_text(encoding="utf-8") + " ", encoding="utf-8")
    assert registry.identity(str(folder)) != before
    assert before.startswith("sha256:")


def test_pickled_weights_are_refused(tmp_path: Path) -> None:
    """A folder with only .bin weights is refused, because they can run code."""
    folder = bert_qa(tmp_path / "model")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(ModelError, match="only pickled weights"):
        registry.locate(str(folder))


def test_an_untouched_shipped_model_passes(shipped: Path) -> None:
    """A shipped model whose files are the recorded ones is found, verified and loadable."""
    assert registry.locate("bundled:tiny-qa") == shipped
    assert registry.verify(_profile("bundled:tiny-qa")) == ["bundled:tiny-qa"]
    registry.check_before_loading("bundled:tiny-qa", shipped)


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "tokenizer.json"])
def test_a_tampered_file_is_refused(shipped: Path, name: str) -> None:
    """A changed file of a shipped model is named and refused before anything is loaded."""
    path = shipped / name
    path.write_bytes(path.read_bytes()[:-1] + b" ")
    with pytest.raises(ModelError, match=f"{name} is not the file that was recorded"):
        registry.check_before_loading("bundled:tiny-qa", shipped)


def test_a_missing_or_added_file_is_refused(shipped: Path) -> None:
    """A shipped folder has every recorded file, and no decisive file beside them."""
    (shipped / "added_tokens.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ModelError, match=r"added_tokens.json is not listed"):
        registry.check_before_loading("bundled:tiny-qa", shipped)
    (shipped / "added_tokens.json").unlink()
    (shipped / "config.json").unlink()
    with pytest.raises(ModelError, match=r"config.json is missing"):
        registry.check_before_loading("bundled:tiny-qa", shipped)


def test_a_shipped_model_without_record_is_refused(shipped: Path) -> None:
    """Without its hashes a shipped model is not loaded."""
    (shipped / "SHA256SUMS").unlink()
    with pytest.raises(ModelError, match="has no SHA256SUMS"):
        registry.check_before_loading("bundled:tiny-qa", shipped)


@pytest.mark.usefixtures("cache")
def test_a_missing_hub_model_says_how_to_fetch_it() -> None:
    """The error names the model, the command that fetches it, and the profile that needs none."""
    reading = get_profile("paper").question_answering
    with pytest.raises(ModelError, match=reading.checkpoint) as error:
        registry.locate(reading.checkpoint, reading.revision)
    assert "q2 models pull PROFILE" in error.value.hint
    assert "compact" in error.value.hint


def test_a_pinned_hub_model_is_found_in_the_cache(cache: Path) -> None:
    """A pinned commit in the cache is located without network, and is its own identity."""
    folder = _snapshot(cache)
    assert registry.locate(HUB, COMMIT) == folder
    assert registry.identity(HUB, COMMIT) == f"hub:{HUB}@{COMMIT}"
    with pytest.raises(ModelError, match="is not, or not wholly, in"):
        registry.locate(HUB, "f" * 40)


def test_an_unresolved_ref_is_refused(cache: Path) -> None:
    """Nothing is scored with a ref that was never resolved to a commit."""
    _snapshot(cache)
    with pytest.raises(ModelError, match="pinned to no commit yet"):
        registry.identity(HUB, "main")
    record(cache, FetchedModel(HUB, "main", COMMIT, {}))
    assert registry.identity(HUB, "main") == f"hub:{HUB}@{COMMIT}"


class _Hub:
    """A hub with one model, whose ref points at a commit."""

    def __init__(self, cache: Path, commit: str = COMMIT) -> None:
        self.cache, self.commit, self.asked = cache, commit, []  # type: ignore[var-annotated]

    def model_info(self, name: str, revision: str, timeout: float) -> Any:
        self.asked.append((name, revision))
        return SimpleNamespace(sha=self.commit)

    def snapshot_download(self, _name: str, *, revision: str, **options: Any) -> str:
        assert revision == self.commit
        assert not any("bin" in pattern for pattern in options["allow_patterns"])
        return str(_snapshot(self.cache, revision))


@pytest.fixture
def hub(cache: Path, monkeypatch: pytest.MonkeyPatch) -> _Hub:
    """A hub that answers."""
    served = _Hub(cache)
    monkeypatch.setattr(huggingface_hub, "HfApi", lambda: served)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", served.snapshot_download)
    return served


def test_pull_resolves_a_ref_once_and_records_it(hub: _Hub, cache: Path) -> None:
    """After a pull the ref means the recorded commit, and the files can be verified."""
    profile = _profile(HUB, "refs/pr/1@0123456")
    (fetched,) = registry.pull(profile)
    assert hub.asked == [(HUB, "refs/pr/1")]
    assert fetched.commit == COMMIT
    assert read_lock(cache)[HUB, "refs/pr/1@0123456"] == fetched
    assert "model.safetensors" in fetched.files
    hub.commit = "f" * 40
    assert registry.identity(HUB, "refs/pr/1@0123456") == f"hub:{HUB}@{COMMIT}"
    assert registry.verify(profile) == [HUB]


def test_verify_finds_a_changed_fetched_file(hub: _Hub) -> None:
    """A fetched file that is no longer what was recorded is named."""
    profile = _profile(HUB, COMMIT)
    registry.pull(profile)
    assert hub.asked == [(HUB, COMMIT)]
    weights = registry.locate(HUB, COMMIT) / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    with pytest.raises(ModelError, match=r"model.safetensors is not the file"):
        registry.verify(profile)


def test_pull_refuses_a_ref_that_moved(hub: _Hub, cache: Path) -> None:
    """A ref that points at another commit than the profile names is not fetched."""
    hub.commit = "f" * 40
    with pytest.raises(ModelError, match="is now the commit ffff"):
        registry.pull(_profile(HUB, "refs/pr/1@0123456"))
    assert read_lock(cache) == {}


def test_pull_without_a_network_is_a_sentence(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub that cannot be reached is an error that says what to do."""

    def refuse(*_: Any, **__: Any) -> str:
        raise OSError("no route to host\nand a long story")

    monkeypatch.setattr(huggingface_hub, "HfApi", lambda: SimpleNamespace(model_info=refuse))
    with pytest.raises(
        ModelError, match=r"could not be fetched from the hub: no route to host\n"
    ) as e:
        registry.pull(_profile(HUB, COMMIT))
    assert "compact" in e.value.hint


def test_a_fetched_model_with_a_file_lost_is_not_used(hub: _Hub) -> None:
    """A snapshot that lacks a recorded file counts as missing."""
    registry.pull(_profile(HUB, COMMIT))
    (registry.locate(HUB, COMMIT) / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match="not wholly"):
        registry.locate(HUB, COMMIT)


def test_the_record_survives_odd_names_and_keeps_others(cache: Path) -> None:
    """Records are kept side by side, one for each checkpoint and revision."""
    first = FetchedModel("a/b", 'ma"in', COMMIT, {"vocab \\ é.txt": "0" * 64})
    second = FetchedModel("a/b", COMMIT, COMMIT, {})
    for model in (first, second, first):
        record(cache, model)
    assert read_lock(cache) == {("a/b", 'ma"in'): first, ("a/b", COMMIT): second}


def test_a_damaged_record_is_a_sentence(cache: Path) -> None:
    """A record that cannot be read is named, with what to do."""
    cache.mkdir()
    (cache / NAME).write_text("[[model]\n", encoding="utf-8")
    with pytest.raises(ModelError, match="is damaged"):
        read_lock(cache)


def test_every_model_of_every_profile_is_listed(cache: Path, shipped: Path) -> None:
    """The list says for each model whether it is here, and how large it is."""
    profile = _profile("bundled:tiny-qa")
    rows = {row.role: row for row in registry.list_models({"own": profile})}
    reading = rows["question_answering"]
    assert (reading.model.source, reading.present) == ("bundled", True)
    assert reading.size is not None
    assert reading.size > (shipped / "model.safetensors").stat().st_size
    assert rows["parser"].present
    hub_rows = [row for row in registry.list_models() if row.model.source == "hub"]
    assert Counter(row.role for row in hub_rows) == {
        "question_generation": 8,
        "question_answering": 9,
        "entailment": 9,
        "similarity": 2,
        "consistency": 1,
    }
    assert not any(row.present for row in hub_rows)


def test_a_local_folder_with_a_list_of_sums_is_held_to_it(tmp_path: Path) -> None:
    """A changed file is refused where the folder says what it should be; without list it passes."""
    folder = bert_qa(tmp_path / "mine")
    assert not registry.check_before_loading(str(folder), folder)
    config = folder / "config.json"
    sums = "".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
        for path in sorted(folder.iterdir())
    )
    (folder / "SHA256SUMS").write_text(sums, encoding="utf-8")
    assert registry.check_before_loading(str(folder), folder)
    config.write_text(config.read_text(encoding="utf-8") + " ", encoding="utf-8")
    with pytest.raises(ModelError, match=r"config.json is not the file that was recorded"):
        registry.check_before_loading(str(folder), folder)


def test_a_pulled_hub_model_is_checked_before_it_is_loaded(cache: Path) -> None:
    """The hashes that were recorded when it was fetched hold whenever it is loaded."""
    folder = _snapshot(cache)
    hashes = {path.name: cached_sha256(path) for path in decisive_files(folder)}
    record(cache, FetchedModel("someone/reader", COMMIT, COMMIT, hashes))
    assert registry.check_before_loading("someone/reader", folder, COMMIT)
    weights = folder / "model.safetensors"
    data = weights.read_bytes()
    weights.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(ModelError, match=r"model.safetensors is not the file that was recorded"):
        registry.check_before_loading("someone/reader", folder, COMMIT)
