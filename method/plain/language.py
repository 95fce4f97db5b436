"""The language of a reply, by py3langid (Lui and Baldwin 2012)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

SURE = 0.6
"""The probability of another language from which on a reply is taken for one in it."""
_BYTES = 24
"""A text whose letters have fewer bytes in UTF-8 may be a name, and is in no language for sure."""


@cache
def _identifier() -> LanguageIdentifier:
    # Half a second and 100 MB, which logs in English do without.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def chance_of_other_language(text: str) -> float:
    """Return the probability of the likeliest language, 0 to 1; 0 where that is English or none is sure."""
    if len("".join(filter(str.isalpha, text)).encode()) < _BYTES:
        return 0.0
    language, chance = _identifier().classify(text)
    return chance if language != "en" and chance >= SURE else 0.0
