"""Examples of inference from hand-written claims, in the form in which the judge is asked."""

from collections.abc import Iterator

from lab.training.claims.balance import Drawn, balanced
from lab.training.claims.passages import KEPT_APART, read_passages
from lab.training.sources.inference import Inference
from qsquared.method.evidence import VIEWS, evidence


def claim_pairs(seed: int) -> Iterator[Inference]:
    """Pair balanced claims with what their passages say of them.

    Nothing comes of the writer who is kept apart.
    """
    rows = [Drawn(passage, claim) for passage in read_passages() for claim in passage.claims]
    own = [row for row in rows if row.passage.source != KEPT_APART]
    for row in balanced(own, seed):
        premise = evidence(row.claim.text, row.passage.knowledge, VIEWS[-1])
        yield Inference(row.passage.group, premise, row.claim.text, row.claim.label)
