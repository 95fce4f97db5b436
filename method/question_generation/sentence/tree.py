"""The dependency tree of one sentence, with the clitics of tokenised dialogue rejoined, and pieces of questions."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile

from qsquared.records import ParsedText, Span, Token

Piece = int | str
"""A part of a question: the index of a token of the response, or words of our own."""
Draft = tuple[str, tuple[Piece, ...]]
"""The name of a form and the pieces of a question in it."""

APOSTROPHES = frozenset({"'", "\u2019", "`"})
_CLITICS = frozenset({"s", "m", "re", "ve", "ll", "d"})
_VERBS = {"m": ("be", "VBP"), "re": ("be", "VBP"), "ve": ("have", "VBP"), "ll": ("will", "MD")}


@dataclass(frozen=True, slots=True)
class Tree:
    """A sentence; every index is that of the token in the whole text.

    ``indices`` leaves out white space and the lone apostrophe of a clitic such as ``it ' s``, whose
    word is then ``'s``.
    """

    tokens: tuple[Token, ...]
    indices: tuple[int, ...]
    heads: dict[int, int]
    words: dict[int, str]
    dependants: dict[int, list[int]]
    is_cut: bool = False
    """Whether it holds the clause of one span only (``sentence/cut.py``)."""

    def word(self, index: int) -> str:
        """Return the text of a token, a clitic with its apostrophe."""
        return self.words[index]

    def lower(self, index: int) -> str:
        """Return the text of a token in lower case, with straight apostrophes."""
        return self.words[index].lower().replace("\u2019", "'")

    def dep(self, index: int) -> str:
        """Return the dependency label of a token."""
        return self.tokens[index].dep

    def tag(self, index: int) -> str:
        """Return the Penn Treebank tag of a token."""
        return self.tokens[index].tag

    def is_root(self, index: int) -> bool:
        """Whether the token has no governor."""
        return self.heads[index] == index

    def is_verb(self, index: int) -> bool:
        """Whether the token can be the predicate of a clause."""
        token = self.tokens[index]
        return token.pos in {"VERB", "AUX"} or token.tag.startswith("VB")

    def is_nominal(self, index: int) -> bool:
        """Whether the token can be the head of a noun phrase."""
        return self.tokens[index].pos in {"NOUN", "PROPN", "NUM", "PRON", "SYM"}

    def is_plural(self, index: int) -> bool:
        """Whether the token is a noun in the plural."""
        return self.tokens[index].tag in {"NNS", "NNPS"}

    def children(self, index: int, *deps: str) -> tuple[int, ...]:
        """Return the dependants of a token in order; only those with one of ``deps``, if given."""
        below = self.dependants.get(index, ())
        return tuple(i for i in below if not deps or self.tokens[i].dep in deps)

    def subtree(self, index: int, without: Iterable[int] = ()) -> frozenset[int]:
        """Return the token with all that it governs, except the branches that begin in ``without``."""
        barred = set(without)
        governed: set[int] = set()
        waiting = [index]
        while waiting:
            i = waiting.pop()
            if i in governed or i in barred:
                continue
            governed.add(i)
            waiting.extend(self.children(i))
        return frozenset(governed)

    def ancestors(self, index: int) -> Iterator[int]:
        """Return the governors of a token, nearest first."""
        seen = {index}
        while (head := self.heads[index]) not in seen:
            yield head
            seen.add(head)
            index = head

    def beside(self, index: int) -> frozenset[int]:
        """Return the tokens before and after a token; at an end of the sentence the token itself."""
        position = self.indices.index(index)
        return frozenset(
            (
                self.indices[max(position - 1, 0)],
                self.indices[min(position + 1, len(self.indices) - 1)],
            )
        )

    def follows_mark(self, index: int, head: int, marks: frozenset[str]) -> bool:
        """Whether one of some marks, behind the head, parts it from the branch that begins here."""
        first = min(self.subtree(index))
        before = [i for i in self.indices if head < i < first]
        return bool(before) and self.lower(before[-1]) in marks

    def restricted(self, kept: Iterable[int]) -> "Tree":
        """Return the tree of some tokens; one whose governor is not among them becomes a root."""
        words = {i: self.words[i] for i in kept}
        heads = {i: self.heads[i] if self.heads[i] in words else i for i in words}
        return replace(
            self, indices=tuple(words), heads=heads, words=words, dependants=_below(heads)
        )


def _below(heads: Mapping[int, int]) -> dict[int, list[int]]:
    """Return the dependants of each token that has some."""
    below: dict[int, list[int]] = {}
    for i, head in heads.items():
        if head != i:
            below.setdefault(head, []).append(i)
    return below


def between_marks(
    order: Sequence[int],
    span: frozenset[int],
    is_mark: Callable[[int], bool],
    most: int | None = None,
) -> list[int]:
    """Return the tokens around a span up to the next mark, or ``most`` of them, on either side."""
    places = [n for n, i in enumerate(order) if i in span]
    first, end = places[0], places[-1] + 1
    before, after = (
        list(islice(takewhile(lambda i: not is_mark(i), side), most))
        for side in (reversed(order[:first]), order[end:])
    )
    return [*reversed(before), *order[first:end], *after]


def overlapping(parsed: ParsedText, span: Span) -> list[int]:
    """Return the indices of the tokens that share a character with the span, white space left out."""
    return [
        i
        for i, token in enumerate(parsed.tokens)
        if token.start < span.end and token.end > span.start and token.text.strip()
    ]


def sentence_of(parsed: ParsedText, index: int) -> tuple[int, int]:
    """Return the bounds of the sentence that holds a token, or of the whole text."""
    for first, last in parsed.sentences:
        if first <= index < last:
            return first, last
    return 0, len(parsed.tokens)


def plant(parsed: ParsedText, first: int, last: int) -> Tree:
    """Build the tree of the tokens ``first`` to ``last`` (exclusive)."""
    tokens = list(parsed.tokens)
    aliases: dict[int, int] = {}
    words: dict[int, str] = {}
    for i in range(first, last):
        token = tokens[i]
        if not token.text.strip():
            continue
        words[i] = token.text
        is_split = i - 1 in words and tokens[i - 1].text in APOSTROPHES and i - 2 in words
        if is_split and token.text.lower() in _CLITICS:
            words[i] = words.pop(i - 1) + token.text
            aliases[i - 1] = i
            if token.text.lower() in _VERBS:
                lemma, tag = _VERBS[token.text.lower()]
                tokens[i] = replace(token, lemma=lemma, tag=tag, pos="AUX")
            if token.text.lower() in {"re", "m"}:
                _correct_attributes(tokens, i)
    indices = tuple(words)
    heads = {i: _head(tokens, i, words, aliases) for i in indices}
    return Tree(tuple(tokens), indices, heads, words, _below(heads))


def _correct_attributes(tokens: list[Token], verb: int) -> None:
    """Make the dependant of a clitic "are" its attribute if the tagger took it for a preposition."""
    for i, token in enumerate(tokens):
        if token.head == verb and token.dep == "pobj":
            tokens[i] = replace(token, dep="attr")


def _head(
    tokens: Sequence[Token], index: int, words: dict[int, str], aliases: dict[int, int]
) -> int:
    """Return the nearest governor that is part of the tree; the token itself if there is no such governor."""
    seen = {index}
    head = tokens[index].head
    while head not in seen:
        head = aliases.get(head, head)
        if head == index:
            # The lone apostrophe was the governor: go on from where that was attached.
            lone = next(a for a, i in aliases.items() if i == index)
            head = tokens[lone].head
            if head in {lone, index}:
                return index
            continue
        if head in words:
            return head
        seen.add(head)
        head = tokens[head].head
    return index


def replaced(
    pieces: tuple[Piece, ...], out: frozenset[int], put_in: tuple[Piece, ...]
) -> tuple[Piece, ...]:
    """Return the pieces with the tokens of ``out`` replaced by ``put_in`` at the place of the first of them."""
    for position, piece in enumerate(pieces):
        if piece in out:
            return (*pieces[:position], *put_in, *without(pieces[position:], out))
    return pieces


def in_case(tree: Tree, pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Return the pieces with "whom" for a "who" that follows its preposition."""
    before: tuple[Piece | None, ...] = (None, *pieces)
    return tuple(
        "whom" if piece == "who" and isinstance(last, int) and tree.tag(last) == "IN" else piece
        for last, piece in zip(before, pieces, strict=False)
    )


def without(pieces: tuple[Piece, ...], out: frozenset[int]) -> tuple[Piece, ...]:
    """Return the pieces that are not tokens of ``out``."""
    return tuple(piece for piece in pieces if piece not in out)
