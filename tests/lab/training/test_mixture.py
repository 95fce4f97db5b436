"""The mixture of training examples: sources, cleaning and drawing."""

import gzip
import types

import pytest

from lab.training.examples.qa import QAExample
from lab.training.examples.replies import reply_judgements
from lab.training.mixture import draw as drawing
from lab.training.mixture.draw import SETS, MeasuredTexts, draw, texts_of_measuring_sets
from lab.training.mixture.inference import NOT_ENTAILMENT, Inference, read_pairs, read_questions
from lab.training.mixture.prepared import MADE
from lab.training.mixture.reading import is_development, read_jsonl
from lab.training.mixture.sources import Source, read_mixture
from qsquared.evaluation.protocols.registry import PROTOCOLS

NOTHING = MeasuredTexts([])


def source(name, **fields):
    """A source of pairs."""
    return Source(name=name, format="pairs", licence="ours", origin="here", **fields)


def pairs(number, label="neutral", name="a"):
    """Pairs of training groups, each of its own."""
    groups = [g for g in (f"{name}/{i}" for i in range(1000)) if not is_development(g)]
    return [Inference(g, f"Anna wrote {g}.", f"She wrote {g}.", label) for g in groups[:number]]


def test_every_source_of_the_shipped_mixture_names_its_licence_and_origin():
    """The card and NOTICE are written from them."""
    for task in ("judge", "reader"):
        for found in read_mixture(task).values():
            assert found.licence
            assert found.origin


def test_a_source_with_an_unknown_field_is_refused(tmp_path):
    """A misspelt weight does not pass silently."""
    path = tmp_path / "mixture.toml"
    path.write_text('judge.a = { format = "pairs", licence = "x", origin = "y", weight = 2 }')
    with pytest.raises(TypeError, match="weight"):
        read_mixture("judge", path)


def test_a_source_gives_as_many_examples_as_its_weight_says():
    """`take` is a number of training examples."""
    drawn = draw({"a": source("a", take=3)}, {"a": pairs(10)}, NOTHING, seed=1)
    assert len(drawn.train) == 3
    assert drawn.counts["a"].drawn == 3


def test_a_source_that_is_switched_off_is_not_read(tmp_path):
    """`take = 0` leaves it out."""
    path = tmp_path / "mixture.toml"
    path.write_text('judge.a = { format = "pairs", licence = "x", origin = "y", take = 0 }')
    assert read_mixture("judge", path) == {}


def test_an_example_of_two_sources_is_drawn_once_and_counted():
    """The first source keeps it, whatever its case and marks."""
    again = [Inference(p.group, p.premise.upper(), p.hypothesis, p.label) for p in pairs(4)]
    sources = {"a": source("a"), "b": source("b")}
    drawn = draw(sources, {"a": pairs(4), "b": again}, NOTHING, seed=1)
    assert len(drawn.train) == 4
    assert drawn.counts["b"].repeated == 4


def test_an_example_that_stands_in_a_measuring_set_is_dropped_and_counted():
    """Half of its runs of words are enough."""
    measured = MeasuredTexts(["The old mill of Turin was built by Anna in the year 1901."])
    near = Inference("a/1", "x", "the old mill of turin was built by Anna, I think", "neutral")
    drawn = draw({"a": source("a")}, {"a": [near, *pairs(2)]}, measured, seed=1)
    assert near not in drawn.train
    assert drawn.counts["a"].measured == 1


def test_a_balanced_source_gives_as_many_of_each_label():
    """The rarest label decides."""
    examples = [*pairs(9, "entailment"), *pairs(2, "contradiction", "b")]
    drawn = draw({"a": source("a", balanced=True)}, {"a": examples}, NOTHING, seed=1)
    labels = [example.label for example in drawn.train]
    assert labels.count("entailment") == labels.count("contradiction") == 2


def test_the_examples_of_a_group_are_on_one_side_of_the_split():
    """No text is both trained on and measured."""
    group = next(g for g in (f"a/{i}" for i in range(1000)) if is_development(g))
    held = [Inference(group, f"Text {i}.", "It is.", "neutral") for i in range(5)]
    drawn = draw({"a": source("a")}, {"a": [*held, *pairs(3)]}, NOTHING, seed=1)
    assert not {e.group for e in drawn.train} & {e.group for e in drawn.development["a"]}
    assert len(drawn.development["a"]) == 5


def test_pairs_of_two_labels_keep_what_they_know(tmp_path):
    """A set that does not tell neutral from contradiction says so, and CSV quotes go."""
    path = tmp_path / "rows.jsonl"
    path.write_text(
        '{"premise": "\\"A \\"\\"b\\"\\".\\"", "hypothesis": "C.", "label": "not_entailment"}'
    )
    (pair,) = read_pairs(path, "set", {}, {})
    assert pair.label == NOT_ENTAILMENT
    assert pair.premise == 'A "b".'


def test_pairs_of_a_table_are_read_by_its_columns_and_labels(data):
    """Files of a pattern count as one; a row without a label that is known is left out."""
    source = read_mixture("judge")["fever-symmetric"]
    pairs = list(read_pairs(data / source.path, "fever", source.columns, source.labels))
    assert pairs[1].premise == "Anna ( 1 ) painted houses ."
    assert (pairs[1].hypothesis, pairs[1].label) == ("Anna painted .", "contradiction")
    source = read_mixture("judge")["snli"]
    pairs = list(read_pairs(data / source.path, "snli", source.columns, {"neutral": "-"}))
    assert len(pairs) == 60
    assert pairs[0].group == "snli/p0.jpg"


def test_the_pairs_and_questions_that_were_made_once_are_whole():
    """Each label and kind occurs, on both sides of the split, and an answer is in its text."""
    pairs = [Inference(**row) for row in read_jsonl(MADE / "made-pairs.jsonl.gz")]
    questions = [QAExample(**row) for row in read_jsonl(MADE / "made-questions.jsonl.gz")]
    for held in (False, True):
        labels = {one.label for one in pairs if is_development(one.group) == held}
        assert labels == {"entailment", "neutral", "contradiction"}
        kinds = {one.kind for one in questions if is_development(one.group) == held}
        assert kinds == {"reply", "other_reply"}
    for one in questions:
        assert (one.start < 0) == (one.kind == "other_reply")
        assert one.start < 0 or one.text[one.start : one.end].strip()


def test_questions_on_tagged_tokens_are_read_as_prose(tmp_path):
    """Tags and the spaces of tokens go from text, question and answers alike."""
    path = tmp_path / "rows.jsonl"
    path.write_text(
        '{"context": "<P> It was built , by Anna ( an heir ) . </P>", "question": "by whom ?", '
        '"answers": [{"text": "Anna ( an heir )", "start": 25}], "is_impossible": false}'
    )
    (reading,) = read_questions(path, "set")
    assert reading.text == "It was built, by Anna (an heir)."
    assert reading.answers == ("Anna (an heir)",)


def test_a_real_reply_that_repeats_its_knowledge_is_entailed():
    """One that shares hardly a word is not."""
    knowledge = "The tower of Pisa was built between 1173 and 1372 beside the cathedral."
    said = "The tower of Pisa was built beside the cathedral."
    other = "I love pizza, especially when friends bring their famous homemade tomato sauce."
    rows = [("a/1", knowledge, said), ("a/1", knowledge, other)]
    assert [j.label for j in reply_judgements(rows, 1)] == ["entailment", NOT_ENTAILMENT]


def test_the_sets_that_are_measured_are_all_compared_with():
    """Each protocol whose texts are at hand, and the two sets to choose by."""
    not_at_hand = {"dnli", "qags-xsum", "binary"}
    of_the_same_texts = {"q2-random-knowledge", "usr-published"}
    assert set(PROTOCOLS) - not_at_hand - of_the_same_texts <= set(SETS)
    assert {"sick", "wow-judged-dev", "summedits-dev"} <= set(SETS)


def test_the_texts_of_each_measuring_set_are_read(tmp_path, monkeypatch):
    """Knowledge and replies, whatever their columns are called."""
    items = types.SimpleNamespace(items=[types.SimpleNamespace(knowledge="k", response="r")])
    protocol = types.SimpleNamespace(read=lambda _data: items)
    monkeypatch.setattr(drawing, "PROTOCOLS", dict.fromkeys(drawing._PROTOCOLS, protocol))
    for name in ("begin", "sick", "more/replies", "more/summaries"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "begin" / "begin_v2_dev_wow.tsv").write_text("knowledge\tresponse\na\tb\n")
    (tmp_path / "sick" / "SICK.txt").write_text("pair_ID\tsentence_A\tsentence_B\n1\tc\td\n")
    for name in ("replies/wow-judged-dev", "summaries/summedits-dev"):
        with gzip.open(tmp_path / "more" / f"{name}.jsonl.gz", "wt") as handle:
            handle.write('{"premise": "e", "hypothesis": "f"}\n')
    found = list(texts_of_measuring_sets(tmp_path))
    assert found == [*("k", "r") * len(drawing._PROTOCOLS), *"abcd", *"ef" * 2]
