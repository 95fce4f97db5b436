"""Reasons why records of an unknown log are not read: titles in place of texts, several replies, words as replies."""

import re
from collections.abc import Mapping, Sequence

from qsquared.storage.logs.surveys.columns.described import NO_KNOWLEDGE
from qsquared.storage.logs.surveys.columns.values import Column, Shared, share_of

_TITLE = re.compile(r"[A-Z][^.!?]* [^.!?]*\Z")
"""Several words with a capital letter, and no sentence."""
_HALF, _LEAST_LIFT = 0.5, 0.2


def reason_unread(made: Mapping[str, Column], replies: Sequence[Column], shared: Shared) -> str:
    """Return the reason why records are not read, empty if they are none; with replies it is the lack of knowledge."""
    alone = _titles_alone(made) if replies else _several_replies(made, shared)
    return _words_alone(made, replies) or alone or (NO_KNOWLEDGE if replies else "")


def _titles_alone(made: Mapping[str, Column]) -> str:
    """Return that lists of a log hold titles and no texts; empty if they do not."""
    listed = [one for one in made.values() if "[]" in one.path and not one.has_sentences]
    titles = [one.path for one in listed if one.share(_TITLE.match) > _HALF]
    return f"No field holds the texts of the articles, only titles ({titles[0]})." if titles else ""


def _several_replies(made: Mapping[str, Column], shared: Shared) -> str:
    """Return that each row has a list of replies; empty if no list rests on another text, more than that on it."""
    known = [one for one in made.values() if one.is_known(1) and len(one.values) > 1]
    listed = [one for one in known if not one.is_single]
    for one, other in ((one, other) for one in listed for other in known if one is not other):
        back = shared.beyond(other.texts, one.texts)
        if shared.beyond(one.texts, other.texts) >= max(_LEAST_LIFT, back):
            return f"A row holds several replies ({one.path}); write a row for each."
    return ""


def _words_alone(made: Mapping[str, Column], replies: Sequence[Column]) -> str:
    """Return that words which stand in the only texts of their rows could be replies; empty if there are none."""
    told = [one for one in made.values() if one.is_prose and one.ends >= _HALF and one.asks < _HALF]
    for one in made.values():
        for other in told if one.is_single and not one.is_prose and not one.is_constant else ():
            stand = [a.lower() in b.lower() for a, b in one.paired(other) if a.isalpha()]
            alone = all(reply is other for reply in replies)
            if alone and len(stand) >= _HALF * len(one.values) and share_of(stand) > _HALF:
                return (
                    f"Only words ({one.path}) could be replies that rest on {other.path}; "
                    "name both with --map if they are."
                )
    return ""
