"""HTML of an explanation for notebooks, without scripts or addresses, every text escaped."""

import html
from collections.abc import Iterable

from qsquared.method.q2.explaining.explanation import ExplainedQuestion, Explanation
from qsquared.method.q2.second_look import SENTENCE
from qsquared.report.segments import Mark, cut
from qsquared.text import visible
from qsquared.words import BY_SENTENCE, RELATIONS, VERDICTS

_CELL = "text-align:left;vertical-align:top;padding:.2em .8em .2em 0"


def to_html(explanation: Explanation) -> str:
    """Return the dialogue, the marked reply and knowledge, the score and the questions."""
    parts = [f"<div>… {escape(said)}</div>" for said in explanation.history]
    spans = [
        (span.start, span.end, span.verdict)
        for span in explanation.spans
        if span.verdict is not None
    ]
    parts.append(f"<p><b>reply</b> {marked(explanation.response, spans)}</p>")
    for number, passage in enumerate(explanation.knowledge):
        places = [
            (question.knowledge_start, question.knowledge_end, question.verdict)
            for question in explanation.kept
            if question.passage == number
            and question.knowledge_start is not None
            and question.knowledge_end is not None
            and question.verdict is not None
        ]
        count = f" {number + 1}" if len(explanation.knowledge) > 1 else ""
        parts.append(f"<p><b>knowledge{count}</b> {marked(passage, places)}</p>")
    parts.append(f"<p>{_score(explanation)}</p>")
    if explanation.kept:
        parts.append(_table(explanation))
    return f'<div class="q2-explanation" style="line-height:1.5">{"".join(parts)}</div>'


def marked(text: str, marks: Iterable[Mark]) -> str:
    """Return the text with its marks; where they overlap, the gravest verdict counts."""
    parts = []
    for segment in cut(text, marks):
        piece = escape(segment.text)
        if segment.verdict:
            verdict = VERDICTS[segment.verdict]
            style = f"background:none;color:{verdict.colour};text-decoration:underline"
            piece = f'<mark style="{style}" title="{verdict.words}">{piece}</mark>'
        parts.append(piece)
    return "".join(parts)


def escape(text: str) -> str:
    """Return a text as HTML, in which no character is hidden or turns others around."""
    return html.escape(visible(text))


def _score(explanation: Explanation) -> str:
    if explanation.q2 is None:
        return f"not scored ({escape(explanation.status)}): {escape(explanation.reason or '')}"
    shown = f"<b>Q² {explanation.q2:.2f}</b>, without NLI {explanation.q2_without_nli:.2f}"
    return f"{shown}. {escape(explanation.sentence())}"


def _table(explanation: Explanation) -> str:
    head = ("question", "reply says", "knowledge says", "passage", "verdict", "score")
    rows = [
        (
            escape(question.question),
            escape(question.response_answer or "—"),
            escape(question.knowledge_answer or "—"),
            "—" if question.passage is None else f"{question.passage + 1}",
            _verdict(question),
            "" if question.score is None else f"{question.score:.2f}",
        )
        for question in explanation.kept
    ]
    body = "".join(_row(cells, "td") for cells in rows)
    return f"<table><thead>{_row(head, 'th')}</thead><tbody>{body}</tbody></table>"


def _row(cells: Iterable[str], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag} style={_CELL!r}>{cell}</{tag}>' for cell in cells)}</tr>"


def _verdict(question: ExplainedQuestion) -> str:
    if question.verdict is None:
        return ""
    why = RELATIONS.get(question.value_relation or "", "")
    if question.decided_by == SENTENCE:
        why = BY_SENTENCE
    verdict = VERDICTS[question.verdict]
    return f'<span style="color:{verdict.colour}">{verdict.words}</span>{why and f", {why}"}'
