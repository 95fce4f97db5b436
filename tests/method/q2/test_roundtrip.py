"""Round-trip filtering: lazily in waves, with the outcome of asking one by one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsquared.method.q2.roundtrip import Candidate, Outcome, filter_questions
from qsquared.records import Answer, Failure


def answer(text):
    """An answer of which only the text matters."""
    return Answer(text, 0, len(text or ""), 1.0, 0.0, 1)


def reader(answers, log=None):
    """A QA model that answers each question by a table, and notes what it was asked."""

    def ask(requests):
        if log is not None:
            log.append([r.question for r in requests])
        return [a if isinstance(a := answers[r.question], Failure) else answer(a) for r in requests]

    return ask


def candidates(*questions, group=("p", 0), span="the red car", personal=()):
    """Ranked candidates of one span."""
    return [Candidate(group, q, "response", span, q in personal) for q in questions]


def reasons(outcomes):
    """The reason of each outcome."""
    return [o.reason for o in outcomes]


def test_single_stops_at_the_first_valid_question_of_a_span():
    """Questions below the first valid one are not asked."""
    log = []
    got = filter_questions(
        candidates("a", "b", "c"), reader({"a": "blue", "b": "Red car!", "c": "red car"}, log)
    )
    assert reasons(got) == ["mismatch", "kept", "not_needed"]
    assert log == [["a"], ["b"]]


@pytest.mark.parametrize(
    ("span", "read", "reason"),
    [
        ("€7.95", "€7.95", "kept"),
        ("€7.95", "7.95", "kept"),
        ("€7.95", "€4.95", "mismatch"),
        ("7.95", "€7.95", "mismatch"),
    ],
)
def test_the_reader_may_leave_the_sign_of_money_out(span, read, reason):
    """A span without one is compared as in the paper."""
    got = filter_questions(candidates("a", span=span), reader({"a": read}))
    assert reasons(got) == [reason]


def test_multi_keeps_every_valid_question():
    """In the variant multi all questions are asked at once and each valid one stays."""
    log = []
    answers = {"a": "red car", "b": None, "c": "the red car"}
    got = filter_questions(candidates("a", "b", "c"), reader(answers, log), "multi")
    assert reasons(got) == ["kept", "no_answer", "kept"]
    assert log == [["a", "b", "c"]]


def test_personal_questions_are_never_asked():
    """A personal question costs no call and does not count as the first question."""
    log = []
    got = filter_questions(candidates("a", "b", personal={"a"}), reader({"b": "red car"}, log))
    assert reasons(got) == ["personal", "kept"]
    assert log == [["b"]]


def test_each_wave_asks_all_unresolved_spans_together():
    """The k-th questions of all spans are asked in one call."""
    log = []
    both = [*candidates("a", "b", group=("p", 0)), *candidates("c", "d", group=("q", 0))]
    filter_questions(both, reader({"a": "x", "b": "y", "c": "red car", "d": "z"}, log))
    assert log == [["a", "c"], ["b"]]


def test_a_failed_question_is_reported_and_the_next_is_tried():
    """A failure is handed back in its place and does not end the span."""
    got = filter_questions(candidates("a", "b"), reader({"a": Failure("boom"), "b": "red car"}))
    assert got[0] == Failure("boom")
    assert isinstance(got[1], Outcome)
    assert got[1].reason == "kept"


def test_an_unknown_variant_is_refused():
    """A misspelt variant is an error, not silently the default."""
    with pytest.raises(ValueError, match="sinlge"):
        filter_questions([], reader({}), "sinlge")


@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from(["hit", "miss", None]), st.booleans()), max_size=5),
        max_size=6,
    )
)
def test_waves_decide_as_one_at_a_time_would(groups):
    """For any answers, the lazy waves keep exactly what the plain loop of the paper keeps."""
    made, table, expected = [], {}, []
    for g, group in enumerate(groups):
        found = False
        for rank, (given_answer, personal) in enumerate(group):
            question = f"{g}/{rank}"
            table[question] = {"hit": "red car", "miss": "blue", None: None}[given_answer]
            made.append(Candidate(("p", g), question, "response", "the red car", personal))
            expected.append(not personal and not found and given_answer == "hit")
            found = found or expected[-1]
    got = filter_questions(made, reader(table))
    assert [o.reason == "kept" for o in got] == expected
