"""Tests of responses and questions that are longer than a window."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qsquared.records import Answer, GeneratedQuestion
from qsquared.tasks.metrics import Q2
from qsquared.tasks.q2 import filter_questions, split_sentences
from tests.tasks.fakes import WordAnswers, WordRoles

LONGEST = 80


class SpanQuestions:
    """The question on a span names it, so that a reader can look for it."""

    def generate(self, requests):
        """One question a span."""
        return [[GeneratedQuestion(request.span.text, -0.5, "beam")] for request in requests]


class FindingAnswers(WordAnswers):
    """The answer to a question is its first occurrence."""

    def _answer(self, question, text):
        start = text.index(question)
        return Answer(question, start, start + len(question), 1.0, 0.0, 1)


def as_logged(response):
    """The one sentence of a reply that is read as logged."""
    pairs = [{"pair_id": "p", "response": response}]
    return split_sentences.run({"pairs": pairs}, WordRoles(), {"sentences": None})


def decide(response, spans, **more):
    """The round trip of a response with spans at these bounds, each asked for by its own text."""
    key = {"pair_id": "p", "error": None}
    tables = {
        "pairs": [{"pair_id": "p", "response": response, "knowledge": ["x"]}],
        "spans": [
            key
            | {"span_index": i, "start": a, "end": b, "text": response[a:b]}
            | {"plain_start": a, "plain_end": b}
            for i, (a, b) in enumerate(spans)
        ],
        "sentences": as_logged(response),
        "questions": [
            key | {"span_index": i, "rank": 1, "question": response[a:b]}
            for i, (a, b) in enumerate(spans)
        ],
    }
    roles = WordRoles(question_generation=SpanQuestions(), question_answering=FindingAnswers())
    parameters = Q2.defaults | {
        "leave_out_personal": False,
        "questions_per_sentence": None,
        **more,
    }
    return filter_questions.run(tables, roles, parameters), roles.question_answering.asked


RESPONSES = st.text(alphabet="ab. \n\u00e9\U0001f600", min_size=1, max_size=400)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(response=RESPONSES, data=st.data())
def test_answers_have_offsets_in_the_whole_response(response, data):
    """Offsets cut the answer out of the response, and the text that is read is short and holds the span."""
    words = [i for i, c in enumerate(response) if not c.isspace()]
    if not words:
        return
    starts = data.draw(st.lists(st.sampled_from(words), min_size=1, max_size=5, unique=True))
    spans = [(a, min(len(response), a + 3)) for a in starts]
    found, asked = decide(response, spans, response_characters=LONGEST)
    for row in found:
        cut = response[row["response_start"] : row["response_end"]]
        assert cut == row["response_answer"]
    texts = [request.text for wave in asked for request in wave]
    assert all(len(text) <= LONGEST for text in texts) or len(response) <= LONGEST
    assert all(text in response for text in texts)


def test_a_long_response_is_read_around_each_span():
    """The text that is read does not grow with the response, and a late span is answered in its place."""
    sentences = [f"Number {i} is the painter Bob{i}." for i in range(200)]
    response = " ".join(sentences)
    start = response.index("Bob150")
    found, asked = decide(response, [(start, start + 6)], response_characters=LONGEST)
    ((request,),) = asked
    assert len(request.text) <= LONGEST
    assert sentences[150] in request.text
    assert (found[0]["reason"], found[0]["response_start"]) == ("kept", start)


def test_as_published_a_response_of_the_usual_length_is_read_whole():
    """As in the paper; by the defaults only one of a sentence or two is."""
    response = "The painter Bob was here. " * 100
    whole = Q2.published["response_characters"]
    _, asked = decide(response, [(12, 15)], response_characters=whole)
    assert [request.text for wave in asked for request in wave] == [response]


def test_a_question_that_was_not_read_is_distinguished():
    """It is no missing answer: the reader says that it read in no window."""

    class TooLong(FindingAnswers):
        def _answer(self, question, text):
            return Answer(None, None, None, 0.0, 0.0, 0)

    key = {"pair_id": "p", "error": None, "span_index": 0}
    tables = {
        "pairs": [{"pair_id": "p", "response": "Bob was here", "knowledge": ["x"]}],
        "sentences": as_logged("Bob was here"),
        "spans": [key | {"start": 0, "end": 3, "plain_start": 0, "plain_end": 3, "text": "Bob"}],
        "questions": [key | {"rank": 1, "question": "who " * 300}],
    }
    roles = WordRoles(question_answering=TooLong())
    (row,) = filter_questions.run(tables, roles, Q2.defaults | {"questions_per_sentence": None})
    assert (row["kept"], row["reason"]) == (False, "not_read")
    assert (row["answer_score"], row["no_answer_score"], row["response_answer"]) == (None,) * 3
