"""Questions that the rules make of real parses, rule by rule."""

from __future__ import annotations

import pytest

from qsquared.language.spacy_parser import SpacyParser
from qsquared.method.question_generation import generate
from qsquared.records import GeneratedQuestion, ParsedText, Span

# (sentence, span, the question that comes first)
FIRST = (
    # Subjects.
    ("Marie Curie discovered radium.", "Marie Curie", "Who discovered radium?"),
    ("The old mill was sold in May.", "The old mill", "What was sold in May?"),
    ("They love the sea.", "They", "Who loves the sea?"),
    ("It's cold in Norway.", "It", "What is cold in Norway?"),
    ("He'd seen the film.", "He", "Who had seen the film?"),
    ("The sisters are nurses.", "The sisters", "Who are nurses?"),
    ("She can't swim in the lake.", "She", "Who can't swim in the lake?"),
    # Copulas and attributes.
    ("Ada Stone was the founder of the club.", "Ada Stone", "Who was the founder of the club?"),
    ("Ada Stone was the founder of the club.", "the founder", "Who was Ada Stone?"),
    ("Oslo is the capital of Norway.", "the capital", "What is Oslo?"),
    ("The capital of Norway is Oslo.", "Oslo", "What place is the capital of Norway?"),
    ("The capital of Norway is Oslo.", "Norway", "The capital of what place is Oslo?"),
    ("They're a rock band.", "a rock band", "What are they?"),
    # Objects, with do-support in each tense.
    ("The band plays jazz.", "jazz", "What does the band play?"),
    ("The sisters play jazz.", "jazz", "What do the sisters play?"),
    ("The band broke its record.", "its record", "What did the band break?"),
    ("She will never sell the house.", "the house", "What will she never sell?"),
    ("She doesn't like the house.", "the house", "What doesn't she like?"),
    ("It has won an award.", "an award", "What has it won?"),
    ("They've sold the house.", "the house", "What have they sold?"),
    ("He'll paint the fence.", "the fence", "What will he paint?"),
    ("The show became a hit.", "a hit", "What did the show become?"),
    # Prepositional objects: stranded, fronted, swallowed.
    ("Norway is known for its fjords.", "its fjords", "What is Norway known for?"),
    ("The song is about a dog.", "a dog", "What is the song about?"),
    ("He moved to Canada.", "Canada", "Where did he move to?"),
    ("The band is from Iceland.", "Iceland", "Where is the band from?"),
    ("She was born in Portugal.", "Portugal", "Where was she born?"),
    ("He left after the war.", "the war", "After what did he leave?"),
    # Passive agents, also of a participle beside a noun.
    ("The show was hosted by Ada Stone.", "Ada Stone", "Who hosted the show?"),
    ("The book was written by Ada Stone.", "Ada Stone", "Who wrote the book?"),
    ("They were trained by Ada Stone.", "Ada Stone", "Who trained them?"),
    ("It is a film directed by Ada Stone.", "Ada Stone", "Who directed the film?"),
    (
        "It is a film directed by Ada Stone in 1971.",
        "1971",
        "In what year was the film directed by Ada Stone?",
    ),
    # Times.
    ("The club was founded in 1971.", "1971", "In what year was the club founded?"),
    ("The club closed in the 1990s.", "the 1990s", "In what decade did the club close?"),
    ("The club opened on May 3, 1971.", "May 3, 1971", "When did the club open?"),
    ("The club opened on Monday.", "Monday", "On what day did the club open?"),
    ("It began in the 19th century.", "the 19th century", "In what century did it begin?"),
    ("He has lived there since 2005.", "2005", "Since what year has he lived there?"),
    ("He lived in Oslo for five years.", "five years", "How long did he live in Oslo?"),
    ("The shop opens at 9 a.m.", "9 a.m.", "At what time does the shop open?"),
    ("She swims every day.", "every day", "How often does she swim?"),
    ("The tree is 200 years old.", "200 years old", "How old is the tree?"),
    # Numbers and measures.
    ("The series had five episodes.", "five", "How many episodes did the series have?"),
    ("The series had five episodes.", "five episodes", "How many episodes did the series have?"),
    ("It sold more than 9000 copies.", "more than 9000", "How many copies did it sell?"),
    ("There are three types of clouds.", "three", "How many types of clouds are there?"),
    ("Two sisters run the shop.", "Two", "How many sisters run the shop?"),
    ("The film cost $5 million.", "$5 million", "How much did the film cost?"),
    ("About 60% of the voters agreed.", "About 60%", "What percentage of the voters agreed?"),
    ("The tower is 300 metres tall.", "300 metres", "How tall is the tower?"),
    ("One of the houses burned down.", "One", "Which of the houses burned down?"),
    ("The first race was held in Ohio.", "first", "Which race was held in Ohio?"),
    ("There are hundreds of kinds of cheese.", "hundreds", "How many kinds of cheese are there?"),
    # Possessors and describing words.
    ("Ada Stone's brother was a painter.", "Ada Stone's", "Whose brother was a painter?"),
    ("He likes Ada Stone's music.", "Ada Stone's", "Whose music does he like?"),
    ("She is a Polish singer.", "Polish", "What nationality is the singer?"),
    ("They speak Spanish.", "Spanish", "What language do they speak?"),
    # Appositions.
    ("Ada Stone, an American painter, lives here.", "an American painter", "Who is Ada Stone?"),
    # Conjuncts.
    ("It is sold in Canada and Mexico.", "Mexico", "Where is it sold?"),
    ("He was born in Norway and raised in Canada.", "Canada", "Where was he raised?"),
    ("The band sold the house and broke its record.", "its record", "What did the band break?"),
    # Choice of the clause.
    ("I think that Norway is known for its fjords.", "its fjords", "What is Norway known for?"),
    ("Yes, they formed in 1993.", "1993", "In what year did they form?"),
    ("Well, I like it, but they formed in 1993.", "1993", "In what year did they form?"),
    ("He moved because the shop closed in 1993.", "1993", "In what year did the shop close?"),
    ("The book that he wrote in 1983 sold well.", "1983", "In what year did he write the book?"),
    ("It was made by Ada Stone, who lives in Portugal.", "Portugal", "Where does Ada Stone live?"),
    ("The series, which began in 1983, is popular.", "1983", "In what year did the series begin?"),
    ("In 1983, Ada Stone painted the boat.", "the boat", "What did Ada Stone paint in 1983?"),
    (
        "Gardening is considered to be a relaxing hobby.",
        "a relaxing hobby",
        "What is gardening considered to be?",
    ),
    # Questions in the response.
    ("Have you been to Jamaica?", "Jamaica", "Where have you been to?"),
    ("What do you think about gardening?", "What", "What do you think about gardening?"),
    # Lower case and blanks around every mark.
    ("yes , they were founded in 1971 .", "1971", "In what year were they founded?"),
    ("it ' s based on a novel .", "a novel", "What is it based on?"),
    ("it ' s been around since 1990 .", "1990", "Since what year has it been around?"),
    ("they ' ve sold 20 million albums .", "20 million", "How many albums have they sold?"),
    ("i ' m not sure , but it originated in india .", "india", "Where did it originate?"),
    ("it was invented in the 60 ' s .", "60", "In what decade was it invented?"),
    (
        "i do know that garfield was first published in 1978 .",
        "1978",
        "In what year was garfield first published?",
    ),
    ("i do know that she wrote nineteen novels .", "nineteen", "How many novels did she write?"),
)

# (sentence, span, a question that comes at some rank)
AMONG = (
    ("The club was founded in 1971.", "1971", "When was the club founded?"),
    ("The club was founded in 1971.", "1971", "The club was founded in what year?"),
    ("The show was hosted by Ada Stone.", "Ada Stone", "Who was the show hosted by?"),
    ("She was born in Portugal.", "Portugal", "What place was she born in?"),
    ("It is a small village.", "a small village", "What kind of village is it?"),
    ("The series had five episodes.", "five episodes", "What did the series have?"),
    ("They formed in 1993.", "They", "What formed in 1993?"),
    ("Ada Stone was the founder of the club.", "the founder", "Ada Stone was who of the club?"),
    ("It is sold in Canada and Mexico.", "Mexico", "It is sold in Canada and what place?"),
    ("Gardening is a relaxing hobby.", "a relaxing hobby", "Gardening is what?"),
    ("No, a small village in Norway!", "Norway", "A small village where?"),
    ("She joined the city of Oslo.", "Oslo", "What city did she join?"),
)


@pytest.fixture(scope="module")
def parser() -> SpacyParser:
    """The shared pipeline."""
    return SpacyParser()


def span_in(parsed: ParsedText, text: str) -> Span:
    """The span at its first occurrence, with the entity type that the parse gives it."""
    start = parsed.text.index(text)
    end = start + len(text)
    label = next((e.label for e in parsed.entities if (e.start, e.end) == (start, end)), "")
    return Span(start, end, text, "entity" if label else "noun_chunk", label)


def questions(parser: SpacyParser, sentence: str, span: str) -> list[GeneratedQuestion]:
    """Questions on a span of a sentence."""
    parsed = parser.parse([sentence])[0]
    return generate(parsed, span_in(parsed, span))


@pytest.mark.parametrize(("sentence", "span", "expected"), FIRST)
def test_best_question(parser: SpacyParser, sentence: str, span: str, expected: str) -> None:
    """The most natural question comes first."""
    assert questions(parser, sentence, span)[0].question == expected


@pytest.mark.parametrize(("sentence", "span", "expected"), AMONG)
def test_further_question(parser: SpacyParser, sentence: str, span: str, expected: str) -> None:
    """Other ways to ask for the span come after the best one."""
    assert expected in [q.question for q in questions(parser, sentence, span)]


def test_last_question_asks_in_place(parser: SpacyParser) -> None:
    """The last question keeps the words of the response in their order."""
    last = questions(parser, "The club was founded in 1971 by a nurse.", "1971")[-1]
    assert (last.question, last.form) == (
        "The club was founded in what year by a nurse?",
        "in_place",
    )


def test_form_names_the_rule(parser: SpacyParser) -> None:
    """Each question says which rule made it, and none has a probability."""
    made = questions(parser, "The show was hosted by Marie Curie.", "Marie Curie")
    assert [q.form for q in made] == ["active", "prepositional_object", "in_place"]
    assert {q.log_prob for q in made} == {None}


def test_only_the_sentence_of_the_span_is_asked_about(parser: SpacyParser) -> None:
    """Words of a neighbouring sentence do not come into the question."""
    made = questions(parser, "I like boats. They were built in 1971. Ada sails them.", "1971")
    assert made[0].question == "In what year were they built?"
    assert not any("boats" in q.question or "Ada" in q.question for q in made)


def test_persons_are_kept(parser: SpacyParser) -> None:
    """The first person stays as it is, for the filter of personal questions to see."""
    assert questions(parser, "I like jazz.", "jazz")[0].question == "What do I like?"
