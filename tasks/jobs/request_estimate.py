"""Estimate the requests of a run to servers that play roles, by the lengths of its texts."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from qsquared.language.endpoint.prompts import estimated_tokens, load_prompts
from qsquared.profiles.endpoints import EndpointRole
from qsquared.profiles.profile import Profile
from qsquared.tasks.jobs.graph import graph
from qsquared.tasks.stage import Row

_WORDS_A_QUESTION = 4
_SENTENCE = re.compile(r"[.!?](?=\s|$)")


@dataclass
class Estimate:
    """Requests that a run would send, their tokens and price, reckoned beforehand."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    currency: str = "USD"

    def add(self, role: EndpointRole, prompt: str, requests: int, text: str) -> None:
        """Add requests of a role, each with a prompt and a text."""
        asked = load_prompts(role.prompts)[prompt]
        tokens = estimated_tokens(asked.system + asked.user + text), asked.usual_tokens
        self.requests += requests
        self.input_tokens += requests * tokens[0]
        self.output_tokens += requests * tokens[1]
        self.cost += requests * role.endpoint.price(*tokens)
        self.currency = role.endpoint.currency

    def __str__(self) -> str:
        price = f", {self.cost:.2f} {self.currency}" if self.cost else ""
        return (
            f"about {self.requests:,} requests with {self.input_tokens:,} tokens, answered in "
            f"{self.output_tokens:,}{price}"
        )


def estimate(profile: Profile, metrics: Sequence[str], pairs: Iterable[Row]) -> Estimate | None:
    """Return about how much servers would be asked for some pairs, by the lengths of their texts.

    ``None`` where servers play no part, and then no pair is read.
    """
    needed = graph(metrics).roles
    served = {
        name: role
        for name, role in profile.roles.items()
        if isinstance(role, EndpointRole) and name in needed
    }
    if not served:
        return None
    counted = Estimate()
    for pair in pairs:
        reply, knowledge = pair["response"], "\n\n".join(pair["knowledge"])
        questions = len(reply.split()) // _WORDS_A_QUESTION + 1
        sentences = len(_SENTENCE.findall(reply)) or 1
        # Each role's prompts, how often each is asked for a reply, and the text that it reads; equal
        # answers and missing ones need no judge.
        for role, asked in (
            ("question_generation", [("generate", 1, reply * 2)]),
            ("question_answering", [("read", questions, reply), ("read", questions, knowledge)]),
            ("entailment", [("judge", questions // 3, ""), ("judge_claim", sentences, knowledge)]),
            ("consistency", [("judge_claim", 1, knowledge + reply)]),
        ):
            for prompt, times, text in asked if role in served else ():
                counted.add(served[role], prompt, times, text)
    return counted
