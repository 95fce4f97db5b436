"""Stage ``roundtrip``: keep the questions that the response itself answers with the span."""

from functools import partial

from qsquared.language.long_texts import context_around
from qsquared.language.neural.batches import chunked
from qsquared.method.plain.reply_claims import Claims, claims_by_pair, plain_bounds
from qsquared.method.q2.personal import is_personal, may_be_personal
from qsquared.method.q2.roundtrip import Candidate, Outcome, Place, filter_questions
from qsquared.method.q2.spans import telling
from qsquared.method.question_generation import LAST_RESORTS
from qsquared.records import Failure
from qsquared.storage.tables import ROUNDTRIP
from qsquared.tasks.model_requests import answer_each, parse_each
from qsquared.tasks.rows import failed_row, rows_each, sound, span_of
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables

_CHUNK_CHARACTERS = 1_000_000
"""Characters whose parses are held at a time."""


def _window(response: str, span: Row, longest: int) -> tuple[int, str]:
    """Return the offset and the text of the window of the response that is read for a span.

    The window is the whole response, as in the paper, up to ``longest`` characters.
    In a longer response it is the sentences around the span: a response has as many questions as it
    has phrases, and each on all of the response would take quadratic time.
    """
    if len(response) <= longest:
        return 0, response
    start, end = plain_bounds(span)
    bounds = context_around(response, start, end, lambda part: len(part) <= longest)
    first, last = bounds or (start, end)
    return first, response[first:last]


def _personal(roles: Roles, questions: list[str], *, second_person: bool) -> list[bool | Failure]:
    """Return whether each question is about the speakers; only questions that name one are parsed."""
    naming = [question for question in dict.fromkeys(questions) if may_be_personal(question)]
    decided: dict[str, bool | Failure] = {}
    # Few parses are held at a time.
    for chunk in chunked(naming, len, _CHUNK_CHARACTERS):
        for question, parsed in zip(chunk, parse_each(roles, chunk), strict=True):
            decided[question] = (
                parsed
                if isinstance(parsed, Failure)
                else is_personal(parsed, second_person=second_person)
            )
    return [decided.get(question, False) for question in questions]


def _place(span: Row, form: str) -> Place:
    """Return the place of a question of a form on a span among those of its sentence."""
    start, end = plain_bounds(span)
    priority = telling(span["text"], span["label"] or "")
    sentence = span["pair_id"], span["sentence"] or 0
    return Place(sentence, start, end, priority, form in LAST_RESORTS)


def run(tables: Tables, roles: Roles, parameters: Parameters) -> Rows:
    """Map claims, spans and questions to the decision on each question (Q², section 2)."""
    claims = claims_by_pair(tables["sentences"])
    longest, most = parameters["response_characters"], parameters["questions_per_span"]
    per_sentence = parameters["questions_per_sentence"]
    spans = {span_of(row): row for row in sound(tables["spans"])}
    parts = {
        key: _window(claims[row["pair_id"]].text.text, row, longest) for key, row in spans.items()
    }
    questions = sound(tables["questions"])
    personal = _personal(
        roles,
        [row["question"] for row in questions],
        second_person=bool(parameters["second_person"]),
    )
    failed: Rows = []
    asked: Rows = []
    candidates: list[Candidate] = []
    for row, about_speakers in zip(questions, personal, strict=True):
        if isinstance(about_speakers, Failure):
            failed.append(failed_row(ROUNDTRIP, row, about_speakers.reason))
            continue
        group = span_of(row)
        asked.append(row)
        candidates.append(
            Candidate(
                group,
                row["question"],
                parts[group][1],
                spans[group]["text"],
                personal=parameters["leave_out_personal"] and about_speakers,
                beyond=most is not None and row["rank"] > most,
                place=None if per_sentence is None else _place(spans[group], row["form"]),
            )
        )
    outcomes = filter_questions(
        candidates, partial(answer_each, roles), parameters["variant"], per_sentence
    )

    def decision(row: Row, outcome: Outcome) -> Rows:
        return [_decision(outcome, claims[row["pair_id"]], parts[span_of(row)][0])]

    return failed + rows_each(ROUNDTRIP, asked, outcomes, decision)


def _decision(outcome: Outcome, claims: Claims, first: int) -> Row:
    """Return the columns of a decision; the answer was read from the character ``first`` on."""
    answer, reason = outcome.answer, outcome.reason
    if answer is not None and answer.windows == 0:
        answer, reason = None, "not_read"
    decided: Row = {"kept": reason == "kept", "reason": reason}
    if answer is None:
        return decided
    decided |= {"answer_score": answer.score, "no_answer_score": answer.no_answer_score}
    if answer.start is None or answer.end is None:
        return decided
    start, end = first + answer.start, first + answer.end
    decided["response_answer"] = claims.spelled[start:end]
    decided["response_start"], decided["response_end"] = claims.logged(start, end)
    return decided


STAGE = Stage(
    ROUNDTRIP,
    3,
    inputs=("pairs", "sentences", "spans", "questions"),
    roles=("parser", "question_answering"),
    parameters=(
        "variant",
        "leave_out_personal",
        "second_person",
        "response_characters",
        "questions_per_span",
        "questions_per_sentence",
    ),
    run=run,
)
