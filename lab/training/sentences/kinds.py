"""Kinds of sentences as the network tells them; a sentence is left out only where it surely claims nothing."""

from dataclasses import dataclass

from lab.training.sentences.bounds import bounds_of_claim
from lab.training.sentences.network import Network, tokens
from qsquared.method.plain.kinds import CLAIM, KINDS

LEARNED = tuple(kind for kind in KINDS if kind != "symbols")
"""The kinds that the network tells apart; a rule finds symbols."""
SURE = 0.95
"""The probability of no claim above which a sentence is left out."""
_RATHER = 0.5
_WORDS_OF_CLAUSE = 5
"""Tokens of what stands behind a lead-in, from which on it is looked at by itself."""


@dataclass(frozen=True, slots=True)
class LearnedKind:
    """The kind of a sentence, how sure it is, and the bounds of its claim.

    ``certainty`` is the probability, 0 to 1, that the sentence claims something where it is a claim,
    and that it claims nothing elsewhere.
    The claim begins behind a lead-in and ends before an attribution.
    """

    name: str
    certainty: float
    start: int
    end: int


def kind_of(network: Network, text: str) -> LearnedKind:
    """Return the kind of a sentence, whose spaces are single."""
    found = list(tokens(text))
    if not found:
        return LearnedKind(CLAIM, 1.0, 0, len(text))
    judged = network.judge([token.group() for token in found])
    start, end = bounds_of_claim(text, found, judged.tags)
    claims = judged.kinds[CLAIM]
    if 1 - claims > SURE and end - start < len(text):
        # "I can't see your account, but the fee is 5 euros.": what is behind the lead-in counts.
        behind = _claims(network, text[start:end])
        claims = behind if behind > _RATHER else claims
    if 1 - claims > SURE:
        name = max((kind for kind in judged.kinds if kind != CLAIM), key=judged.kinds.__getitem__)
        return LearnedKind(name, round(1 - claims, 4), 0, len(text))
    return LearnedKind(CLAIM, round(claims, 4), start, end)


def _claims(network: Network, text: str) -> float:
    """Return the probability that the words behind a lead-in claim something; 0 for a few words."""
    words = [token.group() for token in tokens(text)]
    return network.judge(words).kinds[CLAIM] if len(words) >= _WORDS_OF_CLAUSE else 0.0
