"""Examples that are made anew in each epoch: talk joined to talk or to claims, and lead-ins before claims."""

# ruff: noqa: RUF001  # marks that people write

import random
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass

from lab.training.sentences.corpus import FOLDER, Labelled, grammar, lead_ins, names
from qsquared.method.plain.sentence_kinds import BEHIND, CLAIM, INSIDE, KINDS, LEAD_IN
from qsquared.method.plain.sentence_network import tokens

_CHOICE = re.compile(r"\[(?P<words>[^\[\]{}]*)\]|\{(?P<slot>\w+)\}")
"""Alternatives without any within them, or a slot."""
_SPACE_BEFORE = re.compile(r" ([.,!?:;])")
_OFTEN, _FREQUENT = 0.25, 50
"""The share of sentences for which one of the first so many lead-ins is drawn."""
_OPENINGS = ("none", "opening")
"""Parts of `lead_ins.tsv` that begin a claim and belong to it; the second are templates."""
_POLITE = ("acknowledgement", "thanks", "apology", "greeting")
_JOINED = (*_POLITE, "offer", "refusal", "sign_off")
_WORDS: dict[str, list[str]] = tomllib.loads((FOLDER / "words.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Tagged:
    """A sentence with a tag for each of its tokens."""

    text: str
    tags: tuple[int, ...]


class Maker:
    """Make examples from labelled sentences, lead-ins and names."""

    def __init__(self, rows: Sequence[Labelled], seed: int) -> None:
        """Take the sentences that examples are made of; ``seed`` is that of all draws."""
        self._drawn = random.Random(seed)
        self._parts, self._names = lead_ins(), names()
        self._slots, self._templates = grammar()
        led = tuple(f"{lead.lower()} " for lead in self._parts["lead"])
        self._claims = [
            row.text
            for row in rows
            if row.kind == CLAIM
            and 3 < len(row.text.split()) < 40
            and not row.text.lower().startswith(led)
        ]
        self._short = {
            kind: [row.text for row in rows if row.kind == kind and 2 < len(row.text.split()) < 14]
            for kind in _JOINED
        }

    def templates(self, number: int) -> list[Labelled]:
        """Return sentences of the grammar."""
        drawn = [self._drawn.choice(self._templates) for _ in range(number)]
        return [Labelled(kind, self.filled(text), "made", 0.5) for kind, text in drawn]

    def talk(self, number: int) -> list[Labelled]:
        """Return two sentences of talk in one, of the weightier kind."""
        made: list[Labelled] = []
        while len(made) < number:
            one, other = self._drawn.choice(_JOINED), self._drawn.choice(_JOINED)
            first, second = self._talk(one), self._drawn.choice(self._short[other])
            if not second.endswith("?"):
                link = self._drawn.choice((", and ", ", and ", ", but ", ", so ", " – ", ", "))
                kind = min(one, other, key=KINDS.index)
                made.append(Labelled(kind, f"{first}{link}{lowered(second)}", "made", 1.0))
        return made

    def mixed(self, number: int) -> list[Labelled]:
        """Return claims behind polite words."""
        made: list[Labelled] = []
        for _ in range(number):
            link = self._drawn.choice((", ", ": ", " – ", ", but ", ", and "))
            text = f"{self._talk(self._drawn.choice(_POLITE))}{link}{lowered(self._drawn.choice(self._claims))}"
            made.append(Labelled(CLAIM, text, "made", 1.0))
        return made

    def led(self, number: int) -> list[Labelled]:
        """Return claims behind lead-ins: what a bot does not know, or where it read them, leaves a claim one."""
        return [Labelled(CLAIM, self._led().text, "made", 1.0) for _ in range(number)]

    def tagged(self, number: int) -> list[Tagged]:
        """Return claims with lead-ins, names or nothing around them, and with words that belong to them."""
        makes = (
            *[self._led] * 4, *[self._addressed] * 2, self._plain, *[self._opened] * 2, self._ended,
            self._about,
        )  # fmt: skip
        return [self._drawn.choice(makes)() for _ in range(number)]

    def filled(self, text: str, *, capital: bool = True) -> str:
        """Draw the alternatives and the words of all slots of a template."""
        while found := _CHOICE.search(text):
            name = found["slot"]
            listed = self._slots.get(name.lower(), self._names) if name else None
            word = self._drawn.choice(listed or found["words"].split("|"))
            word = word[:1].upper() + word[1:] if name and name[0].isupper() else word
            text = f"{text[: found.start()]}{word}{text[found.end() :]}"
        text = _SPACE_BEFORE.sub(r"\1", " ".join(text.split()))
        return text[:1].upper() + text[1:] if capital else text

    def _talk(self, kind: str) -> str:
        return self._drawn.choice(self._short[kind]).rstrip(".!…:?, ")

    def _person(self) -> str:
        if self._drawn.random() < 0.2:
            return (
                f"{self._drawn.choice(_WORDS['titles'])} {self._drawn.choice(_WORDS['surnames'])}"
            )
        return self._drawn.choice(self._names)

    def _claim(self) -> str:
        return self._drawn.choice(self._claims)

    def _led(self) -> Tagged:
        lead = self._named(self._lead())
        if self._drawn.random() < 0.15:
            lead = f"{lead} {lowered(self._drawn.choice(self._parts['lead']))}"
        claim = self._claim()
        if lead.startswith("Did you know") and self._drawn.random() < 0.8:
            claim = claim.rstrip(".!") + "?"
        quoted = lead.endswith(":") and self._drawn.random() < 0.2
        claim = f'"{claim}"' if quoted else claim if self._drawn.random() < 0.2 else lowered(claim)
        tailed = self._drawn.random() < 0.1
        return self._with_tail(f"{lead} ", claim) if tailed else tag(f"{lead} ", claim, "")

    def _lead(self) -> str:
        """Draw a lead-in; the first ones of the list are the most frequent in replies."""
        if self._drawn.random() < _OFTEN:
            return self.filled(self._drawn.choice(self._parts["cited"]))
        few = self._drawn.random() < _OFTEN
        return self._drawn.choice(self._parts["lead"][: _FREQUENT if few else None])

    def _named(self, lead: str) -> str:
        for name in ("Maria", "Tom", "Anna", "Sam"):
            lead = lead.replace(name, self._person())
        return lead

    def _addressed(self) -> Tagged:
        if self._drawn.random() < 0.4:
            claim = self._claim().rstrip(".!")
            whom = self._drawn.choice((self._person(), self._person(), *_WORDS["people"]))
            return tag("", claim, f", {whom}.")
        mark = self._drawn.choice((", ", ", ", " – ", "! "))
        return tag(f"{self._person()}{mark}", lowered(self._claim()), "")

    def _with_tail(self, lead: str, claim: str) -> Tagged:
        return tag(lead, claim.rstrip('.!"'), self._drawn.choice(self._parts["tail"]))

    def _plain(self) -> Tagged:
        tailed = self._drawn.random() < 0.4
        return self._with_tail("", self._claim()) if tailed else tag("", self._claim(), "")

    def _opened(self) -> Tagged:
        """Draw a claim behind words that belong to it: "In Texas," says where."""
        opening = self.filled(self._drawn.choice(self._parts[self._drawn.choice(_OPENINGS)]))
        return tag("", f"{opening} {lowered(self._claim())}", "")

    def _ended(self) -> Tagged:
        """Draw a claim before words that belong to it: ", Texas" says where."""
        link = self._drawn.choice((", ", ", ", ", ", " – "))
        kept = self.filled(self._drawn.choice(self._parts["kept"]), capital=False)
        return tag("", f"{self._claim().rstrip('.!')}{link}{kept}.", "")

    def _about(self) -> Tagged:
        names, places = self._names, self._slots["place"]
        whom = self._drawn.choice((self._drawn.choice(names), self._drawn.choice(places)))
        if self._drawn.random() < 0.3:
            # "Paris, Rome, and Oslo have many parks."
            more = self._drawn.sample((*places, *names), self._drawn.randint(1, 3))
            listed = ", ".join((whom, *more[:-1]))
            comma, do = self._drawn.choice((",", "")), self._drawn.choice(_WORDS["do"])
            return tag("", f"{listed}{comma} and {more[-1]} {do}", "")
        about, did = self._drawn.choice(_WORDS["about"]), self._drawn.choice(_WORDS["did"])
        return tag("", f"{whom}, {about}, {did}", "")


def lowered(text: str) -> str:
    """Begin with a small letter where the first word is one of those that may."""
    return (
        text[0].lower() + text[1:] if text.split(" ", 1)[0].strip(",") in _WORDS["small"] else text
    )


def tag(lead: str, claim: str, tail: str) -> Tagged:
    """Tag the tokens of words before a claim, of the claim, and of words behind it."""
    text = f"{lead}{claim}{tail}"
    end = len(lead) + len(claim)
    tags = tuple(
        LEAD_IN if token.start() < len(lead) else BEHIND if token.start() >= end else INSIDE
        for token in tokens(text)
    )
    return Tagged(text, tags)
