"""Generic replies from a phrase grammar, in place of low-temperature generation (BEGIN, section 4).

The paper samples generic replies from a language model at a low temperature, which gives phrases that
fit anything.
Where no generator is at hand, a small phrase grammar gives them: agreement, ignorance, feeling, a
question back, an echo of a word of the turn before.
"""

import random
import re

_YES = (
    "yes", "yeah", "yep", "oh yes", "right", "sure", "of course", "i agree", "true", "no", "oh no",
    "haha", "oh wow", "wow", "cool", "i know", "i see", "hmm", "well", "exactly", "oh", "ok",
)  # fmt: skip
_DEGREE = ("really ", "so ", "pretty ", "very ", "quite ", "")
_QUALITY = (
    "interesting", "cool", "great", "good", "fun", "amazing", "nice", "hard", "popular",
    "awesome", "funny", "true", "crazy", "different", "beautiful", "difficult", "a good idea",
    "a lot of fun", "a great thing",
)  # fmt: skip
_IGNORANCE = (
    "i'm not sure", "i don't know", "i am not sure about that", "i don't know much about it",
    "i have no idea", "i never thought about that", "i'm not sure what you mean", "i can't remember",
    "i don't know the answer", "that i do not know", "i haven't heard of it", "not that i know of",
    "i am not too familiar with it",
)  # fmt: skip
_FEELING = (
    "i love it", "i like it a lot", "i really enjoy it", "i would love to try it", "i love that",
    "i have always wanted to", "i've never tried it", "i have never been there", "me too",
    "i am a big fan", "it is my favorite", "i do too", "i think so too", "i used to do that",
    "i've heard of it", "i think it depends on the person", "i wish i could", "i would like that",
    "i love to do that too", "i can imagine", "i think they are {degree}{quality}",
    "i think it is {degree}{quality}",
)  # fmt: skip
_REMARK = (
    "that is {degree}{quality}", "it is {degree}{quality}", "it's {degree}{quality}",
    "that sounds {degree}{quality}", "they are {degree}{quality}",
    "that must be {degree}{quality}", "there are many of them", "it is one of the best",
    "there are a lot of different kinds", "many people like it", "it has been around for a long time",
    "it is one of the most popular", "it depends on what you like", "lots of people do that",
)  # fmt: skip
_QUESTION = (
    "do you like it?", "what do you think?", "have you ever tried it?", "how about you?",
    "do you know anything about it?", "what is your favorite?", "have you been there?", "really?",
    "what else do you like?", "do you do that too?", "what kind do you like?", "why is that?",
    "have you ever been?", "what do you mean?", "do you know more about that?",
)  # fmt: skip
_ECHO = (
    "i love {word}", "i like {word} too", "do you like {word}?", "{word} is {degree}{quality}",
    "i don't know much about {word}", "do you know a lot about {word}?", "i think {word} is {quality}",
    "i've heard about {word}", "i'm not sure about {word}", "what do you like about {word}?",
)  # fmt: skip
_WORD = re.compile(r"[A-Za-z]{5,}")
_EMPTY = frozenset([
    "about", "there", "their", "which", "would", "could", "should", "other", "know", "think",
    "really", "where", "because", "these", "those", "never", "always", "interesting",
    "anything", "curious", "people", "first", "while", "being", "after", "before", "doing",
    "going", "years", "until", "within", "under", "called", "known", "named", "during", "tell",
    "more",
])  # fmt: skip


def generic_reply(previous: str, rng: random.Random) -> str:
    """Return a reply that fits almost any turn; a word of the turn before may come back in it."""
    parts = []
    if rng.random() < 0.5:
        parts.append(rng.choice(_YES))
    words = [w.lower() for w in _WORD.findall(previous) if w.lower() not in _EMPTY]
    kinds = [_IGNORANCE, _FEELING, _FEELING, _REMARK, _REMARK, _QUESTION]
    kinds += [_ECHO, _ECHO] if words else []
    for _ in range(1 if rng.random() < 0.55 else 2):
        phrase = rng.choice(rng.choice(kinds))
        parts.append(
            phrase.format(
                degree=rng.choice(_DEGREE),
                quality=rng.choice(_QUALITY),
                word=rng.choice(words) if words else "it",
            )
        )
    text = parts[0]
    for part in parts[1:]:
        joint = (
            ". " if text.endswith(("?", "!")) else rng.choice((", ", ", ", ". ", "! ", ", but "))
        )
        text = f"{text.rstrip('?!') if joint == '. ' and rng.random() < 0.2 else text}{joint}{part}"
    return _as_typed(re.sub(r"([?!])\.", r"\1", text), rng)


def _as_typed(text: str, rng: random.Random) -> str:
    if not text.endswith("?") and rng.random() < 0.6:
        text += rng.choice((".", ".", "!"))
    if rng.random() < 0.5:
        text = re.sub(r"(^|[.!?] )([a-z])", lambda m: m.group(1) + m.group(2).upper(), text)
        text = re.sub(r"\bi\b", "I", text)
    if rng.random() < 0.25:
        text = re.sub(r"([.,!?])", r" \1", text)
    return text
