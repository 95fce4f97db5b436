"""An explanation puts the rows of a response's stages together."""

import json

from qsquared.method.q2.explaining.explanation import explain

RESPONSE = "Alan built it in 1860."
KNOWLEDGE = ["Fog is common.", "It was built in 1858."]
SPANS = [
    {"span_index": 0, "start": 0, "end": 4, "text": "Alan", "kind": "entity", "label": "PERSON"},
    {"span_index": 1, "start": 17, "end": 21, "text": "1860", "kind": "entity", "label": "DATE"},
    {"span_index": 2, "start": 11, "end": 13, "text": "it", "kind": "noun_chunk", "label": None},
]
BLANK = dict.fromkeys(
    (
        "response_answer",
        "knowledge_answer",
        "passage",
        "knowledge_start",
        "knowledge_end",
        "nli_label",
        "verdict",
        "score",
    )
)


def row(span_index, **more):
    """A row of the evidence."""
    named = {
        "span_index": span_index,
        "span": SPANS[span_index]["text"],
        "question": "Q?",
        "roundtrip": "kept",
    }
    return BLANK | named | more


EVIDENCE = [
    row(0, response_answer="Alan", verdict="no_answer", score=0.0),
    row(
        1,
        knowledge_answer="1858",
        passage=1,
        knowledge_start=16,
        knowledge_end=20,
        nli_label="contradiction",
        verdict="contradicted",
        score=0.0,
    ),
    row(2, roundtrip="mismatch", response_answer="Alan"),
]
SCORE = {"q2": 0.0, "q2_without_nli": 0.0, "status": "scored", "reason": None, "nli_label": None}


def explained(**more):
    """The explanation of the example."""
    return explain(RESPONSE, KNOWLEDGE, SPANS, EVIDENCE, SCORE, id="t1", history=["Hi"], **more)


def test_each_span_has_its_verdict_and_its_part_of_the_loss():
    """Verdict, pull and what the score would be without; a span that was not checked says why."""
    alan, year, it = explained().spans
    assert (alan.verdict, alan.pull, alan.without) == ("no_answer", 0.5, 0.0)
    assert (year.verdict, year.pull, year.without) == ("contradicted", 0.5, 0.0)
    assert (it.verdict, it.pull, it.why_not) == (None, None, "mismatch")
    assert [span.text for span in explained().pulls] == ["Alan", "1860"]


def test_an_answer_names_its_passage_and_place():
    """Passages stay apart: offsets count within the one that is named."""
    year = explained().kept[1]
    assert KNOWLEDGE[year.passage][year.knowledge_start : year.knowledge_end] == "1858"


def test_a_sentence_says_it_all():
    """Tools that show one line get the spans with reason and amount."""
    assert explained().sentence() == (
        "'Alan' has no answer to a question about it in the knowledge (-0.50); "
        "'1860' is against the knowledge, which says '1858' (-0.50)."
    )
    unscored = explain("", [], [], [], {"status": "empty_response", "reason": "It is empty."})
    assert unscored.sentence() == "It is empty."
    fallback = {**SCORE, "status": "fallback_nli", "reason": "No span.", "nli_label": "neutral"}
    assert explain("Hm.", KNOWLEDGE, [], [], fallback).sentence() == "No span. (NLI: neutral)"
    good = [
        row(
            0,
            response_answer="Alan",
            knowledge_answer="Alan",
            passage=0,
            verdict="supported",
            score=1.0,
        )
    ]
    assert explain(RESPONSE, KNOWLEDGE, SPANS, good, SCORE | {"q2": 1.0}).sentence() == (
        "The knowledge supports every checked part of the response."
    )


def test_it_is_plain_json():
    """Programs get every part, in plain values."""
    told = json.loads(json.dumps(explained(sources=[{"id": "a"}, {"id": "b"}]).to_json()))
    assert told["id"] == "t1"
    assert told["sources"] == [{"id": "a"}, {"id": "b"}]
    assert [span["verdict"] for span in told["spans"]] == ["no_answer", "contradicted", None]
    assert told["questions"][1]["knowledge_start"] == 16


def test_names_that_fit_no_passage_are_left_out():
    """A log's own field of that name may hold anything."""
    assert explained(sources=[{"id": "a"}]).sources == ()


def test_a_span_whose_words_stand_in_the_knowledge_says_so():
    """A question that missed them is no proof of a hallucination."""
    missed = [row(0, response_answer="Alan", verdict="no_answer", score=0.0, in_knowledge=True)]
    told = explain(RESPONSE, KNOWLEDGE, SPANS, missed, SCORE)
    assert [span.in_knowledge for span in told.spans] == [True, False, False]
    assert "although its words stand there" in told.sentence()


def test_a_supported_span_that_lost_points_is_not_sure():
    """The judgement of its sentence took a part of the score."""
    doubted = [
        row(0, response_answer="Alan", knowledge_answer="Alan", passage=0, verdict="supported", score=0.8)
    ]  # fmt: skip
    told = explain(RESPONSE, KNOWLEDGE, SPANS, doubted, SCORE | {"q2": 0.8})
    assert told.sentence() == "'Alan' is supported, its sentence less surely (-0.20)."


def test_the_sentence_that_lowers_support_most_is_named():
    """It is the least supported one; sentences that claim nothing are none."""
    sentences = [
        {"sentence": n, "start": 0, "end": 1, "text": text, "kind": "claim", "support": support}
        for n, (text, support) in enumerate(
            [("Thanks.", None), ("It rains.", 0.4), ("It pours.", 0.1)]
        )
    ]
    told = explain(RESPONSE, KNOWLEDGE, [], [], SCORE | {"support": 0.2}, sentences=sentences)
    assert told.support_in_words == "Support 0.20, lowered most by: It pours. (0.10)."
    surer = [row | {"support": row["support"] and row["support"] + 0.5} for row in sentences]
    together = explain(RESPONSE, KNOWLEDGE, [], [], SCORE | {"support": 0.4}, sentences=surer)
    assert together.support_in_words == (
        "Support 0.40; each sentence alone is above 0.5, the least sure: It pours. (0.60)."
    )
    assert [one.text for one in told.sentences_worst_first] == ["It pours.", "It rains.", "Thanks."]
    assert explain(RESPONSE, KNOWLEDGE, [], [], SCORE).support_in_words == ""


ONE = {"sentence": 0, "start": 0, "end": 22, "text": RESPONSE, "kind": "claim", "support": 0.2}
ALAN, DATE = EVIDENCE[0], EVIDENCE[1]
LOW, HIGH = SCORE | {"support": 0.2}, SCORE | {"support": 0.6}


def test_words_that_the_knowledge_lacks_are_to_be_checked_first():
    """They are named, the most telling first of two that are doubted alike; a pronoun is no such word."""
    told = explain(RESPONSE, KNOWLEDGE, SPANS, EVIDENCE, LOW, sentences=[ONE])
    assert told.support_in_words == "Support 0.20. Check “1860”, then “Alan”."
    assert told.sentence().startswith("'1860' is against the knowledge, which says '1858'")
    assert told.to_json()["doubted"] == ["1860", "Alan"]


def test_a_supported_reply_has_no_words_to_check():
    """Neither has one without a sentence that was judged."""
    told = explain(RESPONSE, KNOWLEDGE, SPANS, EVIDENCE, HIGH, sentences=[ONE | {"support": 0.6}])
    assert told.support_in_words == "Support 0.60."
    assert explain(RESPONSE, KNOWLEDGE, SPANS, EVIDENCE, LOW).doubted == []


def test_a_supported_span_is_not_to_be_checked():
    """All its questions scored 1, and the knowledge has its words."""
    evidence = [ALAN | {"score": 1.0, "verdict": "supported"}, DATE]
    told = explain(RESPONSE, ["Alan built it."], SPANS, evidence, LOW, sentences=[ONE])
    assert [span.text for span in told.doubted] == ["1860"]


def test_only_words_of_the_least_supported_sentence_are_to_be_checked():
    """The offsets of sentences and spans are those of the logged reply."""
    halves = [
        ONE | {"end": 13, "text": RESPONSE[:13], "support": 0.1},
        ONE | {"sentence": 1, "start": 14, "text": RESPONSE[14:], "support": 0.7},
    ]
    told = explain(RESPONSE, KNOWLEDGE, SPANS, EVIDENCE, LOW, sentences=halves)
    assert [span.text for span in told.doubted] == ["Alan"]


def test_words_that_an_earlier_sentence_has_too_are_to_be_checked():
    """A span is listed where it stands first; a part of another word is no such span."""
    texts = ("Alan came.", "Alan built it in 1860.")
    pair = [
        ONE | {"sentence": n, "start": 11 * n, "end": 11 * n + len(text), "text": text, "support": 0.7 - n / 2}
        for n, text in enumerate(texts)
    ]  # fmt: skip
    spans = [SPANS[0], SPANS[0] | {"span_index": 3, "text": "built it i"}]
    told = explain(" ".join(texts), ["It rained."], spans, EVIDENCE[:1], LOW, sentences=pair)
    assert [span.text for span in told.doubted] == ["Alan"]


def test_words_that_the_knowledge_has_are_not_named_beside_words_that_it_lacks():
    """Their questions alone speak against them."""
    told = explain(RESPONSE, ["Alan built it."], SPANS, EVIDENCE, LOW, sentences=[ONE])
    assert [span.text for span in told.doubted] == ["1860"]


def test_a_line_about_a_doubted_reply_without_a_failed_question_says_so():
    """It does not call every part supported."""
    told = explain(RESPONSE, ["It rained."], SPANS[:1], [], LOW, sentences=[ONE])
    assert told.sentence() == "No question failed, but the judge doubts the sentence with 'Alan'."


def test_words_to_check_are_made_harmless_and_cut():
    """A terminal obeys no logged character, and a long span stays on its line."""
    long = SPANS[0] | {"text": "A\x1b[31mlan" + " of Leeds" * 20}
    told = explain(RESPONSE, KNOWLEDGE, [long], EVIDENCE[:1], LOW, sentences=[ONE])
    assert "\x1b" not in told.support_in_words
    assert told.support_in_words.endswith("…”.")


def test_of_words_within_others_only_one_is_to_be_checked():
    """The second has words of its own."""
    longer = {"span_index": 3, "start": 0, "end": 10, "text": "Alan built", "kind": "noun_chunk"}
    spans = [SPANS[0], longer | {"label": None}]
    told = explain(RESPONSE, KNOWLEDGE, spans, EVIDENCE[:1], LOW, sentences=[ONE])
    assert [span.text for span in told.doubted] == ["Alan"]


def test_marks_lie_on_the_words_that_they_judge():
    """Of the reply the spans, also those without a valid question, and of the passages the answers."""
    parts = explained().mark_response(unchecked=True)
    assert [(part.text, part.verdict) for part in parts if part.verdict] == [
        ("Alan", "no_answer"), ("it", "unchecked"), ("1860", "contradicted"),
    ]  # fmt: skip
    assert [part.text for part in explained().mark_response() if part.verdict] == ["Alan", "1860"]
    first, second = explained().marked_knowledge
    assert [part.verdict for part in first] == [""]
    assert ("1858", "contradicted") in [(part.text, part.verdict) for part in second]


def test_contradictions_count_only_in_an_inconsistent_reply():
    """By its support, or by Q² where it has none; without a score they count."""
    pairs = ((0.5, 0.9), (0.6, 0.1), (None, 0.7), (None, None))
    scores = [SCORE | {"support": support, "q2": q2} for support, q2 in pairs]
    counted = [
        explain(RESPONSE, KNOWLEDGE, [], [], score).counts_contradictions for score in scores
    ]
    assert counted == [True, False, False, True]
