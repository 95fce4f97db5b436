"""Tests that passages keep the log's fields of each, beside their texts and in their order."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsquared.display import passage_name
from qsquared.storage.logs.fields.passages import SOURCES, passages_of, read_knowledge
from qsquared.storage.logs.fields.values import is_missing
from tests.storage.conftest import Read

PASSAGES: list[Any] = [
    {"id": "a", "text": "First.", "score": 0.5},
    {"id": "b", "text": " "},
    "Second.",
    {"title": "C", "content": "Third.", "url": None},
]
SOURCES_OF_THEM = [{"id": "a", "score": 0.5}, {}, {"title": "C"}]


def test_names_stand_beside_the_texts_that_they_name(read: Read) -> None:
    """Blank passages are left out of both, so that an index means the same in each."""
    _, (turn,), _ = read([{"response": "r", "knowledge": PASSAGES}])
    assert turn["knowledge"] == ["First.", "Second.", "Third."]
    assert json.loads(turn["metadata"])[SOURCES] == SOURCES_OF_THEM


def test_a_cell_of_a_csv_may_hold_passages_with_names(read: Read) -> None:
    """A JSON list in a cell is read as a list in a row."""
    cell = json.dumps(PASSAGES[:1]).replace('"', '""')
    _, (turn,), _ = read(f'response,knowledge\nr,"{cell}"\n'.encode(), name="x.csv")
    assert turn["knowledge"] == ["First."]
    assert json.loads(turn["metadata"])[SOURCES] == [{"id": "a", "score": 0.5}]


@pytest.mark.parametrize("knowledge", ["k", ["k"], [{"text": "k"}], []])
def test_texts_alone_have_no_names(read: Read, knowledge: Any) -> None:
    """Without names in the log, the metadata has no such field."""
    _, (turn,), _ = read([{"response": "r", "knowledge": knowledge}])
    assert SOURCES not in json.loads(turn["metadata"])


def test_the_log_has_its_own_word_for_it(read: Read) -> None:
    """A field of that name in the log stays as it was."""
    row = {"response": "r", "knowledge": [{"id": 1, "text": "k"}], SOURCES: "mine"}
    _, (turn,), _ = read([row])
    assert json.loads(turn["metadata"])[SOURCES] == "mine"


def test_names_do_not_make_another_pair(read: Read) -> None:
    """The same texts under other names, or none, are the same question."""
    _, turns, _ = read(
        [{"response": "r", "knowledge": k} for k in ("k", ["k"], [{"id": "a", "text": "k"}])]
    )
    assert len({turn["pair_id"] for turn in turns}) == 1


passage = st.one_of(
    st.text(max_size=3),
    st.none(),
    st.fixed_dictionaries(
        {"text": st.text(max_size=3)}, optional={"id": st.text(max_size=3), "n": st.integers()}
    ),
)


@given(st.lists(passage, max_size=5))
def test_there_are_as_many_names_as_texts_or_none(passages: list[Any]) -> None:
    """Whatever is blank, the two lists go together."""
    texts, names = read_knowledge("knowledge", passages)
    assert len(names) in {0, len(texts)}
    assert all(not is_missing(passage_name(name)) for name in names if name)


@pytest.mark.parametrize(
    ("hit", "text"),
    [
        ({"title": "Closing hours and more", "answer_text": "Six.", "score": 0.8}, "Six."),
        ({"title": "Closing hours and more", "told": "At six o'clock.", "score": 0.8}, "At six o'clock."),
        ({"heading": "Hours", "paragraph": "We open at nine."}, "We open at nine."),
        ({"Title": "Hours", "RecordId": "ka07LY2O6", "Chunk": "We open at nine."}, "We open at nine."),
    ],
)  # fmt: skip
def test_the_text_of_a_hit_may_have_a_name_of_its_own(hit: dict[str, Any], text: str) -> None:
    """A title is none, though it may be longer."""
    assert [one["text"] for one in passages_of([hit])] == [text]


def test_an_object_that_says_more_than_a_text_is_a_passage_as_it_is() -> None:
    """The price of a product is knowledge, too."""
    product = {"title": "Drill", "body": 5, "long_text": "Makes holes.", "price": "5 EUR"}
    assert [one["text"] for one in passages_of([product])] == [json.dumps(product)]


@pytest.mark.parametrize(
    ("document", "names"),
    [
        (
            {
                "lc": 1,
                "type": "constructor",
                "id": ["langchain", "Document"],
                "kwargs": {"page_content": "P", "id": "d1"},
            },
            {"id": "d1"},
        ),
        ({"page_content": "P", "metadata": {"doc_uri": "https://a.example"}}, {"doc_uri": "https://a.example"}),
    ],
)  # fmt: skip
def test_a_document_keeps_its_id_and_address(
    document: dict[str, Any], names: dict[str, Any]
) -> None:
    """LangChain writes the name of a class into the field of an id, MLflow an address of its own name."""
    assert passages_of(document) == [{"text": "P", **names}]


@pytest.mark.parametrize(
    ("result", "texts"),
    [
        ({"status": "success", "report": "The lift closes at six."}, ["The lift closes at six."]),
        ({"status": "ok", "price": "4.90"}, ['{"status": "ok", "price": "4.90"}']),
        ({"status": "shipped", "note": "By post."}, ['{"status": "shipped", "note": "By post."}']),
    ],
)
def test_a_sign_of_success_is_no_part_of_what_a_tool_tells(
    result: dict[str, str], texts: list[str]
) -> None:
    """A state that says more, and a single word that its name explains, stay beside each other."""
    assert [one["text"] for one in passages_of(result)] == texts
