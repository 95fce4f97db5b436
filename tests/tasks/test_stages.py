"""The stages of Q² in a row, on small fake models."""

import pytest

from qsquared.errors import UsageError
from qsquared.storage.tables.registry import MEASURED, STAGE_TABLES
from qsquared.tasks.jobs.configuration import Configuration
from qsquared.tasks.jobs.graph import AS_PUBLISHED, graph
from qsquared.tasks.metric import METRICS, Q2


def only(rows):
    """The one row of a table."""
    (row,) = rows
    return row


def test_a_supported_reply_scores_one(run_q2):
    """Every span found again in the knowledge gives 1 with and without NLI."""
    tables = run_q2(("the painter Bob was here", "everyone knows the painter Bob well"))
    score = only(tables["scores"])
    assert (score["q2"], score["q2_without_nli"], score["status"]) == (1.0, 1.0, "scored")
    assert only(tables["comparisons"])["verdict"] == "supported"


def test_a_span_that_the_knowledge_does_not_answer_scores_zero(run_q2):
    """No answer on the knowledge is 0, without asking NLI."""
    tables = run_q2(("the painter Bob was here", "nobody knows"))
    assert only(tables["scores"])["q2"] == 0.0
    assert only(tables["scores"])["no_answer"] == 1
    assert only(tables["answers"])["knowledge_answer"] is None
    assert only(tables["comparisons"])["nli_label"] is None


def test_a_neutral_verdict_leaves_the_token_f1(run_q2):
    """Another answer that NLI finds neutral scores its token overlap."""
    tables = run_q2(("the painter Bob was here", "the painter Alice was here"))
    row = only(tables["comparisons"])
    assert (row["verdict"], row["score"], row["nli_label"]) == ("partial", 0.0, "neutral")


def test_values_are_compared_before_the_judge_is_asked(run_q2):
    """A number that differs is contradicted; by the paper's rules NLI decides."""
    pair = ("the painter Twelve was", "the painter 13 was here")
    row = only(run_q2(pair)["comparisons"])
    assert (row["verdict"], row["decided_by"], row["value_relation"], row["nli_label"]) == (
        "contradicted", "values", "different", None,
    )  # fmt: skip
    row = only(run_q2(pair, by_value=None)["comparisons"])
    assert (row["verdict"], row["decided_by"], row["value_relation"]) == ("partial", "nli", None)


def test_a_span_that_stands_in_the_knowledge_says_so(run_q2):
    """Also where the question about it found no answer."""
    tables = run_q2(("the painter Bob was here", "Bob"), ("the painter Bob was here", "nobody"))
    found = [(row["verdict"], row["in_knowledge"]) for row in tables["comparisons"]]
    assert found == [("no_answer", True), ("no_answer", False)]


def test_answers_have_their_offsets(run_q2):
    """Passage and offsets cut the answer out of the knowledge as given."""
    knowledge = ["nothing here", "they met the painter Bob there"]
    row = only(run_q2(("the painter Bob was here", *knowledge))["answers"])
    assert row["passage"] == 1
    assert knowledge[1][row["knowledge_start"] : row["knowledge_end"]] == "Bob"
    assert row["windows"] == 2


@pytest.mark.parametrize(
    ("response", "knowledge", "score"),
    [
        ("it rained then", "it rained then so", 1.0),
        ("it rained then", "not so", 0.0),
        ("it snowed there", "so it rained", 0.5),
    ],
)
def test_a_reply_without_a_valid_question_falls_back_on_nli(run_q2, response, knowledge, score):
    """Entailment 1, contradiction 0, neutral 0.5; the status says that it was the fallback."""
    row = only(run_q2((response, knowledge))["scores"])
    assert (row["q2"], row["q2_without_nli"], row["status"]) == (score, score, "fallback_nli")
    assert row["reason"].startswith("The response has no informative span")


@pytest.mark.parametrize(
    ("response", "knowledge", "stage"),
    [
        ("PARSER FAILS", "x", "spans"),
        ("the painter Bob READER FAILS", "x", "roundtrip"),
        ("the painter Bob was", "READER FAILS", "answers"),
        ("the painter Bob JUDGE FAILS was", "the painter Joe", "comparisons"),
        ("it rained", "JUDGE FAILS", "sentence_scores"),
    ],
)
def test_a_failing_model_costs_one_pair(run_q2, response, knowledge, stage):
    """The pair has no score but a status and a reason that names the stage; the others have one."""
    tables = run_q2(("the painter Bob was here", "the painter Bob"), (response, knowledge))
    fine, failed = tables["scores"]
    assert fine["status"] == "scored"
    assert (failed["status"], failed["q2"], failed["q2_without_nli"]) == ("error", None, None)
    assert failed["reason"].startswith(f"{stage}: ")


def test_every_pair_has_exactly_one_score(run_q2):
    """Pairs come out in order, whatever happens to them."""
    pairs = [("Bob was here", "Bob"), ("yes", "no"), ("PARSER FAILS", "x"), ("???", "x")]
    tables = run_q2(*pairs)
    assert [r["pair_id"] for r in tables["scores"]] == [p["pair_id"] for p in tables["pairs"]]


def test_a_dressed_reply_scores_as_the_plain_one(run_q2):
    """Greetings, marks and citations are no part of the claims; offsets are those of the log."""
    reply = "Hi Maria,\n\nthe painter **Bob** was here [1].\n\nBest regards,\nAnna"
    tables = run_q2((reply, "everyone knows the painter Bob well"))
    assert only(tables["scores"])["q2"] == 1.0
    span = only(tables["spans"])
    assert (span["text"], reply[span["start"] : span["end"]]) == ("Bob", "Bob")
    trip = next(row for row in tables["roundtrip"] if row["kept"])
    assert reply[trip["response_start"] : trip["response_end"]] == "Bob"
    kinds = [row["kind"] for row in tables["sentences"]]
    assert kinds == ["greeting", "claim", "sign_off", "sign_off"]


def test_a_span_behind_a_lead_in_is_spelled_as_logged(run_q2):
    """Questions are asked about a sentence with its capital; the tables hold the logged letter."""
    reply = "Yes, anna was here."
    tables = run_q2((reply, "anna was here"))
    span = only(tables["spans"])
    assert (span["text"], reply[span["start"] : span["end"]]) == ("anna", "anna")
    trip = next(row for row in tables["roundtrip"] if row["kept"])
    assert trip["response_answer"] == "anna"
    assert reply[trip["response_start"] : trip["response_end"]] == "anna"


def test_knowledge_is_read_in_plain_text_with_its_own_offsets(run_q2):
    """Answers stand in the passage as it was logged."""
    passage = "<p>everyone knows the painter&nbsp;<b>Bob</b> well</p>"
    row = only(run_q2(("the painter Bob was here", passage))["answers"])
    assert row["knowledge_answer"] == "Bob"
    assert passage[row["knowledge_start"] : row["knowledge_end"]] == "Bob"


def test_by_the_papers_rules_a_reply_is_read_as_logged(run_q2):
    """It is one claim, and its knowledge is not changed."""
    reply = "hello! the painter Bob was here [1]."
    tables = run_q2((reply, "the painter <b>Bob</b>"), sentences=None)
    sentence = only(tables["sentences"])
    assert (sentence["kind"], sentence["text"]) == ("reply", reply)
    assert only(tables["sentence_scores"])["nli_label"] is None
    assert only(tables["scores"])["worst_sentence"] is None


@pytest.mark.parametrize(
    ("reply", "kind"),
    [("Hello!", "greeting"), ("You're welcome!", "thanks"), ("Which one do you mean?", "question")],
)
def test_a_reply_that_claims_nothing_has_no_score(run_q2, reply, kind):
    """Its status is `no_claim`, and its reason names its kind."""
    row = only(run_q2((reply, "the painter Bob"))["scores"])
    assert (row["status"], row["q2"], row["reply_kind"]) == ("no_claim", None, kind)
    assert kind in row["reason"]
    assert row["refusal_answerable"] is None


def test_a_refusal_that_the_knowledge_answers_is_told_apart(run_q2):
    """The question that a refusal leaves open is asked on the knowledge."""
    reply = "I'm sorry, I don't know who the painter was."
    rows = run_q2((reply, "Bob was the painter"), (reply, "..."))["scores"]
    assert [row["reply_kind"] for row in rows] == ["refusal", "refusal"]
    assert [row["refusal_answerable"] for row in rows] == [True, False]
    assert "the knowledge answers" in rows[0]["reason"]


def test_each_sentence_has_a_score_and_the_worst_one_stands_beside_the_replys(run_q2):
    """The score stays the mean over questions."""
    reply = "Hello! the painter Bob was here. the potter Joe was there."
    tables = run_q2((reply, "the painter Bob was here"))
    found = [(row["kind"], row["q2"], row["questions"]) for row in tables["sentence_scores"]]
    assert found == [("greeting", None, 0), ("claim", 1.0, 1), ("claim", 0.0, 1)]
    score = only(tables["scores"])
    assert (score["q2"], score["worst_sentence"], score["worst_sentence_q2"]) == (0.5, 2, 0.0)


def test_personal_questions_are_asked_on_request(run_q2):
    """The parameter of the paper's ablation turns the filter off."""
    pair = ("I painted with Bob there", "I painted with Bob there")
    assert {r["reason"] for r in run_q2(pair)["roundtrip"]} == {"personal"}
    assert "kept" in {r["reason"] for r in run_q2(pair, leave_out_personal=False)["roundtrip"]}


def test_the_same_question_on_the_same_text_is_answered_once(run_q2, roles):
    """Two pairs with one response share the round trip's reading."""
    run_q2(("the painter Bob was", "a"), ("the painter Bob was", "b"))
    first_wave = roles.question_answering.asked[0]
    assert len(first_wave) == 1


def configuration(**identities):
    """A configuration of Q² with named models."""
    roles = ("parser", "question_generation", "question_answering", "entailment")
    named = {r: identities.get(r, r) for r in roles}
    return Configuration(graph(["q2"]), "test", Q2.defaults, named)


def test_a_new_nli_model_renames_comparisons_and_scores_only():
    """Keys before the comparison do not know the NLI model."""
    old, new = configuration(), configuration(entailment="another")
    changed = {s.name for s in Q2.stages if old.key(s.name, "s") != new.key(s.name, "s")}
    assert changed == {"comparisons", "sentence_scores", "scores"}


def test_a_new_parser_renames_the_spans_and_all_stages_after_them():
    """Sentences are cut without it."""
    old, new = configuration(), configuration(parser="another")
    kept = [s.name for s in Q2.stages if old.key(s.name, "s") == new.key(s.name, "s")]
    assert kept == ["sentences"]


def test_keys_differ_between_shards_stages_and_parameters():
    """No two outputs share a key."""
    one = configuration()
    changed = Q2.defaults | {"variant": "multi"}
    other = Configuration(graph(["q2"]), "test", changed, one.identities)
    keys = [c.key(s.name, shard) for c in (one, other) for s in Q2.stages for shard in ("a", "b")]
    shared = 3 * 2  # sentences, spans and questions do not know the variant
    assert len(set(keys)) == len(keys) - shared


def test_the_profile_name_is_no_part_of_a_key():
    """Two profiles that share a model share its stages."""
    one = configuration()
    other = Configuration(graph(["q2"]), "other", Q2.defaults, one.identities)
    assert one.lineages == other.lineages


def test_each_stage_comes_after_its_inputs():
    """The order of a graph is one in which it can run, and each stage has one metric."""
    done = {"pairs", "situations"}
    for stage in graph(METRICS).stages:
        assert set(stage.inputs) <= done
        assert stage.name not in done
        done.add(stage.name)
    assert done == {"pairs", "situations", *(t.name for t in STAGE_TABLES)}


def test_the_blend_shares_the_stages_of_q2():
    """A store that has Q² needs three stages more, not all anew."""
    models = dict.fromkeys(
        ["parser", "question_generation", "question_answering", "entailment"], "m"
    )
    alone, beside = (
        Configuration(asked, "p", asked.defaults, models).lineages
        for asked in (graph(["q2"]), graph(["blend"]))
    )
    assert {name: beside[name] for name in alone} == alone
    assert set(beside) - set(alone) == {"nli", "e2e_nli", "blend"}


def test_the_keys_of_q2_are_those_of_the_stores_that_there_are():
    """A store that was scored before there were other metrics is used as it is."""
    assert configuration().digest == "4d0bdbca56dea4f71d70d942685e07e0"
    assert configuration().lineages["scores"] == "5f98649c35c4ce1c3e8ae2890e87c886"


UNCHANGED = {
    # As in the first stores; of roundtrip and answers since the passive rule.
    "spans": "9d8d359a9c533537ca6f8c664dd1f856",
    "questions": "197c23ab8255a6b8f7371e66a06e19c5",
    "roundtrip": "ec4fbc3e7d8cc1cfed4c17ec44168018",
    "answers": "babe8267297e322afb12b24d38e9eb86",
}


def test_the_papers_rules_have_one_name():
    """They are a set of parameters with a short label; each may be given apart."""
    asked = graph(["q2"])
    models = configuration().identities
    published = Configuration(asked, "compact", asked.parameters({AS_PUBLISHED: True}), models)
    assert published.label_of(Q2) == "compact+as_published"
    assert {name: published.parameters[name] for name in Q2.published} == dict(Q2.published)
    more = Configuration(
        asked, "compact", asked.parameters({AS_PUBLISHED: True, "variant": "multi"}), models
    )
    assert more.label_of(Q2) == "compact+as_published+variant=multi"
    with pytest.raises(UsageError, match="nonsense"):
        asked.parameters({"nonsense": 1})


def test_the_papers_rules_change_no_other_keys():
    """A stage without a deviation keeps the key that it had before there was one."""
    asked = graph(["q2"])
    models = configuration().identities
    published = Configuration(asked, "compact", asked.parameters({AS_PUBLISHED: True}), models)
    found = {name: published.lineages[name] for name in UNCHANGED}
    assert found == UNCHANGED


def test_a_metric_is_one_configuration_beside_whichever_others():
    """The stored tables of Q² do not depend on the metrics that were scored with it."""
    models = configuration().identities
    asked = graph(["blend", "q2"])
    both = Configuration(asked, "test", asked.defaults, models)
    assert both.digests["q2"] == configuration().digest
    assert both.digest not in both.digests.values()
    assert both.describe_metric(Q2) == configuration().describe_metric(Q2)
    assert set(both.lineages_of(METRICS["blend"])) == {"blend"}


def test_a_label_names_the_parameters_that_a_metric_rests_on():
    """Also those of the metrics below it, and only where they are not the default."""
    asked = graph(["blend", "e2e_nli"])
    changed = asked.defaults | {"variant": "multi"}
    found = Configuration(asked, "compact", changed, configuration().identities)
    assert found.label_of(METRICS["blend"]) == "compact+variant=multi"
    assert found.label_of(METRICS["e2e_nli"]) == "compact"


def test_no_two_measures_share_a_name():
    """Each is a column of its own in the table that a run writes."""
    names = [name for table in MEASURED for name in table.measures]
    assert len(set(names)) == len(names)
    for table in MEASURED:
        columns = [column.name for column in table.columns]
        assert set(table.measures) <= set(columns)
        assert {"error"} & set(columns) or {"status", "reason"} <= set(columns)


def test_end_to_end_nli_scores_the_label(run_q2):
    """Entailment 1, neutral 0.5, contradiction 0; a failed judgement has no score."""
    tables = run_q2(
        ("Bob was here", "now Bob was here"),
        ("Bob was here", "Ann"),
        ("Bob was here", "Bob was not here"),
        ("Bob was here", "JUDGE FAILS"),
        metric="e2e_nli",
    )
    assert [row["e2e_nli"] for row in tables["e2e_nli"]] == [1.0, 0.5, 0.0, None]
    assert "nan" in tables["e2e_nli"][-1]["error"]
