"""Passages of a list lose the labels with which their program counted them, and named values are one object."""

import pytest

from qsquared.storage.logs.fields.passages import passages_of, read_knowledge
from qsquared.storage.logs.fields.reshaped import divided, uncounted
from qsquared.storage.logs.prompts.divide_passages import split_passages


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["Passage ID 1: Open at ten.", "Passage ID 2: Closed."], ["Open at ten.", "Closed."]),
        (["[Quelle 1] Offen.", "[Quelle 2] Zu."], ["Offen.", "Zu."]),
        (["Chunk-0 - Open.", "Chunk-1 - Closed."], ["Open.", "Closed."]),
        (["Source 1: Open at ten."], ["Open at ten."]),
    ],
)
def test_a_label_that_counts_the_texts_of_a_list_is_no_part_of_them(texts, expected):
    """The label stands before each text, with its number from 0 or 1 on."""
    assert uncounted(texts) == expected
    assert [one["text"] for one in passages_of(texts)] == expected


@pytest.mark.parametrize(
    "texts",
    [
        ["Article 1: All are equal.", "Article 2: All are free."],
        ["Step 1: Boil it.", "Step 2: Rinse it."],
        ["Passage 3: Open.", "Passage 4: Closed."],
        ["Source 1: Open.", "Note 2: Closed."],
        ["Line 3 - open.", "Closed."],
    ],
)
def test_labels_that_do_not_count_a_list_stay(texts):
    """A lone article, other numbers and other labels are what the texts say."""
    assert uncounted(texts) == texts


def test_labels_in_a_field_that_the_log_names_stay():
    """The texts that a log calls its knowledge are taken as they are."""
    texts = ["Document 1: The fee is 3 euros.", "Document 2: The fee is 5 euros."]
    assert read_knowledge("knowledge", texts) == (texts, [])


def test_a_hit_whose_values_stand_beside_their_names_is_an_object():
    """Salesforce lists the fields of a hit by their names."""
    hit = {"result": [{"fieldName": "Chunk", "value": "Open at ten."}], "score": 0.7}
    found = passages_of({"searchResults": [hit]})
    assert [one["text"] for one in found] == ["Open at ten."]


def test_a_rule_after_the_data_of_a_search_ends_them_in_a_prompt():
    """The data are read though they are not all that stands between two marks."""
    inner = '{"documents": [{"text": "Open at ten."}, {"text": "Closed on Mondays."}]}\n####'
    assert [one["text"] for one in split_passages(inner)] == ["Open at ten.", "Closed on Mondays."]


def test_each_line_with_a_bullet_is_a_passage_if_all_lines_have_one():
    """A heading above bullets makes them one text."""
    assert divided("- Open at ten.\n\n- Closed on Mondays.", "- ") == [
        "Open at ten.",
        "Closed on Mondays.",
    ]
    assert divided("Hours:\n- Open at ten.", "- ") == []
