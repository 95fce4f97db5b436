"""Tests that passages in prompts are told apart from what the user said and what the model was told."""

import pytest

from qsquared.storage.logs.fields.objects import passages_of
from qsquared.storage.logs.prompts.prompt_parts import split_prompt

ASKED = "What does a drill do?"
DRILLS, SAWS = "Drills make holes.", "Saws cut wood."
OF_USERS = [
    "I need information:\nwhere is the shop in Berlin?",
    "My details:\nDocuments: passport, visa\n\nIs that enough to enter?",
    "Documents:\n1. passport\n2. visa of 2019\nWhich of these do I need?",
    "My information:\nName: Ann Lee, order 4711\n\nWhere is my order?",
    "What are the sources of the Nile and background information:\nplease explain in detail",
    "Context:\nI bought a drill in May and it broke.\n\nCan I return it?",
    "Context: The customer is angry and wants his money back.\n\nWrite a polite reply.",
    "Please send me the documents:\npassport and visa copies.\n\nThanks",
]
PROMPTS = {
    f"Context:\n[1] {DRILLS}\n[2] {SAWS}\n\n{ASKED}": [DRILLS, SAWS],
    f"Here are the search results:\n- {DRILLS}\n- {SAWS}\n\n{ASKED}": [DRILLS, SAWS],
    f"Context:\n{DRILLS}\n{ASKED}": [DRILLS],
    f"Context: {DRILLS}\n\nQ: {ASKED}\nA:": [DRILLS],
    f"Here is some information that may help you answer:\n\n{DRILLS}\n\n{SAWS}\n\n{ASKED}": [
        DRILLS,
        SAWS,
    ],
    f"# Knowledge\n\n## Tools\n{DRILLS}\n\n## More\n{SAWS}\n\n# User message\n{ASKED}": [
        DRILLS,
        SAWS,
    ],
    f'### Task:\nAnswer from the context.\n\n<context>\n<source id="1">{DRILLS}</source>\n</context>\n\n'
    f"<user_query>\n{ASKED}\n</user_query>": [DRILLS],
    f"<results>\n<hit>\n<content>{DRILLS}</content>\n<source>1</source>\n</hit>\n<hit>\n<content>{SAWS}</content>\n"
    f"<source>2</source>\n</hit>\n</results>\n\n{ASKED}": [DRILLS, SAWS],
    f"Use the context to answer.\n\nContext:\n{DRILLS}\n\n{SAWS}\n\n{ASKED}": [DRILLS, SAWS],
    f"Context:\n{DRILLS}\n\n{SAWS}\n\nAnswer briefly.\n\n{ASKED}": [DRILLS, SAWS],
    f"{ASKED}\n\nContext:\n{DRILLS}\n\n{SAWS}": [DRILLS, SAWS],
    f"Sources:\n{DRILLS}\n\n{SAWS}\n\nQuestion: {ASKED}": [DRILLS, SAWS],
    f"Context:\nQuestion: Drills?\nAnswer: {DRILLS}\n\nQuestion: Saws?\nAnswer: {SAWS}\n\nUser question: {ASKED}": [
        f"Question: Drills?\nAnswer: {DRILLS}",
        f"Question: Saws?\nAnswer: {SAWS}",
    ],
}
OF_SYSTEMS = [
    "<background>You are Bo, a helpful bot that answers in German.</background>\nBe polite.",
    "Background: You are Bo, the friendly bot of ACME Tools.\nBe polite and short.",
    "You are a bot.\n\nSources:\nAlways cite the source by its number.\n\nTone: friendly",
]


@pytest.mark.parametrize("text", OF_USERS)
def test_a_users_own_words_are_no_knowledge(text: str) -> None:
    """People write headings, too; what they say stays in the history as it is."""
    assert split_prompt(text, user=True) is None


@pytest.mark.parametrize("text", PROMPTS)
def test_the_last_paragraph_of_a_users_message_is_the_question(text: str) -> None:
    """It is no passage, and instructions to the model are no part of it."""
    found = split_prompt(text, user=True)
    assert found is not None
    assert [one["text"] for one in found.passages] == PROMPTS[text]
    assert found.rest == ASKED


@pytest.mark.parametrize("text", OF_SYSTEMS)
def test_who_the_model_is_and_how_it_speaks_is_no_knowledge(text: str) -> None:
    """A persona stands in tags and under headings that hold passages elsewhere."""
    assert split_prompt(text) is None


def test_an_instruction_ends_the_passages_of_a_system_prompt_and_advice_does_not() -> None:
    """A manual says *If you have questions, call us*, too."""
    advice = ["If you have any questions, call 030 123.", "Use the green button to start."]
    told = "If you don't know the answer, say so."
    found = split_prompt("\n\n".join(["You are a bot.", "Context:", DRILLS, *advice, told, "Bye."]))
    assert found is not None
    assert [one["text"] for one in found.passages] == [DRILLS, *advice]
    assert found.rest == f"You are a bot.\n\n{told}\n\nBye."


@pytest.mark.parametrize(
    "text",
    [
        f"Use them.\nContext:\n\n[CONTEXT 0]:\n{DRILLS}\n[END CONTEXT 0]\n\n[CONTEXT 1]:\n{SAWS}\n[END CONTEXT 1]\n",
        f"You are a bot. Here is the knowledge base:\n{DRILLS}\n\n{SAWS}\nThe above is the knowledge base.",
    ],
)
def test_what_says_that_a_passage_ends_is_no_part_of_it(text: str) -> None:
    """AnythingLLM closes each passage, RAGFlow all of them by a sentence."""
    found = split_prompt(text)
    assert found is not None
    assert [one["text"] for one in found.passages] == [DRILLS, SAWS]


def test_the_mark_of_passages_that_nothing_announces_is_the_first_label() -> None:
    """The survey and the metadata name it."""
    found = split_prompt(
        f"Document 1: {DRILLS}\n\nDocument 2: {SAWS}\n\nQuestion: {ASKED}", user=True
    )
    assert found is not None
    assert found.mark == "Document 1:"


@pytest.mark.parametrize(
    "text",
    [
        (
            "Use the following pieces of retrieved context to answer the question.\n"
            "Question: Do you rent tandems? \nContext:  \nAnswer:"
        ),
        (
            "Context information is below.\n---------------------\n\n---------------------\n"
            "Given the context information and not prior knowledge, answer the query.\n"
            "Query: Do you rent tandems?\nAnswer: "
        ),
    ],
)
def test_a_template_without_passages_still_names_the_question(text: str) -> None:
    """An empty retrieval leaves a template's instructions, which no person said."""
    parts = split_prompt(text, user=True)
    assert parts is not None
    assert (parts.passages, parts.rest) == ([], "Do you rent tandems?")


def test_details_before_each_passage_tell_where_it_begins() -> None:
    """A passage of several paragraphs stays one between the lines that LlamaIndex puts before nodes."""
    text = (
        "Context information is below.\n---------------------\n"
        "page_label: 1\nfile_path: a.md\n\nOne half.\n\nThe other half.\n\n"
        "page_label: 2\nfile_path: b.md\n\nAnother one.\n---------------------\n"
        "Given the context information and not prior knowledge, answer the query.\nQuery: Why?\nAnswer: "
    )
    parts = split_prompt(text, user=True)
    assert parts is not None
    assert [one["text"] for one in parts.passages] == [
        "One half.\n\nThe other half.",
        "Another one.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "[Source: a.md]\nOne half.\n\nThe other half.\n\n[Source: b.md]\nAnother one.",
        "Title: A\nURL: a\nText: One half.\n\nThe other half.\n\nTitle: B\nURL: b\nText: Another one.",
        "# A\nURL:https://a.b/a\n\nOne half.\n\nThe other half.\n\n\n# B\nURL: https://a.b/b\nAnother one.\n",
        "Found 2 results:\n\n[1] One half.\n\nThe other half.\n\n[2] Another one.",
        "One half.\n\nThe other half.\n\n---\n\nAnother one.",
        '{"text": "One half.\\n\\nThe other half."}\n{"text": "Another one."}',
    ],
)
def test_a_tools_text_gives_each_passage_that_it_lists(text: str) -> None:
    """Labels, numbers after a line that counts them, rules and lines of JSON keep passages apart."""
    found = [one["text"] for one in passages_of(text)]
    assert found == ["One half.\n\nThe other half.", "Another one."]


@pytest.mark.parametrize(
    "text",
    [
        "Document 1 of the contract names the parties.",
        "Open the app.\n---\nThen choose a bike.",
        "Steps:\n1. Open the app.\n2. Choose a bike.",
        "(Prices of 2026)\nA day costs 20 euros.",
        "# Prices\n\nA day costs 20 euros.\n\n# Hours\n\nWe open at ten.",
    ],
)
def test_a_tools_text_without_a_list_is_one_passage(text: str) -> None:
    """A number in a sentence, a rule or headings within a page and steps separate nothing."""
    assert [one["text"] for one in passages_of(text)] == [text]


def test_a_heading_above_an_address_names_its_passage() -> None:
    """The title and the address are names of the passage, and no part of its text."""
    text = f"# Drills\nDocumentation URL:https://shop.example/drills\n\n{DRILLS}\n"
    named = {"title": "Drills", "url": "https://shop.example/drills"}
    assert passages_of(text) == [{"text": DRILLS, **named}]


def test_empty_tags_of_a_tool_are_no_passage() -> None:
    """A search that finds nothing still writes the element around its results."""
    assert passages_of("<results>\n\n</results>") == []
