"""Turn the pieces of a question into text: spacing, case and stray punctuation."""

from collections.abc import Mapping, Sequence

from qsquared.method.question_generation.sentence.tree import Piece, Tree

_GLUED_BEFORE = frozenset({",", ".", ";", ":", "!", "?", ")", "]", "}", "%", "\u2026"})
_GLUED_AFTER = frozenset({"(", "[", "{", "$", "£", "€", "#"})
_CLITICS = frozenset({"'s", "'m", "'re", "'ve", "'ll", "'d", "n't", "'"})
_MARKS = frozenset({",", ";", ":", ".", "!", "?", "-", "\u2013", "\u2014", "--", "\u2026", "..."})
_NUMERIC = frozenset({"CARDINAL", "ORDINAL", "DATE", "TIME", "QUANTITY", "PERCENT", "MONEY"})
_QUOTES = frozenset({'"', "''", "``"})
_BRACKETS = frozenset({"(", ")", "[", "]", "{", "}", "\u201c", "\u201d"})
_PAIRS = (
    (_QUOTES, _QUOTES),
    ({"("}, {")"}),
    ({"["}, {"]"}),
    ({"{"}, {"}"}),
    ({"\u201c"}, {"\u201d"}),
)


def realise(tree: Tree, pieces: Sequence[Piece]) -> str:
    """Return the question's text: first letter raised, question mark at the end, stray marks left out.

    Tokens that are neighbours in the response keep the spacing that they had there.
    """
    kept = _without_stray_marks(tree, _without_broken_pairs(tree, pieces))
    text = ""
    for before, piece in zip([None, *kept], kept, strict=False):
        if before is not None and _spaced(tree, before, piece):
            text += " "
        text += _word(tree, piece, is_first=before is None)
    return text[:1].upper() + text[1:] + "?"


def _show(tree: Tree, piece: Piece) -> str:
    return tree.word(piece) if isinstance(piece, int) else piece


def _word(tree: Tree, piece: Piece, *, is_first: bool) -> str:
    """Return the words of a piece, without the capital that only began the response's sentence."""
    if isinstance(piece, str) or is_first or piece != _opening(tree):
        return _show(tree, piece)
    token = tree.tokens[piece]
    word = tree.word(piece)
    is_name = token.pos == "PROPN" or (token.entity and token.entity not in _NUMERIC)
    if is_name or word == "I" or (word.isupper() and len(word) > 1):
        return word
    return word[:1].lower() + word[1:]


def _opening(tree: Tree) -> int:
    """Return the first token of the sentence that has a letter or digit."""
    return next((i for i in tree.indices if tree.word(i)[0].isalnum()), -1)


def _spaced(tree: Tree, before: Piece, piece: Piece) -> bool:
    """Whether a space belongs between two pieces."""
    word = _show(tree, piece).replace("\u2019", "'").lower()
    if word in _CLITICS and word != "'":
        return False
    if isinstance(before, int) and isinstance(piece, int) and before < piece:
        first, second = tree.tokens[before], tree.tokens[piece]
        if not any(i in tree.words for i in range(before + 1, piece)):
            return first.end < second.start
    return word not in _GLUED_BEFORE | {"'"} and _show(tree, before) not in _GLUED_AFTER


def _without_stray_marks(tree: Tree, pieces: Sequence[Piece]) -> list[Piece]:
    """Keep a mark only between words that it separated in the response; a comma also beside our own."""
    order = {index: position for position, index in enumerate(tree.indices)}
    while pieces and isinstance(pieces[-1], int) and tree.tag(pieces[-1]) == "CC":
        pieces = pieces[:-1]
    kept: list[Piece] = []
    for before, piece, after in zip([None, *pieces], pieces, [*pieces[1:], None], strict=False):
        word = _show(tree, piece)
        if isinstance(piece, int) and word in _MARKS:
            position = order[piece]
            sides = ((before, position - 1), (after, position + 1))
            if not all(_parted(order, *side, is_comma=word == ",") for side in sides):
                continue
        kept.append(piece)
    return kept


def _parted(
    order: Mapping[int, int], neighbour: Piece | None, position: int, *, is_comma: bool
) -> bool:
    if isinstance(neighbour, int):
        return order[neighbour] == position
    return neighbour is not None and is_comma


def _without_broken_pairs(tree: Tree, pieces: Sequence[Piece]) -> list[Piece]:
    """Leave out quotation marks and brackets whose partner or content is gone."""
    dropped = {i for i in tree.indices if tree.word(i) in _QUOTES | _BRACKETS}
    for first, last in _pairs(tree):
        if first not in pieces or last not in pieces:
            continue
        enclosed = pieces[pieces.index(first) + 1 : pieces.index(last)]
        if enclosed and all(isinstance(p, str) or first < p < last for p in enclosed):
            dropped -= {first, last}
    return [piece for piece in pieces if piece not in dropped]


def _pairs(tree: Tree) -> list[tuple[int, int]]:
    """Return the quotation marks and brackets of the sentence that belong together."""
    pairs: list[tuple[int, int]] = []
    for opening, closing in _PAIRS:
        waiting: list[int] = []
        for i in tree.indices:
            if waiting and tree.word(i) in closing:
                pairs.append((waiting.pop(), i))
            elif tree.word(i) in opening:
                waiting.append(i)
    return pairs
