"""Tests of the comparison of ways to judge a summary beside a long document."""

from lab.training.choose_evidence import WAYS, chunks, compare
from qsquared.records import Judgement

DOCUMENT = (
    "The lamp was lit in 1858. Alan Brebner built the tower. Seals live on the rocks below it. "
    "The keepers left in 1971. A cable brings power to the lamp."
)


class WordJudge:
    """Entails a hypothesis as much as its words stand in the premise; notes what it was asked."""

    def __init__(self):
        self.asked = []

    def judge(self, requests):
        """Judge by shared words."""
        self.asked += requests
        shares = [
            len(set(r.hypothesis.split()) & set(r.premise.split())) / len(set(r.hypothesis.split()))
            for r in requests
        ]
        return [Judgement(share, 1 - share, 0.0) for share in shares]


def row(summary, *, holds):
    """A labelled summary of the document."""
    label = "entailment" if holds else "not_entailment"
    return {"premise": DOCUMENT, "hypothesis": summary, "label": label}


def test_the_least_sentence_tells_a_summary_with_one_wrong_sentence():
    """The mean of a right and a wrong sentence may be above that of a half right one; the least is not."""
    rows = [
        row("The keepers left early . Seals live here too .", holds=True),
        row("The lamp was lit in 1858. Pirates stole gold yesterday.", holds=False),
    ]
    found = compare(rows, WordJudge())
    assert found["each sentence (SummaC)", "least"].value == 1.0
    assert {way for way, _ in found} == set(WAYS)


def test_a_repeated_sentence_is_judged_once():
    """Summaries that repeat one cost nothing more."""
    once, twice = WordJudge(), WordJudge()
    own = row("The lamp was lit in 1858.", holds=True)
    compare([own], once)
    compare([own, own | {"label": "not_entailment"}], twice)
    assert twice.asked == once.asked


def test_chunks_are_whole_sentences_and_cover_the_document():
    """Each has at most so many words."""
    found = chunks(DOCUMENT, words=12)
    assert " ".join(found) == DOCUMENT
    assert all(len(chunk.split()) <= 12 and chunk.endswith(".") for chunk in found)
