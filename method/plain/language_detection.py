"""The language of a reply: English, or another one, in which nothing of the method can read it.

An English reply without a score is worse than a reply in another language with one, so names, lists of names
and texts of one or two words count as English.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from qsquared.method.plain.sentence_kinds import share_of_known

_LANGUAGES = (
    "ca", "cs", "da", "de", "en", "es", "et", "fi", "fr", "hr", "hu", "id", "it", "lt", "lv", "nl",
    "no", "pl", "pt", "ro", "sk", "sl", "sq", "sv", "sw", "tl", "tr", "vi",
)  # fmt: skip
"""Languages in Latin letters that assistants answer in.

The identifier knows 140, among which Nigerian Pidgin takes English texts, and Luxembourgish takes names.
"""
_KNOWN = 0.8
"""The share of known words from which on a text is in English for sure."""
_OF_ENGLISH = 0.1
"""The same of the words that only English has."""
_ENGLISH = 0.05
"""The probability of English above which a text is taken for English."""
_LIKELY, _VERY_LIKELY = 0.5, 0.75
"""The probability of two other languages together from which on a sentence is in one of them, as Danish or Norwegian;
and the same of a text without a full stop that has few words, or may be names because most have a capital."""
_FEW, _FEWEST_WORDS, _FEWEST_BYTES = 3, 3, 8
"""A text of few words; the fewest words, and the fewest bytes of letters of another script (three characters of
Chinese, four of Greek) by which a language is told."""
_COMMAS = 0.2
"""The commas for each word from which on a text without a full stop is a list."""
_ENDS = (".", "!", "?")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_QUOTED = re.compile(r'"[^"]*(?:"|$)|“[^”]*(?:”|$)|„[^“”]*(?:[“”]|$)|«[^»]*(?:»|$)')
_ADDRESS = re.compile(r"(?<!\S)\S*(?:://|@)\S*")
_ONLY_ENGLISH = frozenset({
    "the", "and", "you", "your", "are", "with", "from", "this", "that", "these", "which", "has",
    "have", "they", "their", "it's", "isn't",
})  # fmt: skip
_IN_NAMES = frozenset({
    "al", "bin", "da", "das", "de", "del", "della", "den", "der", "des", "di", "do", "dos", "du",
    "e", "el", "i", "la", "las", "le", "los", "ten", "ter", "van", "von", "y", "zu",
})  # fmt: skip
"""Words in lower case that stand in names of people and places."""
_OTHER_LETTERS = re.compile(
    "[\u0370-\u1cff\u1f00-\u1fff\u2e80-\ud7ff\uf900-\ufaff\ufb1d-\ufdff\ufe70-\ufefc\uff66-\uffdc"
    "\U00020000-\U0003ffff]"
)
"""Characters of scripts other than the Latin one: Greek, Cyrillic, Arabic, Chinese and the rest."""


def chance_of_other_language(sentences: Sequence[str]) -> float:
    """Return the probability that a reply is in another language than English; 0 where that is not sure.

    A reply of several sentences is in another language if they hold more than half of its characters.

    Args:
        sentences: their text in order; what stands in quotation marks is left aside.
    """
    text = " ".join(sentences)
    if _in_other_letters(text):
        return 1.0
    if _known(_words(text)):
        return 0.0
    whole = _chance(text)
    if len(sentences) < 2:
        return whole
    chances = [
        _chance(one) or (0.0 if _surely_english(_words(one)) else whole) for one in sentences
    ]
    foreign = sum(len(one) for one, chance in zip(sentences, chances, strict=True) if chance)
    return max(chances) if 2 * foreign > sum(map(len, sentences)) else 0.0


@cache
def _identifier() -> Any:
    # Half a second and 100 MB, which logs in English do without.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    found = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    found.set_languages(_LANGUAGES)
    return found


def _chance(text: str) -> float:
    """Return the probability that a text is in another language; 0 where that is not sure."""
    if _in_other_letters(text):
        return 1.0
    text = _ADDRESS.sub(" ", text)
    unquoted = _QUOTED.sub(" ", text)
    # 'The sign says "…"' is English, whatever the sign says.
    text = (unquoted if _WORD.search(unquoted) else text).strip()
    words = _words(text)
    if len(_WORD.findall(text)) < _FEWEST_WORDS or _surely_english(words) or _lists(text, words):
        return 0.0
    chances = dict(_identifier().rank(text))
    english = chances.pop("en")
    first, second, *_ = chances.values()
    prose = len(words) > _FEW and 2 * len(_in_lower_case(words)) >= len(words)
    likely = first + second >= (_LIKELY if prose or text.endswith(_ENDS) else _VERY_LIKELY)
    return 1.0 - english if likely and english <= _ENGLISH else 0.0


def _in_other_letters(text: str) -> bool:
    """Whether most letters of a text are of another script."""
    if text.isascii():
        return False
    other = [letter for letter in _OTHER_LETTERS.findall(text) if letter.isalpha()]
    size = sum(len(letter.encode()) for letter in other)
    return size >= _FEWEST_BYTES and 2 * len(other) > sum(map(str.isalpha, text))


def _words(text: str) -> list[str]:
    """Return the words of a text, without those in lower case that stand in names."""
    text = text.lower() if text.isupper() else text
    return [word for word in _WORD.findall(text) if word.lower() not in _IN_NAMES]


def _in_lower_case(words: list[str]) -> list[str]:
    return [word for word in words if word[0].islower()]


def _known(words: list[str]) -> bool:
    """Whether nearly all words that are no names are known."""
    return share_of_known(_in_lower_case(words)) >= _KNOWN


def _surely_english(words: list[str]) -> bool:
    """Whether words are known ones, or some are such as only English has."""
    only = sum(word.lower() in _ONLY_ENGLISH for word in words)
    return only > _OF_ENGLISH * len(words) or _known(words)


def _lists(text: str, words: list[str]) -> bool:
    """Whether a text is a list of a few names or things, such as "Döner, lahmacun, börek"."""
    commas = text.count(",")
    return commas > 1 and commas >= _COMMAS * len(words) and not text.endswith(_ENDS)
