"""Tests of the status and the reason of a reply, and of its explanation, from tables in memory."""

import pytest

import qsquared
from qsquared.errors import UsageError
from qsquared.notebooks.inputs import Reply
from qsquared.notebooks.scoring import frame_of
from qsquared.storage.keys import pair_id
from qsquared.tasks.jobs.graph import graph

REPLY = Reply("A reply.", ("Some knowledge.",))
KEY = pair_id(REPLY.response, REPLY.knowledge)
ENTAILED = {"nli": 1.0, "nli_label": "entailment", "error": None}
NO_CLAIM = {"nli": None, "nli_label": None, "error": None}
NOTHING = "The reply claims nothing, or nothing in English."


def outcome(*names, **rows):
    """Return status and reason of a reply whose row in each table of some metrics is given."""
    tables = {name: [{"pair_id": KEY} | row] for name, row in rows.items()}
    (row,) = frame_of([REPLY], tables, graph(names), names).to_dicts()
    return row["status"], row["reason"]


@pytest.mark.parametrize(
    ("names", "rows", "expected"),
    [
        (["overlap"], {"overlap": {"overlap_f1": 0.5, "error": None}}, ("scored", None)),
        (["overlap"], {"overlap": {"overlap_f1": None, "error": "x"}}, ("error", "x")),
        (["e2e_nli"], {"nli": NO_CLAIM, "e2e_nli": {"e2e_nli": None, "error": None}},
         ("no_claim", NOTHING)),
        (["qags"], {"qags": {"qags": None, "status": "no_question", "reason": "None was kept."}},
         ("no_question", "None was kept.")),
        (["overlap", "bleu"], {"overlap": {"overlap_f1": 0.5, "error": None},
                               "bleu": {"bleu": None, "error": "x"}}, ("error", "x")),
        (["bleu", "overlap"], {"overlap": {"overlap_f1": None, "error": "x"},
                               "bleu": {"bleu": 0.5, "error": None}}, ("error", "x")),
        (["q2", "overlap"], {"scores": {"q2": 1.0, "status": "scored", "reason": None},
                             "overlap": {"overlap_f1": None, "error": "x"}},
         ("scored", "overlap: x")),
        (["q2", "qags"], {"scores": {"q2": 1.0, "status": "scored", "reason": None},
                          "qags": {"qags": None, "status": "no_question", "reason": "y"}},
         ("scored", None)),
    ],
)  # fmt: skip
def test_each_metric_says_why_it_has_no_value(names, rows, expected):
    """As in the view `measures` of a store; the status is Q²'s if there is one."""
    assert outcome(*names, **rows) == expected


def test_what_was_not_scored_with_q2_cannot_be_explained():
    """The sentence has the call that can."""
    scores = qsquared.score(["a b"], ["a b"], metric=["overlap", "bleu"])
    with pytest.raises(UsageError, match="no Q² to explain") as caught:
        scores.explain(0)
    assert "metric=['q2', 'overlap', 'bleu']" in caught.value.hint
