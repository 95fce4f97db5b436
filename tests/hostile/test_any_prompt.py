"""Tests that neither a passage is lost nor a user's words become knowledge, however they begin."""

from hypothesis import given, settings
from hypothesis import strategies as st

from qsquared.storage.logs.fields.objects import passages_of
from qsquared.storage.logs.prompts.prompt_parts import split_prompt

SOME = settings(max_examples=200)
BEGINNINGS = (
    "If you lose it,", "You can", "Please", "Never", "Always",
    "Use the lever:", "Do not", "Write down", "Keep the receipt:",
    "No documents", "No data", "No information", "Timeout:",
    "401 Unauthorized", "The service is unavailable on", "The request",
    "Connection refused by", "Error E7:", "Error (E7):", "We cannot find", "Failed payments", "Nothing", "Information:",
    "The context", "Sorry,", "Zero",
)  # fmt: skip
ENDS = ("drills", "the green lamp", "a parcel", "our shop in Berlin", "wooden doors")
passages = st.builds(
    "{} {} needs {} on weekdays.".format,
    st.sampled_from(BEGINNINGS),
    st.sampled_from(ENDS),
    st.sampled_from(ENDS),
)
several = st.lists(passages, min_size=1, max_size=4, unique=True)
questions = st.builds(
    "{} {}?".format,
    st.sampled_from(("What about", "Can you say something on")),
    st.sampled_from(ENDS),
)
QUESTIONED = (
    "Context:\n{}\n\nQuestion: {}",
    "Answer from the context only.\n\nContext:\n{}\n\nQuestion: {}\nAnswer:",
    "Use the following information to answer.\n\nSources:\n{}\n\nUser question: {}",
    "Context information is below.\n---------------------\n{}\n---------------------\nQuery: {}\nAnswer: ",
    "<context>\n{}\n</context>\n\n{}",
    "Answer from the context only.\n\nContext:\n{}\n\n{}",
    "Search results:\n\n{}\n\n{}",
)


@SOME
@given(several, questions, st.sampled_from(QUESTIONED))
def test_each_passage_of_a_prompt_is_read_and_the_question_is_none(held, question, form):
    """A passage may begin as an instruction, an error or an empty result does."""
    found = split_prompt(form.format("\n\n".join(held), question), user=True)
    assert found is not None
    assert [one["text"] for one in found.passages] == held
    assert found.rest == question


@SOME
@given(
    st.sampled_from(
        ("I need information:", "My documents:", "Some facts:", "Background:", "Sources:")
    ),
    several,
    questions,
)
def test_what_a_user_wrote_under_a_heading_is_no_knowledge(heading, held, question):
    """A heading that people write, too, says too little alone."""
    assert split_prompt("\n".join((heading, *held)) + f"\n\n{question}", user=True) is None


@SOME
@given(passages, questions)
def test_what_a_tool_returned_is_one_passage(passage, question):
    """Rules of a desk begin like errors and empty results; a question may be a passage of a tool."""
    for text in (passage, f"{passage} {question}"):
        assert [one["text"] for one in passages_of(text)] == [text]
