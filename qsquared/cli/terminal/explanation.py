"""Explanations of scores, shown on a terminal."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from qsquared.cli.terminal.printing import Cell, table_of
from qsquared.display import (
    BY_SENTENCE,
    IN_KNOWLEDGE,
    RELATIONS,
    VERDICTS,
    count,
    passage_name,
    visible,
)
from qsquared.method.q2.explaining.explanation import Explanation
from qsquared.method.q2.explaining.parts import UNCHECKED, ExplainedQuestion, Segment
from qsquared.method.q2.second_look import SENTENCE

_REASONS = {
    "mismatch": "→ the reply itself answers otherwise",
    "no_answer": "→ the reply itself does not answer",
    "personal": "→ a personal question",
    "not_needed": "→ not asked, a better one was valid",
    "not_read": "→ too long to be read",
}


_LESS_SURELY = ", the sentence less surely"


def shown(explanation: Explanation, profile: str, everything: bool) -> Group:
    """Return the dialogue, the reply with its marked spans, the knowledge, the score, the questions.

    Args:
        explanation: the explanation of a reply.
        profile: the models that scored it, for a turn that they did not score.
        everything: show the questions that do not count, too, and each supported span.
    """
    parts: list[RenderableType] = [
        Text(f"  … {visible(turn)}", "dim") for turn in explanation.history
    ]
    parts += [_response(explanation), *_knowledge(explanation), Text("")]
    if explanation.status == "pending":
        parts.append(Text(f"Not scored with the profile {profile} yet: run q2 score again."))
    elif explanation.q2 is None:
        reason = visible(explanation.reason or "")
        parts.append(Text(f"Not scored ({explanation.status}): {reason}"))
    else:
        parts += _verdict(explanation)
    if len(explanation.sentences) > 1 or explanation.quotes:
        parts += [Text(""), _sentences(explanation)]
    if explanation.pulls:
        parts += [Text(""), _pulls(explanation, everything)]
    if explanation.q2 is not None and explanation.kept:
        parts += [Text(""), _questions(explanation)]
    parts += _left_out(explanation, everything)
    return Group(*parts)


def _response(explanation: Explanation) -> Text:
    parts = explanation.mark_response(unchecked=True)
    return _marked("reply      ", parts, "bold ")


def _marked(label: str, segments: Sequence[Segment], more: str) -> Text:
    styles = {"": "", UNCHECKED: "underline dim"}
    return Text.assemble(
        label,
        *(
            (visible(part.text), styles.get(part.verdict, more + _style(part.verdict)))
            for part in segments
        ),
    )


def _style(verdict: str | None) -> str:
    return VERDICTS[verdict].style if verdict in VERDICTS else ""


def _knowledge(explanation: Explanation) -> Iterator[Text]:
    for number, passage in enumerate(explanation.marked_knowledge):
        label = "knowledge  " if number == 0 else f"{number + 1:>9}  "
        if explanation.sources and explanation.sources[number]:
            label += f"[{visible(passage_name(explanation.sources[number]))}] "
        yield _marked(label, passage, "underline ")


def _verdict(explanation: Explanation) -> Iterator[Text]:
    line = f"Q² {explanation.q2:.2f}, without NLI {explanation.q2_without_nli:.2f}"
    scored = [sentence.q2 for sentence in explanation.sentences if sentence.q2 is not None]
    if len(scored) > 1:
        line += f", worst sentence {min(scored):.2f}"
    if explanation.status == "fallback_nli":
        line += f" (end-to-end NLI: {explanation.nli_label}). {explanation.reason}"
    else:
        line += f", the mean over {count(len(explanation.kept), 'valid question')}"
    yield Text(line, "bold")
    if words := explanation.support_in_words:
        yield Text(words)


def _sentences(explanation: Explanation) -> Table:
    """Return the sentences of the reply in plain text, each with its kind and score."""
    numbers = ("surely", "support", "Q²", "entailed")
    quoted = ["the judge quotes"] if explanation.quotes else []
    columns = ("sentence", "is a", *numbers, "worst question", *quoted)
    rows: list[list[Cell]] = []
    for sentence in explanation.sentences:
        measured = map(
            _number, (sentence.certainty, sentence.support, sentence.q2, sentence.entailment)
        )
        words = _verdict_words(sentence.verdict)
        row: list[Cell] = [sentence.text, sentence.kind.replace("_", "-"), *measured, words]
        rows.append([*row, sentence.quotation or "—"] if quoted else row)
    return table_of(columns, rows, right=numbers)


def _verdict_words(verdict: str | None, more: str = "") -> Text:
    words = VERDICTS[verdict].words if verdict in VERDICTS else ""
    return Text(words + more, _style(verdict))


def _number(value: float | None) -> str:
    return "—" if value is None else f"{value:.2f}"


def _pulls(explanation: Explanation, everything: bool) -> Table:
    """Return each span's share of the points that the reply lost.

    Several supported spans share a row, unless ``everything`` is shown.
    """
    supported = [span for span in explanation.pulls if span.verdict == "supported"]
    together = supported if len(supported) > 1 and not everything else []
    rows: list[list[Cell]] = []
    for span in explanation.pulls:
        if span not in together:
            more = f"; {IN_KNOWLEDGE}" if span.verdict == "no_answer" and span.in_knowledge else ""
            more += _LESS_SURELY if span.verdict == "supported" else ""
            words = _verdict_words(span.verdict, more)
            rows.append([span.text, words, span.pull, _number(span.without)])
    if together:
        spans, pull = count(len(together), "other span"), sum(span.pull or 0.0 for span in together)
        rows.append([spans, _verdict_words("supported", _LESS_SURELY), pull, "—"])
    columns = ("what pulls Q² down", "is", "by", "Q² without it")
    return table_of(columns, rows, right=("Q² without it",))


def _questions(explanation: Explanation) -> Table:
    several = len(explanation.knowledge) > 1
    passage = ["passage"] if several else []
    rows = [
        (
            question.question,
            question.response_answer or "—",
            question.knowledge_answer or "—",
            *([_place(question)] if several else []),
            _outcome(question, explanation.counts_contradictions),
            question.score,
        )
        for question in explanation.kept
    ]
    columns = ("question", "reply says", "knowledge says", *passage, "verdict", "score")
    return table_of(columns, rows)


def _outcome(question: ExplainedQuestion, counted: bool) -> Text:
    """Return the verdict on a question, and by what it was decided."""
    outcome = Text((question.verdict or "").replace("_", " "), _style(question.verdict))
    if question.verdict == "contradicted" and not counted:
        outcome.append(", not counted")
    by_sentence = question.decided_by == SENTENCE
    if question.nli_label and not by_sentence:
        outcome.append(f", NLI {question.nli_label}", "dim")
    if question.value_relation:
        outcome.append(f", {RELATIONS[question.value_relation]}", "dim")
    if by_sentence:
        outcome.append(f", {BY_SENTENCE}", "dim")
    return outcome


def _place(question: ExplainedQuestion) -> str:
    """Return the number of an answer's passage, from 1, and the answer's first character in it."""
    if question.passage is None:
        return "—"
    return f"{question.passage + 1}, at {question.knowledge_start}"


def _left_out(explanation: Explanation, everything: bool) -> Iterator[RenderableType]:
    """List the questions that do not count: those of spans without a valid one, or all."""
    valid = {question.span_index for question in explanation.kept}
    rows = [
        question
        for question in explanation.questions
        if question.decision != "kept"
        and (everything or (question.span_index not in valid and question.decision != "not_needed"))
    ]
    if not rows:
        return
    if not everything:
        # One question of each span is enough to show why it does not count.
        rows = list({row.span_index: row for row in reversed(rows)}.values())[::-1]
    yield Text("")
    yield Text("Other questions:" if everything else "Spans without a valid question:")
    for row in rows:
        answer = row.response_answer
        says = f" ({visible(answer)})" if answer and row.decision == "mismatch" else ""
        why = _REASONS.get(row.decision, "→ a model failed")
        yield Text(f"  {visible(row.span)}: {visible(row.question)}  {why}{says}", "dim")
