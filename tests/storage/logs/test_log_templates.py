"""Records of a server's log that a person reads are cut into fields by the templates of their events."""

import re
import shlex

import pytest

from qsquared.storage.logs.file_types.detect import iterate_rows
from qsquared.storage.logs.file_types.log_lines import by_template, first_records
from qsquared.storage.logs.read_options import ReadOptions
from qsquared.storage.logs.rows import RawRow
from qsquared.storage.logs.surveys.shapes.lines import templates_of
from tests.calling import q2
from tests.cli.stored import turns_of
from tests.storage.logs.test_proposals import FACTS

LOGGER = (
    "2026-11-30 10:00:{:02}.120  INFO 1 --- [nio-8080-exec-{}] com.shop.chat.{} : [r-{:04}] {}\n"
)


def written(path, *, hits_below=False):
    """Write the log of a shop's server, with each hit on a line of its own or below its line; return its turns."""
    lines = [
        "2026-11-30 09:59:59.001  INFO 1 --- [main] com.shop.App : Started App in 5.1 seconds\n"
    ]
    for n, (question, _, fact) in enumerate(FACTS):
        found = f"hit 1/1 score=0.8{n} file=page-{n}.txt"
        found += f"\n    | {fact}" if hits_below else f" | {fact}"
        for logger, told in (("Chat", f"session=s{n} question: {question}"), ("Search", found)):
            lines.append(LOGGER.format(n, n % 2, logger, n, told))
    # Answers come when other requests have begun.
    for n, (_, reply, _) in enumerate(FACTS):
        lines.append(LOGGER.format(n + 20, n % 2, "Model", n, f"answer after {n}90 ms: {reply}"))
    path.write_text("".join(lines))
    return [[reply, [fact]] for _, reply, fact in FACTS]


def test_templates_are_what_the_records_of_an_event_have_alike(tmp_path):
    """Numbers and the values of pairs differ; the text begins where nearly each record goes on otherwise."""
    written(tmp_path / "shop.log")
    head = "{time} INFO {w2a} --- [{w4a}] com.shop.chat."
    assert templates_of(first_records(tmp_path / "shop.log", 100)) == {
        "hit": head + "Search : [{w7a}] hit {w9a} score={score} file={file} | {text}",
        "answer after ms": head + "Model : [{w7a}] answer after {w10a} ms: {text}",
        "question": head + "Chat : [{w7a}] session={session} question: {text}",
    }


@pytest.mark.parametrize("hits_below", [False, True])
def test_interleaved_requests_are_read_by_the_printed_command(tmp_path, monkeypatch, hits_below):
    """Each answer has the hits of its own request, whose threads serve others between."""
    monkeypatch.chdir(tmp_path)
    expected = written(tmp_path / "shop.log", hits_below=hits_below)
    refused = q2("ingest", "shop.log", "--store", "store")
    assert refused.code == 65
    assert "Records of 'question'" in refused.err
    command = re.search(r"Read it so: q2 ingest (.+)$", refused.err, re.MULTILINE)
    assert q2("ingest", *shlex.split(command[1])).code == 0
    assert turns_of(tmp_path / "store") == expected
    kept = (tmp_path / "shop.format.toml").read_text()
    assert "{w7a}" in kept
    assert "{w4a}" not in kept, "a word that nothing reads has no name"


@pytest.mark.parametrize(
    ("template", "record", "fields"),
    [
        (
            "{time} [{}] {text}",
            "2026-11-30 10:00:01,5 [x-1] Hello [there]",
            {"text": "Hello [there]"},
        ),
        (
            'ask q="{text}" n={n}',
            r'ask   q="say \"hi\"\nnow" n=3',
            {"text": 'say "hi"\nnow', "n": "3"},
        ),
        (
            "hit {n} {text}",
            "hit 1\n    | One.\n    | \n    |  Two.",
            {"n": "1", "text": "One.\n\n Two."},
        ),
        ("hit {n} {text}", "hit 1", {"n": "1", "text": ""}),
        ("hit text={text}", "hit text=C:\\new is a folder.", {"text": "C:\\new is a folder."}),
        ("a={a} a={a} {1}", "a=x a=y z", {"a": "x"}),
    ],
)
def test_names_stand_for_words_quotes_or_the_rest_of_a_record(template, record, fields):
    """A margin before the lines of a text is no part of it; of what a line repeats the first counts."""
    found = by_template(record, {"event-1": template})
    assert {name: value for name, value in found.items() if name in fields} == fields
    assert found["event"] == "event-1"


def test_a_record_of_no_template_has_no_fields():
    """It tells of something else."""
    assert by_template("Started.", {"hit": "hit {n} {text}"}) == {}


def rows_of(path, **templates):
    """Return the fields of the records of a log, or the reasons of rejects."""
    rows = iterate_rows(path, file_type="log", options=ReadOptions(described={"lines": templates}))
    return [row.fields if isinstance(row, RawRow) else row.reason for row in rows]


def test_lines_without_a_time_belong_to_the_record_above(tmp_path):
    """Before the first time each line is a record, but for lines that begin with a blank."""
    log = tmp_path / "app.log"
    log.write_text("banner\n =====\n10:00:00 say One.\nTwo.\n\tThree.\n10:00:01 say Four.\n")
    assert rows_of(log, said="{} say {text}") == [
        {},
        {"event": "said", "text": "One.\nTwo.\n\tThree."},
        {"event": "said", "text": "Four."},
    ]


def test_a_record_that_cannot_be_read_is_a_reject(tmp_path, monkeypatch):
    """Bytes that are no text and lines without end are not passed over."""
    monkeypatch.setenv("Q2_MAX_ROW_MB", "1")
    log = tmp_path / "app.log"
    log.write_bytes(
        b"10:00:00 say \xff\n10:00:01 say " + b"a" * (2 << 20) + b"\n10:00:02 say Yes.\n"
    )
    broken, long, whole = rows_of(log, said="{} say {text}")
    assert "not valid UTF-8" in broken
    assert "longer than 1 MB" in long
    assert whole == {"event": "said", "text": "Yes."}


@pytest.mark.parametrize("part", ["a", "a/", '"', '\\"', "1", "= ", "[[", "{"])
def test_a_long_record_of_anything_ends(tmp_path, part):
    """Templates are found and read in time that grows with the length of a line, and not with its square."""
    record = f"2026-11-30 10:00:00 [{part * (400_000 // len(part))}"
    templates = templates_of([record] * 4)
    hit = {"hit": '{time} [{}/{}/{}] q="{q}" {text}'}
    assert by_template(record, templates | hit).keys() <= {"event", "time", "text", "w0a"}
