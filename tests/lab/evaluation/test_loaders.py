"""The loaders on small files in the published formats."""

import csv
import json

import pytest

from qsquared.errors import InputError
from qsquared.evaluation.data.loaders import (
    read_cross_annotation,
    read_dnli,
    read_q2_wow,
    read_qags_cnndm,
    read_qags_xsum,
    read_random_knowledge,
    read_ranking,
    read_topical_chat,
)
from qsquared.evaluation.protocols.registry import PROTOCOLS
from tests.lab.evaluation.small_data import write_csv, write_jsonl, write_wow


def test_the_four_files_give_label_system_and_context(tmp_path):
    """The label is the file's name; responses of one context share a cluster."""
    write_wow(tmp_path)
    data = read_q2_wow(tmp_path)
    assert len(data.items) == 8
    assert {(i.facts["system"], i.facts["split"], i.label) for i in data.items} == {
        ("dodeca", "consistent", 1.0), ("dodeca", "inconsistent", 0.0),
        ("memnet", "consistent", 1.0), ("memnet", "inconsistent", 0.0),
    }  # fmt: skip
    assert len({i.cluster for i in data.items}) == 2
    assert len({i.unit for i in data.items}) == 8


def test_a_file_that_is_not_the_published_one_is_said(tmp_path):
    """Its hash is in the report, and a note that it differs."""
    write_wow(tmp_path)
    data = read_q2_wow(tmp_path)
    assert set(data.files) == {
        f"{s}_{k}.csv" for s in ("dodeca", "memnet") for k in ("consistent", "inconsistent")
    }
    assert all(len(digest) == 64 for digest in data.files.values())
    assert len(data.notes) == 4
    assert "is not the published file" in data.notes[0]


def test_the_cross_annotation_codes_consistent_as_nought(tmp_path):
    """0 in the file is 1 here."""
    row = {"episode_idx": "3", "round": "1", "topic": "Tea", "knowledge": "Tea is hot.",
           "dodeca_response": "hot", "memnet_response": "cold",
           "dodeca_label": "0", "memnet_label": "1"}  # fmt: skip
    write_csv(tmp_path / "cross_annotation.csv", [row])
    first, second = read_cross_annotation(tmp_path).items
    assert (first.response, first.label) == ("hot", 1.0)
    assert (second.response, second.label) == ("cold", 0.0)
    assert first.cluster == second.cluster


def test_random_knowledge_is_another_rows(tmp_path):
    """Of another turn of the dialogue, the same file, or another dialogue; a seed draws the same."""
    write_wow(tmp_path)
    path = tmp_path / "memnet_consistent.csv"
    with path.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    write_csv(path, [*rows, rows[0] | {"round": "1", "knowledge": "Tea is a drink."}])
    data = read_random_knowledge(tmp_path)
    own = {i.unit: i for i in data.items if i.facts["knowledge"] == "own"}
    others = [i for i in data.items if i.facts["knowledge"] != "own"]
    assert {i.facts["knowledge"] for i in others} == {
        "same dialogue", "within file", "across dialogues",
    }  # fmt: skip
    dialogue = {i.knowledge: i.facts["dialogue"] for i in own.values()}
    for item in others:
        original = own[item.unit.rpartition("/")[0]]
        assert item.response == original.response
        assert item.knowledge != original.knowledge
        same = dialogue[item.knowledge] == original.facts["dialogue"]
        assert same or item.facts["knowledge"] != "same dialogue"
        assert not same or item.facts["knowledge"] != "across dialogues"
    assert data == read_random_knowledge(tmp_path)


def test_topical_chat_leaves_out_the_original_reply_and_contexts_without_fact(tmp_path):
    """The label is "Uses Knowledge"; replies to one conversation share a cluster."""
    rows = [
        {"source": source, "context": fact, "system_id": system, "system_output": "said \n",
         "scores": {"groundedness": 0.5}}
        for source, fact in (("a", "A fact.\n"), ("b", "_nofact\n"))
        for system in ("Original Ground Truth", "Argmax Decoding", "New Human Generated")
    ]  # fmt: skip
    (tmp_path / "topical_chat.json").write_text(json.dumps(rows), encoding="utf-8")
    items = read_topical_chat(tmp_path).items
    assert [(i.facts["system"], i.knowledge, i.response, i.label) for i in items] == [
        ("Argmax Decoding", "A fact.", "said", 0.5), ("New Human Generated", "A fact.", "said", 0.5),
    ]  # fmt: skip
    assert len({i.cluster for i in items}) == 1


def test_dialogue_nli_has_two_splits_and_neutral_is_inconsistent(tmp_path):
    """The published field names and labels; the rows that people verified stand for all."""
    rows = [{"sentence1": "i have a dog", "sentence2": "i own a dog", "label": label}
            for label in ("positive", "negative", "neutral")]  # fmt: skip
    write_jsonl(tmp_path / "dialogue_nli_dev.jsonl", rows[:1])
    write_jsonl(tmp_path / "dialogue_nli_test.jsonl", rows)
    items = read_dnli(tmp_path).items
    assert [(i.facts["split"], i.label) for i in items] == [
        ("dev", 1.0), ("test", 1.0), ("test", 0.0), ("test", 0.0),
    ]  # fmt: skip
    assert items[0].knowledge == "i own a dog"
    write_jsonl(tmp_path / "dialogue_nli_verified_test.jsonl", rows[1:2])
    data = read_dnli(tmp_path)
    assert [(i.facts["split"], i.label) for i in data.items] == [("dev", 1.0), ("test", 0.0)]
    assert "people verified" in data.notes[-1]


def summary(votes):
    """A summary in the published format, with the votes on each sentence."""
    sentences = [
        {"sentence": f"Sentence {n} \u2028 here.",
         "responses": [{"worker_id": i, "response": vote} for i, vote in enumerate(said)]}
        for n, said in enumerate(votes)
    ]  # fmt: skip
    return {"article": "The article.", "summary_sentences": sentences}


def test_a_summarys_label_is_the_share_of_sentences_that_the_majority_accepts(tmp_path):
    """Sentences are joined to the summary; odd line separators stay in them."""
    votes = [("yes", "yes", "no"), ("no", "no", "yes"), ("yes", "yes", "yes")]
    write_jsonl(tmp_path / "mturk_cnndm.jsonl", [summary(votes)])
    (item,) = read_qags_cnndm(tmp_path).items
    assert item.label == pytest.approx(2 / 3)
    assert item.response.count("Sentence") == 3
    assert item.knowledge == "The article."


def test_an_xsum_article_is_read_as_released_without_the_judged_summary(tmp_path):
    """It begins with the reference, as the paper has it, so no summary supports itself."""
    write_jsonl(tmp_path / "mturk_xsum.jsonl", [summary([("yes", "no", "no")])])
    data = read_qags_xsum(tmp_path)
    (item,) = data.items
    assert item.knowledge == "The article."
    assert item.label == 0.0
    assert "begin with the reference summary" in data.notes[-1]


def test_a_triplet_is_two_claims_on_one_sentence(tmp_path):
    """The correct claim first."""
    row = {"article_sent": "Tea is hot.", "correct_sent": "Hot tea.", "incorrect_sent": "Cold tea."}
    (tmp_path / "val_sentence_pairs.json").write_text(json.dumps([row]), encoding="utf-8")
    first, second = read_ranking(tmp_path).items
    assert (first.response, first.label) == ("Hot tea.", 1.0)
    assert (second.response, second.label) == ("Cold tea.", 0.0)
    assert first.cluster == second.cluster


@pytest.mark.parametrize("name", [name for name in PROTOCOLS if name != "usr"])
def test_a_file_that_is_not_there_is_named_with_its_source(tmp_path, name):
    """A person knows what to fetch."""
    with pytest.raises(InputError) as found:
        PROTOCOLS[name].read(tmp_path)
    assert "is not in" in found.value.message
    assert found.value.hint.startswith("Get it from")


def test_a_file_in_another_format_is_refused(tmp_path):
    """The sentence names the missing field and those there are."""
    with (tmp_path / "cross_annotation.csv").open("w", newline="") as handle:
        csv.writer(handle).writerows([["a", "b"], ["1", "2"]])
    with pytest.raises(InputError, match="without the field 'knowledge'; it has a, b"):
        read_cross_annotation(tmp_path)
