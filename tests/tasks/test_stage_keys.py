"""Content keys of stages: what renames a table, and what does not."""

import pytest

from qsquared.errors import UsageError
from qsquared.storage.tables import MEASURED, STAGE_TABLES
from qsquared.tasks.jobs.graph import AS_PUBLISHED, graph
from qsquared.tasks.jobs.stage_keys import Configuration
from qsquared.tasks.metrics import METRICS, Q2


def configuration(**identities):
    """A configuration of Q² with named models."""
    roles = ("parser", "question_generation", "question_answering", "entailment")
    named = {r: identities.get(r, r) for r in roles}
    return Configuration(graph(["q2"]), "test", Q2.defaults, named)


def test_a_new_nli_model_renames_comparisons_and_scores_only():
    """Keys before the comparison do not know the NLI model."""
    old, new = configuration(), configuration(entailment="another")
    changed = {s.name for s in Q2.stages if old.key(s.name, "s") != new.key(s.name, "s")}
    assert changed == {"sentence_entailment", "comparisons", "sentence_scores", "scores"}


def test_a_new_parser_renames_the_spans_and_all_stages_after_them():
    """Sentences are cut without it."""
    old, new = configuration(), configuration(parser="another")
    kept = [s.name for s in Q2.stages if old.key(s.name, "s") == new.key(s.name, "s")]
    assert kept == ["sentences", "sentence_entailment"]


def test_keys_differ_between_shards_stages_and_parameters():
    """No two outputs share a key."""
    one = configuration()
    changed = Q2.defaults | {"variant": "multi"}
    other = Configuration(graph(["q2"]), "test", changed, one.identities)
    keys = [c.key(s.name, shard) for c in (one, other) for s in Q2.stages for shard in ("a", "b")]
    shared = 4 * 2  # sentences, their entailment, spans and questions do not know the variant
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
    """A store that was scored since a sentence has a support of its own is used as it is."""
    assert configuration().digest == "76f37ccea8993057c4ffe177ec98a6a6"
    assert configuration().lineages["scores"] == "35a997faadbd0209930777d1be5ce311"


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


def test_the_papers_rules_keep_the_key_of_begins_classes():
    """It is that from before copies of the knowledge were told apart."""
    asked = graph(["begin"])
    models = {"reply_classification": "m"}
    by_default, published = (
        Configuration(asked, "compact", asked.parameters(given), models).lineages["begin"]
        for given in ({}, {AS_PUBLISHED: True})
    )
    assert published == "584007f074edb2dcf8e520cf716ef63d"
    assert by_default != published


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


def test_each_stage_comes_after_all_that_it_reads():
    """Whichever metrics are asked for, in whichever order."""
    for names in (["blend", "q2"], list(METRICS), list(METRICS)[::-1]):
        seen = {"pairs", "situations"}
        for stage in graph(names).stages:
            assert seen.issuperset(stage.inputs)
            seen.add(stage.name)
