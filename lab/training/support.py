"""``python -m lab.training.support``: fit the model of support on the sets to choose by, and show how good it is.

It scores `everyday-dev` and `wow-judged-dev` by Q², chooses the weights of the parts of support
(`method/support.py`) so that both sets count the same, and prints them; then the ROC-AUC beside Q² and
the judge alone, by thirds of word overlap and by kind, what is kept and caught at 0.5, and the
reliability diagram as a table, all on the replies that it was chosen by.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from itertools import product
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from lab.training.claims.balance import overlap
from lab.training.sources.formats import read_jsonl
from qsquared.language.models import build_models
from qsquared.method.roc_auc import roc_auc
from qsquared.method.support import JudgedSentence, Parts, parts, support
from qsquared.profiles.loading import get_profile
from qsquared.tasks.jobs.in_memory import pair_row, run_stages

BINS = 5
GRID = ((0, 0.2, 0.4, 0.6), (0, 0.2, 0.4), (0, 0.5, 1, 2), (0, 0.5, 1, 2, 3))
"""Weights of the parts to choose from; finer ones would fit these replies, not replies."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A labelled reply: whether all that it says is supported, and how it was written."""

    response: str
    knowledge: tuple[str, ...]
    supported: bool
    kind: str = ""

    @property
    def overlap(self) -> float:
        """Share of its words that stand in the knowledge."""
        return overlap(self.response, self.knowledge)


def read_everyday(data: Path) -> Iterator[Reply]:
    """Read hand-written replies as assistants write them."""
    for row in read_jsonl(data / "claims" / "everyday-dev.jsonl"):
        knowledge = row["knowledge"]
        texts = (knowledge,) if isinstance(knowledge, str) else tuple(knowledge)
        yield Reply(row["response"], texts, row["label"] == 1, row["kind"])


def read_judged(data: Path) -> Iterator[Reply]:
    """Read replies on Wizard-of-Wikipedia knowledge that people judged."""
    for row in read_jsonl(data / "more" / "replies" / "wow-judged-dev.jsonl.gz"):
        yield Reply(row["hypothesis"], (row["premise"],), row["label"] == "entailment")


SETS: dict[str, Callable[[Path], Iterator[Reply]]] = {
    "everyday-dev": read_everyday,
    "wow-judged-dev": read_judged,
}


def judged_sentences(replies: Sequence[Reply], profile: str) -> list[list[JudgedSentence]]:
    """Return the judged claims of each reply; a reply that claims nothing has none."""
    pairs = [pair_row(reply.response, reply.knowledge) for reply in replies]
    distinct = {pair["pair_id"]: pair for pair in pairs}
    models = build_models(get_profile(profile), "cpu")
    tables = run_stages(list(distinct.values()), models, "q2")
    of_pair: dict[str, list[JudgedSentence]] = defaultdict(list)
    for row in tables["sentence_scores"]:
        if row["entailment"] is not None:
            of_pair[row["pair_id"]].append(JudgedSentence(row["entailment"], row["q2"]))
    return [of_pair[pair["pair_id"]] for pair in pairs]


def chosen(read: np.ndarray, labels: np.ndarray, sets: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the weights of the parts, and the intercept.

    Of a grid the weights with the greatest sum of both sets' ROC-AUC, since a logistic model of both
    follows the set whose scores are better; then a logistic model of the one weighed sum, in which
    both sets weigh the same.
    """

    def both(weights: tuple[float, ...]) -> float:
        values = read @ np.array(weights)
        return sum(roc_auc(labels[sets == o], values[sets == o]) or 0.0 for o in set(sets))

    best = np.array(max(filter(any, product(*GRID)), key=both))
    shares = np.array([1 / np.sum(sets == own) for own in sets]) * len(sets) / len(set(sets))
    model = LogisticRegression(C=np.inf, max_iter=1000)
    model.fit((read @ best)[:, None], labels, sample_weight=shares)
    return best * float(model.coef_[0, 0]), float(model.intercept_[0])


def show(name: str, replies: Sequence[Reply], values: np.ndarray) -> None:
    """Print how well some values tell supported replies from others."""
    labels = np.array([reply.supported for reply in replies], dtype=float)
    shares = np.array([reply.overlap for reply in replies])
    thirds = np.digitize(shares, np.quantile(shares, [1 / 3, 2 / 3]))
    by_third = [roc_auc(labels[thirds == i], values[thirds == i]) for i in range(3)]
    kept, caught = (values[labels == 1] > 0.5).mean(), (values[labels == 0] <= 0.5).mean()
    print(
        f"{name}: ROC-AUC {roc_auc(labels, values):.3f}, by thirds of overlap "
        f"{', '.join(f'{auc:.3f}' for auc in by_third)}; kept {kept:.2f}, caught {caught:.2f}"
    )


def show_reliability(replies: Sequence[Reply], values: np.ndarray) -> None:
    """Print the share of supported replies in each bin of predicted support."""
    labels = np.array([reply.supported for reply in replies], dtype=float)
    bins = np.minimum((values * BINS).astype(int), BINS - 1)
    for i in sorted(set(bins.tolist())):
        own = bins == i
        print(
            f"  predicted {i / BINS:.1f} to {(i + 1) / BINS:.1f}: {own.sum()} replies, "
            f"mean {values[own].mean():.2f}, supported {labels[own].mean():.2f}"
        )


def main() -> None:
    """Choose, and print the figures."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.training.support", description=main.__doc__
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with the published sets")
    parser.add_argument("--profile", default="compact")
    arguments = parser.parse_args()
    replies: list[Reply] = []
    judged: list[list[JudgedSentence]] = []
    sets: list[str] = []
    for name, read in SETS.items():
        own = list(read(arguments.data))
        for reply, sentences in zip(own, judged_sentences(own, arguments.profile), strict=True):
            if sentences:
                replies.append(reply)
                judged.append(sentences)
                sets.append(name)
    of = np.array(sets)
    features = np.array([astuple(parts(sentences)) for sentences in judged])
    labels = np.array([reply.supported for reply in replies])
    weights, intercept = chosen(features, labels, of)
    found = 1 / (1 + np.exp(-(features @ weights + intercept)))
    print("INTERCEPT", round(intercept, 3))
    for field, weight in zip(fields(Parts), weights, strict=True):
        print(field.name.upper(), round(float(weight), 3))
    for name in SETS:
        places = np.flatnonzero(of == name)
        some = [replies[i] for i in places]
        print(f"{name}, {len(some)} replies")
        show("  support, as found", some, found[places])
        show("  support, as shipped", some, np.array([support(judged[i]) for i in places]))
        for field, column in zip(fields(Parts), features.T, strict=True):
            show(f"  {field.name}", some, column[places])
        show_reliability(some, found[places])
        for kind in sorted({reply.kind for reply in some} - {""}):
            own_kind = [i for i, reply in zip(places, some, strict=True) if reply.kind == kind]
            told = {replies[i].supported for i in own_kind}
            print(f"    {kind} ({told}): mean support {found[own_kind].mean():.2f}")


if __name__ == "__main__":
    main()
