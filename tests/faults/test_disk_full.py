"""Tests that a full disk ends a run with a message, and that the same command goes on later."""

import contextlib
import errno
import json
import os
import resource
import subprocess
import sys
from types import SimpleNamespace

import pytest

from qsquared.cli.main import shortage
from qsquared.errors import NoSpaceError, UsageError
from qsquared.storage.files.file_errors import no_space
from qsquared.tasks.metrics import Q2
from qsquared.tasks.running import stage_runner as workbench
from tests.faults.failing_models import FailingModels, run, write_log
from tests.faults.test_models_that_fail import rows, tables


def mount(*arguments):
    """Call ``mount``; whether it worked."""
    try:
        done = subprocess.run(["mount", *map(str, arguments)], capture_output=True, check=False)
    except FileNotFoundError:
        return False
    return done.returncode == 0


@pytest.fixture
def disk(tmp_path):
    """A folder that is a disk of its own, and a function that says how many KiB it has."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if not mount("-t", "tmpfs", "-o", "size=4k", "tmpfs", folder):
        pytest.skip("mounting a tmpfs is not allowed here; the limit on file sizes is tested")

    def resize(kibibytes):
        assert mount("-o", f"remount,size={kibibytes}k", folder)

    yield SimpleNamespace(folder=folder, resize=resize)
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture(autouse=True)
def models(monkeypatch):
    """The fake models of every profile."""
    made = FailingModels()

    def build(profile, _device):
        made.profile = profile
        return made

    monkeypatch.setattr(workbench, "build_models", build)
    yield made
    workbench.open_job.cache_clear()


def score(store, log):
    """Score as the command does; what it would tell, or ``None`` where it scored."""
    try:
        run(store, log)
    except Exception as error:
        return shortage(error, ["score", "my log.jsonl", "--store", str(store)]) or error
    return None


def half_written(store):
    """Hidden temporary files of the store's own tables and records."""
    return [path for path in store.rglob(".*.tmp") if "prefect" not in path.parts]


@pytest.mark.slow
def test_a_disk_full_at_any_moment_ends_a_run_that_goes_on_later(tmp_path, disk):
    """At any size a full disk is named with the command that continues, which then gives the tables of a sound run."""
    log = write_log(tmp_path)
    run(tmp_path / "sound", log)
    expected = tables(tmp_path / "sound")
    told = []
    for size in range(8, 4000, 24):
        store = disk.folder / "s"
        disk.resize(size)
        error = score(store, log)
        if error is None:
            break
        assert isinstance(error, NoSpaceError), (size, error)
        assert error.exit_code == 74
        assert "The disk is full: " in error.message
        assert str(disk.folder) in error.message
        assert " free at " in error.message
        assert error.hint.endswith(f"q2 score 'my log.jsonl' --store {store}")
        assert half_written(store) == []
        told.append(error.message)
        disk.resize(8000)
        assert score(store, log) is None
        assert tables(store) == expected
        subprocess.run(["rm", "-r", str(store)], check=True)
    else:
        pytest.fail("it never had room enough")
    assert any("The stage " in message for message in told)
    assert any("what is left to do needs about " in message for message in told)
    assert any("The stage " not in message for message in told)


@pytest.mark.slow
def test_a_disk_that_fills_again_and_again_loses_nothing(tmp_path, disk):
    """A run that got a little further each time ends with the tables of a sound run."""
    log = write_log(tmp_path)
    run(tmp_path / "sound", log)
    ends = 0
    for size in range(8, 4000, 24):
        disk.resize(size)
        if score(disk.folder / "s", log) is None:
            break
        ends += 1
    assert ends > 3
    assert tables(disk.folder / "s") == tables(tmp_path / "sound")
    assert half_written(disk.folder / "s") == []


@contextlib.contextmanager
def file_limit(size):
    """No file of this process may grow above so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.slow
@pytest.mark.parametrize("size", [100, 1500, 4000, 6000])
def test_a_limit_on_file_sizes_is_reported_like_a_full_disk(tmp_path, size):
    """A file above the limit is not kept in part, and without the limit the command goes on."""
    log = write_log(tmp_path)
    with log.open("a", encoding="utf-8") as handle:
        words = " ".join(f"word{number}" for number in range(3000))
        handle.write(json.dumps({"id": "long", "knowledge": words[::-1], "response": words}) + "\n")
    run(tmp_path / "sound", log)
    with file_limit(size):
        error = score(tmp_path / "s", log)
    assert isinstance(error, NoSpaceError)
    assert half_written(tmp_path / "s") == []
    assert score(tmp_path / "s", log) is None
    assert tables(tmp_path / "s") == tables(tmp_path / "sound")


@pytest.mark.slow
def test_the_real_command_goes_on_after_prefects_own_files_filled_the_disk(tmp_path, disk):
    """Whether Prefect's database, its results or our tables meet the end of the room first."""
    log = write_log(tmp_path)
    # A few pairs would be scored without Prefect.
    rows_of_log = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    more = [
        row | {"id": f"{row['id']}-{n}", "knowledge": [*row["knowledge"], f"copy {n}"]}
        for n in range(4)
        for row in rows_of_log
    ]
    log.write_text("".join(json.dumps(row) + "\n" for row in more), encoding="utf-8")
    store = disk.folder / "s"
    command = [
        sys.executable,
        "-m",
        "tests.faults.stubbed",
        "score",
        str(log),
        "--store",
        str(store),
    ]
    command += ["--profile", "small", "--profiles", str(tmp_path / "profiles.toml")]
    # The API of the test session would keep its files elsewhere, on a disk that is not full.
    own = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    codes = []
    for size in (600, 3900, 100_000):
        disk.resize(size)
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=own)
        codes.append(done.returncode)
        if done.returncode == 0:
            break
        assert done.returncode == 74, done.stderr
        assert "The disk is full: " in done.stderr
        assert "Traceback" not in done.stderr
        assert f"q2 score {log}" in done.stderr
        assert half_written(store) == []
    assert codes[0] == 74
    assert codes[-1] == 0
    run(tmp_path / "sound", log)
    for stage in Q2.stages:
        assert rows(store, stage.name) == rows(tmp_path / "sound", stage.name)


def test_no_other_error_is_put_down_to_the_disk(tmp_path):
    """With room left an error stays what it is, and a mistake of the person always does."""
    assert no_space(ValueError("no such thing"), tmp_path) is None
    assert no_space(OSError(errno.EACCES, "Permission denied"), tmp_path) is None
    assert no_space(UsageError("no such profile"), tmp_path) is None


def test_the_disk_is_found_among_the_causes(tmp_path):
    """A library's error that a full disk caused is reported as a full disk, with the file."""
    full = OSError(errno.ENOSPC, "Kein Platz mehr, in any language", "/some/file")
    try:
        try:
            raise full
        except OSError as error:
            raise RuntimeError("the state could not be set") from error
    except RuntimeError as error:
        found = no_space(error, tmp_path, needed=2_500_000)
    assert found is not None
    assert "/some/file could not be written" in found.message
    assert "needs about 2.5 MB" in found.message
