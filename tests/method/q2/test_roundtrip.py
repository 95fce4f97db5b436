"""Round-trip filtering: lazily in waves, with the outcome of asking one by one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsquared.method.q2.roundtrip import Candidate, Outcome, Place, filter_questions
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


def placed(questions, start, end, priority=(0,), sentence=0, last_resort=()):
    """Ranked candidates of one span with its place in a sentence."""
    return [
        Candidate(
            ("p", start),
            question,
            "response",
            "the red car",
            personal=False,
            place=Place(("p", sentence), start, end, priority, question in last_resort),
        )
        for question in questions
    ]


def kept(candidates_, answers, per_sentence, log=None):
    """The questions that stay."""
    got = filter_questions(candidates_, reader(answers, log), "single", per_sentence)
    return [c.question for c, o in zip(candidates_, got, strict=True) if o.reason == "kept"]


HIT = dict.fromkeys("abcdef", "red car")


def test_a_sentence_keeps_its_most_telling_spans():
    """Once so many have a valid question, no other span of the sentence is asked about."""
    log = []
    made = [
        *placed("a", 0, 2, (2,)),
        *placed("b", 3, 5, (0,)),
        *placed("c", 6, 8, (1,)),
        *placed("d", 9, 12, (3,), sentence=1),
    ]
    assert kept(made, HIT, 2, log) == ["b", "c", "d"]
    assert log == [["b", "c", "d"]]


def test_the_next_span_takes_the_place_of_one_without_a_valid_question():
    """A sentence has fewer questions than it may have only where no span is left."""
    made = [*placed("a", 0, 2, (0,)), *placed("b", 3, 5, (1,)), *placed("c", 6, 8, (2,))]
    assert kept(made, HIT | {"a": "blue"}, 2) == ["b", "c"]


def test_a_span_within_another_is_asked_about_once():
    """The one that comes later is asked about only where the first has no valid question."""
    made = [*placed("a", 0, 9, (0,)), *placed("b", 4, 9, (1,))]
    assert kept(made, HIT, 4) == ["a"]
    assert kept(made, HIT | {"a": None}, 4) == ["b"]


@given(
    st.lists(
        st.tuples(
            st.integers(0, 1),
            st.integers(0, 8),
            st.integers(1, 4),
            st.integers(0, 2),
            st.lists(st.tuples(st.sampled_from(["hit", "miss"]), st.booleans()), max_size=3),
        ),
        max_size=8,
    ),
    st.integers(1, 4),
)
def test_a_sentences_waves_decide_as_one_at_a_time_would(spans, most):
    """For any spans and answers the limit keeps what asking one question after the other keeps."""
    made, answers, ranked = [], {}, []
    for number, (sentence, start, length, priority, questions) in enumerate(spans):
        for rank, (given_answer, last_resort) in enumerate(questions):
            question = f"{number}/{rank}"
            answers[question] = {"hit": "red car", "miss": "blue"}[given_answer]
            place = Place(("p", sentence), start, start + length, (priority,), last_resort)
            made.append(
                Candidate(("p", number), question, "response", "the red car", False, place=place)
            )
            ranked.append((last_resort, priority, number, rank, question, place))
    expected, found = set(), {0: [], 1: []}
    for last_resort, _, number, _, question, place in sorted(ranked, key=lambda t: t[:4]):
        own = found[place.sentence[1]]
        is_over = any(place.start < o.end and o.start < place.end for _, o in own)
        if len(own) < most and not is_over and answers[question] == "red car":
            own.append((number, place))
            expected.add(question)
        del last_resort
    assert set(kept(made, answers, most)) == expected
