"""CONTRIBUTING.md names every folder of code, and the pages name only files that exist."""

import re
import subprocess
import textwrap
import tomllib
from fnmatch import fnmatch

import pytest

from qsquared.storage.logs.read_options import ReadOptions, joined_format
from qsquared.storage.logs.reading import detect_reading
from tests.calling import q2
from tests.conftest import ROOT

CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", CONTRIBUTING, re.DOTALL | re.MULTILINE))
TOP_LEVEL = "docs|examples|flows|gates|lab|language|method|models|qsquared|storage|tasks|tests"


def tracked_files():
    """Return the paths of all files of the repository."""
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.split()


def folders_of_code():
    """Return the top-level packages and the packages one level below them."""
    packages = [path.rpartition("/")[0] for path in tracked_files() if path.endswith("__init__.py")]
    return sorted(p for p in packages if p.count("/") <= 1 and not p.startswith("tests"))


def pages():
    """Return the pages that people write; the data dictionary and the results are generated."""
    written = [path for path in tracked_files() if path.endswith(".md")]
    generated = ("docs/data-dictionary.md", "docs/results/", "models/")
    return [path for path in written if not path.startswith(generated)]


def named_paths(page):
    """Return the files and folders that a page names, without templates such as ``<metric>``."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.findall(rf"(?<![\w/.-])(?:{TOP_LEVEL})/[\w./*<>-]*", text)
    paths = {path.rstrip(".") for path in found if "<" not in path}
    return sorted(path for path in paths if path.endswith("/") or "." in path)


@pytest.mark.parametrize("page", pages())
def test_each_file_and_folder_that_a_page_names_exists(page):
    """The pages name a moved module by its new path."""
    files = tracked_files()
    missing = [
        path
        for path in named_paths(page)
        if not any(fnmatch(file, path) or file.startswith(path.rstrip("/") + "/") for file in files)
    ]
    assert missing == []


def test_the_map_names_every_folder_of_code():
    """A new folder gets its line in the map."""
    lines = [line.split()[0].rstrip("/") for line in SECTIONS["Map"].splitlines() if line.strip()]
    folders = folders_of_code()
    assert len(folders) > 30
    assert [folder for folder in folders if folder not in lines] == []


def test_the_way_of_a_reply_names_the_stages_in_their_order():
    """The table of the stages follows the graph of Q²."""
    from qsquared.tasks.metrics import METRICS

    way = SECTIONS["One reply, from the log to its score"]
    rows = re.findall(r"^ *\| `tasks/q2/\w+\.py` \|.*\| `(\w+)` \|$", way, re.MULTILINE)
    assert rows == [stage.name for stage in METRICS["q2"].stages]


def test_each_shared_rule_has_one_existing_module():
    """The table of rules names a module for each, and none twice."""
    modules = re.findall(r"^\| [^|]+ \| `([\w/]+\.py)` \|$", SECTIONS["House rules"], re.MULTILINE)
    assert len(modules) >= 8
    assert len(set(modules)) == len(modules)
    assert [module for module in modules if not (ROOT / module).is_file()] == []


def test_the_log_format_that_is_shown_step_by_step_reads_the_log_that_is_shown(tmp_path):
    """Its example passes, and the row beside it is a turn with question, passage and ids."""
    section = SECTIONS["Add a log format"]
    row, stated = (
        textwrap.dedent(
            re.search(rf"^ *```{kind}\n(.*?)^ *```", section, re.DOTALL | re.MULTILINE)[1]
        )
        for kind in ("json", "toml")
    )
    log, file = tmp_path / "chat.jsonl", tmp_path / "vectara.toml"
    log.write_text(row)
    file.write_text(stated)
    done = q2("formats", "check", file, log)
    assert done.code == 0, done.err
    reading = detect_reading(
        log, {}, joined_format("", ReadOptions(described=tomllib.loads(stated)))
    )
    (turn,) = [reading.turn_of(one, "", log.name) for one in reading.rows(log)]
    assert (turn["id"], turn["conversation_id"], turn["history"]) == (
        "trn_1", "cht_1", ["How long may I return a parcel?"],
    )  # fmt: skip
    assert turn["knowledge"] == ["Parcels may be returned within 30 days."]
