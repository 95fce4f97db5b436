"""The stage `begin`: one row for each situation, and failures stay with their situation."""

from qsquared.method.knowledge.copies import VERBATIM
from qsquared.method.plain.reply import CLAIMS
from qsquared.tasks.other_metrics.begin import STAGE
from tests.tasks.fakes import WordRoles


def situation(number, response, previous=None, knowledge=("Bob paints",)):
    """A situation as the store has it."""
    return {
        "situation_id": f"s{number}",
        "pair_id": f"p{number}",
        "previous": previous,
        "response": response,
        "knowledge": list(knowledge),
    }


def run(*situations, verbatim=None, sentences=None):
    """The rows of the stage, as logged unless ``sentences`` says otherwise."""
    parameters = {"verbatim": verbatim, "sentences": sentences}
    return STAGE.run({"situations": list(situations)}, WordRoles(), parameters)


def test_each_situation_has_its_class_and_probabilities():
    """In the five-way and in the three-way form, under both its names."""
    entailed, unclear = run(situation(1, "Bob sings"), situation(2, "Ann sings", "Who sings?"))
    assert (entailed["situation_id"], entailed["pair_id"]) == ("s1", "p1")
    assert (entailed["label"], entailed["label3"]) == ("entailment", "entailment")
    assert (unclear["label"], unclear["label3"]) == ("entailment", "neutral")
    parts = ["begin_entailment", "p_hallucination", "p_off_topic", "p_generic", "p_contradiction"]
    assert abs(sum(entailed[part] for part in parts) - 1) < 1e-9
    assert set(entailed) == {column.name for column in STAGE.table.columns}


def test_the_turn_before_can_decide():
    """The same pair in two situations may have two classes."""
    (alone,) = run(situation(1, "Ann sings"))
    (after,) = run(situation(1, "Ann sings", "Who sings?"))
    assert (alone["label"], after["label"]) == ("hallucination", "entailment")


def test_passages_are_one_text():
    """Joined by a space."""
    (parted,) = run(situation(1, "a b", knowledge=("x a", "y")))
    (whole,) = run(situation(1, "a b", knowledge=("x a y",)))
    assert parted == whole


def test_a_situation_on_which_the_model_fails_fails_alone():
    """Its row has its names, and says stage and model; the other is classified."""
    bad, good = run(situation(1, "CLASSIFIER FAILS"), situation(2, "hm"))
    assert (bad["situation_id"], bad["pair_id"], bad["label"]) == ("s1", "p1", None)
    assert bad["error"].startswith("begin: ")
    assert good["label"] == "generic"


def test_a_copy_of_the_knowledge_is_entailed_without_the_classifier():
    """Unless the papers' rules are asked for; the row says what decided, and failures stay others'."""
    known = ("CLASSIFIER FAILS here.",)
    copy, other, bad = (
        situation(1, "CLASSIFIER FAILS here.", knowledge=known),
        situation(2, "hm", knowledge=known),
        situation(3, "CLASSIFIER FAILS", knowledge=known),
    )
    rows = run(copy, other, bad, verbatim=VERBATIM)
    assert [row["label"] for row in rows] == ["entailment", "generic", None]
    assert [row["decided_by"] for row in rows] == ["copy", "classifier", None]
    assert (rows[0]["label3"], rows[0]["begin_entailment"]) == ("entailment", 1.0)
    assert run(copy)[0]["error"]


def test_the_dress_of_a_reply_does_not_change_its_class():
    """Its claims are classified, in plain text; one without any is read as logged."""
    plain, dressed = (
        situation(1, "Ann sings songs."),
        situation(2, "Hi Maria,\n\n**Ann sings songs** [1].\n\nKind regards,\nBob"),
    )
    as_logged, as_claims = (
        [row["begin_entailment"] for row in run(plain, dressed, sentences=reading)]
        for reading in (None, CLAIMS)
    )
    assert as_logged[0] != as_logged[1]
    assert as_claims == [as_logged[0]] * 2
    (thanks,) = run(situation(3, "Thank you!"), sentences=CLAIMS)
    assert thanks["label"] == run(situation(3, "Thank you!"))[0]["label"]
