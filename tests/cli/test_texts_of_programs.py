"""Texts into which a program wrote several passages or the marks of a template are cut apart, and rows joined."""

import csv
import json
import re
import shlex

import pytest

from tests.calling import q2
from tests.cli.stored import turns_of
from tests.storage.logs.test_proposals import FACTS

WHOLE = [[reply, [fact]] for _, reply, fact in FACTS]
DSPY = "[[ ## context ## ]]\n{}\n\n[[ ## question ## ]]\n{}\n\nRespond with the field `[[ ## answer ## ]]`."
ANSWER = "[[ ## answer ## ]]\n{}\n\n[[ ## completed ## ]]"
THOUGHT = "[[ ## reasoning ## ]]\nThe article says it: {}\n\n"
GERMAN = "=== WISSEN ===\n{}\n\n=== ANLIEGEN ===\n{}\n\n=== LÖSUNG ==="
HEAD = ["Frage", "Antwort", "Quellen"]


def found(number):
    """The passages that were retrieved for a question: one, two or three."""
    return [FACTS[(number + 2 * place) % len(FACTS)][2] for place in range(1 + number % 3)]


SEVERAL = [[reply, found(number)] for number, (_, reply, _) in enumerate(FACTS)]


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Read a log by the command that its refusal prints; return its turns and what was printed."""
    monkeypatch.chdir(tmp_path)

    def by_the_command(log):
        done = q2("ingest", log, "--store", tmp_path / "store")
        command = re.search(r"Read it so: q2 ingest (.+)$", done.err, re.MULTILINE)
        assert (done.code, bool(command)) == (65, True), done.err
        assert q2("ingest", *shlex.split(command[1])).code == 0
        return turns_of(tmp_path / "store"), done.err

    return by_the_command


def table(folder, head, rows):
    """Write a table with semicolons."""
    path = folder / "x.csv"
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter=";").writerows([head, *rows])
    return path


def lines(folder, rows):
    """Write a log of JSON lines."""
    path = folder / "x.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.sampled(4)
@pytest.mark.parametrize("between", ["\n", "\n\n", " ", " | "])
@pytest.mark.parametrize(
    "mark", ["Quelle {}: ", "Abschnitt {}) ", "[{}] ", "#{} ", "Fuente nº {} - ", "出典{}：", "{}. Beleg: ", "{}) "]  # noqa: RUF001
)  # fmt: skip
def test_passages_that_one_cell_counts_up_are_one_each(tmp_path, read, mark, between):
    """Whatever word counts them, on lines or in one line."""
    texts = (
        between.join(mark.format(n) + one for n, one in enumerate(held, start=1))
        for _, held in SEVERAL
    )
    rows = [[q, r, text] for (q, r, _), text in zip(FACTS, texts, strict=True)]
    assert read(table(tmp_path, HEAD, rows))[0] == SEVERAL


def test_the_text_in_brackets_behind_a_number_is_no_part_of_its_passage(tmp_path, read):
    """Nor is a line that announces the passages, or a passage cut where it names another one."""
    rows = [
        [q, r, f"Gefunden:\nQuelle 1 (Seite {n}): {fact} (Mehr in Quelle 2: dort.)\nQuelle 2 (Seite 9): {FACTS[0][2]}"]
        for n, (q, r, fact) in enumerate(FACTS)
    ]  # fmt: skip
    turns, _ = read(table(tmp_path, HEAD, rows))
    expected = [[f"{fact} (Mehr in Quelle 2: dort.)", FACTS[0][2]] for _, _, fact in FACTS]
    assert [held for _, held in turns] == expected


@pytest.mark.parametrize("mark", ["{}. ", "{}) ", "Schritt {}: "])
def test_steps_within_a_passage_are_one_passage(tmp_path, read, mark):
    """Short items count no passages, nor do numbers alone before items that keep their number."""
    texts = [
        " ".join(mark.format(n) + step for n, step in enumerate(("Open it.", fact, "Confirm."), 1))
        for _, _, fact in FACTS
    ]
    rows = [[q, r, text] for (q, r, _), text in zip(FACTS, texts, strict=True)]
    assert [held for _, held in read(table(tmp_path, HEAD, rows))[0]] == [[one] for one in texts]


@pytest.mark.parametrize("thought", ["", THOUGHT])
@pytest.mark.parametrize("prompt", [DSPY, GERMAN, "Contenido: {}\n\nConsulta: {}\n\nSalida:"])
def test_marks_that_all_texts_have_are_no_part_of_prompt_and_reply(tmp_path, read, prompt, thought):
    """The part of a prompt that the replies rest on is their knowledge, and the last part of a reply is said."""
    rows = [
        {"prompt": prompt.format("\n\n".join(held), q), "out": [thought.format(fact) + ANSWER.format(r)]}
        for (q, r, fact), (_, held) in zip(FACTS, SEVERAL, strict=True)
    ]  # fmt: skip
    assert read(lines(tmp_path, rows))[0] == SEVERAL


def test_messages_of_a_known_format_with_a_template_are_refused_and_proposed(tmp_path, read):
    """A reply between marks is no reply; the printed command takes them off and says where it cuts."""
    rows = [
        {
            "messages": [{"role": "user", "content": DSPY.format(fact, q)}],
            "response": {
                "choices": [{"message": {"role": "assistant", "content": ANSWER.format(r)}}]
            },
        }
        for q, r, fact in FACTS
    ]
    turns, told = read(lines(tmp_path, rows))
    assert turns == WHOLE
    assert "marks of a template" in told
    assert "are cut at '[[ ## context ## ]]', '[[ ## question ## ]]'" in told


@pytest.mark.parametrize(
    ("before", "after"),
    [("<ergebnis>", "</ergebnis>"), ("", "<|fin|>"), ("Salida: ", ""), ("", "\nCan I do more for you?")],
)  # fmt: skip
def test_a_text_around_nearly_all_replies_is_a_template(tmp_path, read, before, after):
    """It is taken off; a reply without it counts as a whole."""
    rows = [
        {"asked": q, "kb": [fact], "text": f"{before}{r}{after}"} for q, r, fact in (*FACTS, *FACTS)
    ]
    rows.append({"asked": "What else?", "kb": [FACTS[0][2]], "text": "The seal must be whole."})
    turns, _ = read(lines(tmp_path, rows))
    assert turns == [*WHOLE, *WHOLE, ["The seal must be whole.", [FACTS[0][2]]]]


@pytest.mark.parametrize("after", ["\n\nCan I do more for you?", "\n\n**Sources:**\n- returns.md"])
def test_what_some_replies_or_people_write_stays(tmp_path, read, after):
    """A courtesy in a few replies is said, and so is what stands under a heading."""
    replies = [r + after if n < 2 or "*" in after else r for n, (_, r, _) in enumerate(FACTS)]
    rows = [
        {"asked": q, "kb": [fact], "text": f"{reply}{'' if '?' in after else n}"}
        for n, ((q, _, fact), reply) in enumerate(zip(FACTS, replies, strict=True))
    ]
    assert [said for said, _ in read(lines(tmp_path, rows))[0]] == [one["text"] for one in rows]


def test_a_line_that_all_passages_have_is_knowledge(tmp_path, read):
    """Marks that repeat in the knowledge alone are no template."""
    rows = [
        {"asked": q, "kb": f"Valid in all our shops.\n{fact}\nAsk us for more.", "text": r}
        for q, r, fact in FACTS
    ]
    assert [held for _, held in read(lines(tmp_path, rows))[0]] == [[one["kb"]] for one in rows]


@pytest.mark.parametrize("name", [{}, {"message": "m{}"}])
def test_rows_that_repeat_a_turn_with_another_passage_are_one_turn(tmp_path, read, name):
    """Rows of a retrieval follow each other, with the question and the reply in each."""
    rows = [
        {**{key: value.format(n) for key, value in name.items()}, "asked": q, "said": r, "hit": {"body": one}}
        for n, ((q, r, _), (_, held)) in enumerate(zip(FACTS, SEVERAL, strict=True))
        for one in held
    ]  # fmt: skip
    turns, told = read(lines(tmp_path, rows))
    assert turns == SEVERAL
    assert "are one turn" in told


def test_rows_that_repeat_a_turn_with_its_knowledge_stay_apart(tmp_path, read):
    """Notes of two people on a turn make one turn for each of them."""
    rows = [
        {"asked": q, "said": r, "kb": fact, "note": note.format(n)}
        for n, (q, r, fact) in enumerate(FACTS)
        for note in ("That is quite fine in case {}.", "The tone of number {} could be nicer.")
    ]
    assert read(lines(tmp_path, rows))[0] == [turn for turn in WHOLE for _ in (0, 1)]
