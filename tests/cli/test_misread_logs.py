"""Logs that would be misread are refused before anything starts, with the command that reads them."""

import json

import pytest

from tests.calling import q2

FACT = "Parcels may be returned within 30 days of delivery."
REPLY = "You may return it within 30 days."


def written(path, rows):
    """Write rows as JSON lines; return the path."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize(
    ("rows", "options", "told", "proposed"),
    [
        ([{"reply": REPLY, "ctx": [FACT]}], [], "gives no turn", "--map reply=response --map ctx=knowledge"),
        ([{"response": REPLY, "contexts": [FACT]}], [], "no knowledge with any", "--map contexts=knowledge"),
        (
            [{"answer": REPLY, "contexts": [FACT]}],
            ["--map", "answer=response", "--map", "contxts=knowledge"],
            "no value in a field that --map names: 'contxts'",
            "--map contexts=knowledge",
        ),
        (
            [{"out": {"said": REPLY}, "hits": [{"passage_said": FACT}]}],
            ["--map", "out.said=response"],
            "no knowledge with any",
            "--map 'hits[].passage_said=knowledge'",
        ),
        ([{"messages": [{"role": "user", "content": "Hi"}]}], [], "gives no turn", ""),
    ],
)  # fmt: skip
def test_a_log_that_would_be_misread_is_refused(tmp_path, rows, options, told, proposed):
    """Exit code 65, the fields with examples, the options that read it, and no store."""
    log = written(tmp_path / "x.jsonl", rows)
    done = q2("ingest", log, *options, "--store", tmp_path / "store")
    assert done.code == 65
    assert told in done.said
    assert proposed in done.said
    assert "It has these fields:" in done.err
    assert not (tmp_path / "store").exists()


def test_the_conversation_itself_is_never_proposed_as_knowledge(tmp_path):
    """A conversation without a retrieval gets no mapping that reads its own texts as passages."""
    messages = [
        {"role": "user", "content": "How long may I return a parcel?"},
        {"role": "assistant", "content": REPLY},
    ]
    done = q2("ingest", written(tmp_path / "x.jsonl", [{"messages": messages}]), "--preview")
    assert done.code == 65
    assert "Did you mean" not in done.said


def test_the_proposed_mapping_can_be_saved_and_used(tmp_path):
    """The preview writes it to a file, shows what that reads, and --map-file reads it."""
    log = written(tmp_path / "x.jsonl", [{"reply": REPLY, "ctx": [FACT]}])
    done = q2("ingest", log, "--preview", "--save-map", tmp_path / "map.toml")
    assert (done.code, f"response {REPLY}" in done.said) == (0, True)
    done = q2("ingest", log, "--map-file", tmp_path / "map.toml", "--store", tmp_path / "store")
    assert done.code == 0, done.err


def test_marks_of_a_prompt_can_be_named(tmp_path):
    """--context-between takes the passages, and leaves instructions and question out."""
    prompt = f"Be brief. BEGIN_KB {FACT} END_KB Never guess."
    messages = [
        {"role": "system", "content": prompt},
        {"role": "user", "content": "How long?"},
        {"role": "assistant", "content": REPLY},
    ]
    log = written(tmp_path / "x.jsonl", [{"messages": messages}])
    assert q2("ingest", log, "--preview").code == 65
    done = q2("ingest", log, "--preview", "--context-between", "BEGIN_KB", "END_KB")
    assert done.code == 0
    assert f"knowledge 1 {FACT}" in done.said
    assert "after 'BEGIN_KB'" in done.said
    messages[0]["content"] = f"Be brief. BEGIN_KB {FACT}"
    log = written(tmp_path / "to_its_end.jsonl", [{"messages": messages}])
    done = q2("ingest", log, "--preview", "--context-between", "BEGIN_KB", "")
    assert done.code == 0
    assert f"knowledge 1 {FACT}" in done.said
    assert "empty first mark" in q2("ingest", log, "--context-between", "", "END_KB").said


def test_marks_that_no_text_holds_are_refused(tmp_path):
    """A typo would cost the passages of a prompt, though a tool brings some to other turns."""
    reply = {"role": "assistant", "content": REPLY}
    prompted = [{"role": "system", "content": f"Be brief. <kb>{FACT}</kb>"}, reply]
    rows = [{"messages": prompted}, {"messages": [{"role": "tool", "content": FACT}, reply]}]
    log = written(tmp_path / "x.jsonl", rows)
    done = q2("ingest", log, "--context-between", "<kbb>", "</kbb>", "--store", tmp_path / "store")
    assert done.code == 65
    assert "no text between the marks of --context-between: '<kbb>' and '</kbb>'" in done.said
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize(
    ("late", "told"),
    [
        ({"response": REPLY}, "only 120 of 400 turns have knowledge"),
        ({"knowledge": FACT}, "280 rejects, 280 of them: Field 'response' is missing."),
    ],
)
def test_a_log_is_judged_by_all_that_was_read(tmp_path, late, told):
    """A survey reads the first rows, and these may be the only sound ones."""
    log = written(
        tmp_path / "x.jsonl", [{"response": REPLY, "knowledge": FACT}] * 120 + [late] * 280
    )
    done = q2("ingest", log, "--store", tmp_path / "store")
    assert done.code == 0
    assert told in done.said


def test_few_turns_with_knowledge_are_a_warning_and_other_files_are_named(tmp_path):
    """The log is read, and the person learns what may be wrong."""
    rows = [{"response": REPLY, "knowledge": FACT}, *[{"response": REPLY}] * 3]
    written(tmp_path / "x.jsonl", rows)
    (tmp_path / "notes.docx").write_text("?")
    done = q2("ingest", tmp_path, "--store", tmp_path / "store")
    assert done.code == 0
    assert "only 1 of 4 turns have knowledge" in done.said
    assert "Not read, since their type is unknown: 1 file" in done.said


@pytest.mark.parametrize(
    ("name", "header", "proposed"),
    [
        ("de.csv", "Frage;Antwort;Quelle", "--map Antwort=response --map Quelle=knowledge"),
        ("x.csv", "q;bot_says;kb", "--map bot_says=response --map kb=knowledge"),
    ],
)
def test_a_table_with_columns_of_its_own_gets_the_mapping_that_reads_it(
    tmp_path, name, header, proposed
):
    """Its columns are shown with examples, and nothing is started."""
    log = tmp_path / name
    log.write_text(f"{header}\nHow long?;{REPLY};{FACT}\n")
    done = q2("ingest", log, "--store", tmp_path / "store")
    assert done.code == 65
    assert proposed in done.said
    assert "It has these fields:" in done.err
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("command", [("ingest", "--preview"), ("ingest",), ("score",)])
@pytest.mark.parametrize(
    ("name", "content", "stated", "held"),
    [
        ("x.jsonl", json.dumps({"response": REPLY, "knowledge": FACT}), "csv", "JSON lines"),
        ("x.jsonl", json.dumps({"response": REPLY, "knowledge": FACT}), "parquet", "JSON lines"),
        ("x.csv", f"response,knowledge\n{REPLY},{FACT}", "jsonl", "a table as text"),
    ],
)
def test_a_stated_format_that_the_file_contradicts_is_named(
    tmp_path, command, name, content, stated, held
):
    """The message says what the file holds, before anything is started."""
    log = tmp_path / name
    log.write_text(f"{content}\n")
    more = () if "--preview" in command else ("--store", tmp_path / "store")
    done = q2(*command, log, "--format", stated, *more)
    assert done.code == 65
    assert f"holds {held}" in done.said
    assert not (tmp_path / "store").exists()


def test_a_missing_log_with_a_stated_format_is_named(tmp_path):
    """The stated format hides no simpler mistake."""
    done = q2("ingest", tmp_path / "none.csv", "--format", "csv", "--preview")
    assert done.code == 1
    assert "none.csv" in done.said


def test_a_typo_in_a_mapped_field_that_is_not_needed_is_named(tmp_path):
    """The fields of the log are listed, and without that one the log can be read."""
    log = written(
        tmp_path / "x.jsonl", [{"response": REPLY, "knowledge": FACT, "when": "2026-11-20"}]
    )
    done = q2("ingest", log, "--map", "wen=timestamp", "--store", tmp_path / "store")
    assert done.code == 65
    assert "  when " in done.err
    assert "Leave out --map wen=timestamp" in done.said


def test_passages_that_a_program_was_not_asked_to_log_are_asked_for(tmp_path):
    """No mapping finds them; the request and the export have to name them."""
    search = {
        "type": "file_search_call",
        "id": "s",
        "status": "completed",
        "queries": ["q"],
        "results": None,
    }
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": REPLY}]}  # fmt: skip
    response = {"id": "r", "object": "response", "status": "completed", "output": [search, said]}
    message = {"id": "m", "object": "thread.message", "thread_id": "t", "role": "assistant"}
    message["content"] = [{"type": "text", "text": {"value": REPLY, "annotations": []}}]
    for row, told in ((response, "file_search_call.results"), (message, "step_details.tool_calls")):
        done = q2("ingest", written(tmp_path / "x.jsonl", [row]), "--preview")
        assert done.code == 65
        assert told in done.said
        assert "--map" not in done.err


def test_only_texts_are_named_as_not_used_and_a_prompt_is_used(tmp_path):
    """Times and names of kinds are no texts; a prompt comes into a turn in parts."""
    prompt = f"Be brief.\n\nContext:\n{FACT}\n\nQuestion: How long may I return a parcel?"
    said = [{"role": "user", "content": prompt}, {"role": "assistant", "content": REPLY}]
    row = {
        "messages": said,
        "type": "conversation_of_a_customer",
        "begun": "2026-11-20 10:00:00.000",
    }
    done = q2("ingest", written(tmp_path / "x.jsonl", [row]), "--preview")
    assert done.code == 0
    assert "not used" not in done.said


def test_numbered_columns_of_passages_are_all_named(tmp_path):
    """The knowledge may be read from several fields."""
    log = written(tmp_path / "x.jsonl", [{"response": REPLY, "context_1": FACT, "context_2": FACT}])
    done = q2("ingest", log, "--preview")
    assert "Did you mean: --map context_1=knowledge --map context_2=knowledge" in done.said


def test_a_preview_of_a_long_log_that_cannot_be_used_fails(tmp_path):
    """It reads on where the first rows hold nothing, as the reading itself does."""
    log = written(tmp_path / "x.jsonl", [{"level": "INFO", "msg": "started"}] * 2100)
    assert q2("ingest", log, "--preview").code == 65
    (tmp_path / "y.jsonl").write_text(json.dumps({"response": REPLY, "knowledge": FACT}))
    assert q2("ingest", tmp_path, "--preview").code == 65


def test_a_preview_tells_each_error_once(tmp_path):
    """The message stands above the end, or is the end; of several logs the end has their number."""
    (tmp_path / "a.parquet").write_bytes(b"no Parquet at all")
    done = q2("ingest", tmp_path / "a.parquet", "--preview")
    assert done.said.count("cannot be read as Parquet") == 1
    written(tmp_path / "x.jsonl", [{"level": "INFO"}])
    written(tmp_path / "y.jsonl", [{"level": "DEBUG"}])
    done = q2("ingest", tmp_path, "--preview")
    assert done.code == 65
    assert [done.said.count(f"{name}.jsonl gives no turn") for name in "xy"] == [1, 1]
    assert done.said.count("cannot be read as Parquet") == 1
    assert "3 logs of 3 cannot be used as they are." in done.err


def test_logs_with_the_same_fields_are_told_once_by_the_folder_that_holds_them(tmp_path):
    """One command reads all of them; a preview repeats what is wrong with each, not what to do."""
    for name in "xy":
        written(tmp_path / f"{name}.jsonl", [{"reply": REPLY, "ctx": [FACT]}])
    for command in (("score",), ("ingest", "--preview")):
        done = q2(*command, tmp_path)
        assert done.code == 65
        assert done.said.count("Did you mean") == 1
        assert f"q2 score {tmp_path} --map reply=response --map ctx=knowledge" in done.said


def test_the_commands_of_a_preview_are_not_broken_into_lines(tmp_path):
    """They are pasted into a terminal as they stand."""
    for name in "xy":
        written(tmp_path / f"{name}.jsonl", [{"reply": REPLY, "ctx": [FACT]}])
    done = q2("ingest", tmp_path, "--preview", columns=40)
    assert (
        f"q2 score {tmp_path} --map reply=response --map ctx=knowledge --store q2-store\n"
        in done.out
    )


def test_a_log_without_one_readable_row_is_refused(tmp_path):
    """Nothing can be proposed for it but another format."""
    log = tmp_path / "notes.jsonl"
    log.write_text("The bot was down today.\n")
    done = q2("score", log)
    assert done.code == 65
    assert "The line is not valid JSON" in done.said
    assert "--format" in done.said
