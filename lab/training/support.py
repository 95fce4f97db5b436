"""``python -m lab.training.support``: fit the model of support on the sets to choose by, and show how good it is.

It scores `everyday-dev`, `wow-judged-dev`, a sample of `summedits-dev`, claims of passages kept apart that
are put together to replies of several sentences, and written replies to whole articles, by Q², and chooses
the weights of the parts of support (`method/support.py`) so that each set counts the same.
It prints them; then for each set the ROC-AUC beside that of the parts, by thirds of word overlap, and
what is kept and caught at 0.5, of the replies of a fold by weights fitted to the others; last by kind.
Written replies to a sentence or two are shown besides, to which nothing is fitted.
Last comes how far predicted support is what turns out, of replies and of sentences, also as a diagram.
"""

import argparse
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import astuple, fields
from pathlib import Path

import numpy as np
from jinja2 import Template
from scipy.optimize import minimize
from sklearn.model_selection import StratifiedKFold

from lab.training.reply_sets import SEED, SETS, UNFITTED, Reply
from qsquared.language.models import build_models
from qsquared.method.rates.calibration import Bin
from qsquared.method.roc_auc import roc_auc
from qsquared.method.support import (
    JudgedSentence,
    Parts,
    number_of_words,
    parts,
    share_of_many,
    support,
    support_of_each,
)
from qsquared.profiles.loading import get_profile
from qsquared.tasks.jobs.in_memory import pair_row, run_stages
from qsquared.tasks.q2.score_sentences import judged_sentences

FOLDS = 5
EDGES = (0.2, 0.4, 0.6, 0.8)
_PENALTY = 1.0
"""Of squared weights, whose parts are scaled to a standard deviation of 1."""


def sentences_of_replies(replies: Sequence[Reply], profile: str) -> list[list[JudgedSentence]]:
    """Return the judged claims of each reply; a reply that claims nothing has none."""
    pairs = [pair_row(reply.response, reply.knowledge) for reply in replies]
    distinct = {pair["pair_id"]: pair for pair in pairs}
    models = build_models(get_profile(profile), "cpu")
    tables = run_stages(list(distinct.values()), models, "q2")
    judged = judged_sentences(tables["sentence_entailment"], tables["spans"], tables["comparisons"])
    of_pair: dict[str, list[JudgedSentence]] = defaultdict(list)
    for (pair_id, _), sentence in judged.items():
        of_pair[pair_id].append(sentence)
    return [of_pair[pair["pair_id"]] for pair in pairs]


def design(read: np.ndarray, many: np.ndarray) -> np.ndarray:
    """Return the columns of the model: all parts but the last and 1, beside few and beside many words of knowledge.

    The last part counts the same beside any number of words.

    Args:
        read: replies by parts.
        many: of each reply, how far its knowledge is on the way from few to many words, 0 to 1.
    """
    own = np.hstack([read[:, :-1], np.ones((len(read), 1))])
    return np.hstack([own * (1 - many)[:, None], own * many[:, None], read[:, -1:]])


def fitted(columns: np.ndarray, labels: np.ndarray, sets: np.ndarray) -> np.ndarray:
    """Return the weights of a logistic model, none below 0 but the intercepts.

    Each set counts the same, however many replies it has.

    Args:
        columns: replies by the columns of `design`.
        labels: whether each is supported.
        sets: the set that each is of.
    """
    half = columns.shape[1] // 2
    free = np.isin(np.arange(columns.shape[1]), (half - 1, 2 * half - 1))
    scale = np.where(free, 1.0, columns.std(axis=0))
    scaled = columns / scale
    signs = np.where(labels, 1.0, -1.0)
    shares = np.array([1 / np.sum(sets == own) for own in sets]) * len(sets) / len(set(sets))

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        margins = signs * (scaled @ weights)
        held = np.where(free, 0.0, weights)
        slope = scaled.T @ (-shares * signs / (1 + np.exp(margins)))
        total = (shares * np.logaddexp(0, -margins)).sum() + _PENALTY * (held**2).sum()
        return float(total), slope + 2 * _PENALTY * held

    bounds = [(None, None) if one else (0.0, None) for one in free]
    start = np.full(columns.shape[1], 0.1)
    found = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B")
    weights: np.ndarray = found.x / scale
    return weights


def predicted(columns: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the probability of support of each reply."""
    odds: np.ndarray = 1 / (1 + np.exp(-(columns @ weights)))
    return odds


def kept_apart(columns: np.ndarray, labels: np.ndarray, sets: np.ndarray) -> np.ndarray:
    """Return each reply's probability by weights that were fitted to the other folds."""
    found = np.zeros(len(labels))
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    strata = [f"{own} {label}" for own, label in zip(sets, labels, strict=True)]
    for train, test in folds.split(columns, strata):
        weights = fitted(columns[train], labels[train], sets[train])
        found[test] = predicted(columns[test], weights)
    return found


def sentence_outcomes(
    replies: Sequence[Reply],
    judged: Sequence[Sequence[JudgedSentence]],
    words: Sequence[int],
    weighting: str,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the predicted support of each sentence whose label is known, and whether it is supported.

    A reply with another number of claims than sentences is left out if it has a wrong one.
    """
    predictions: list[float] = []
    outcomes: list[float] = []
    for reply, claims, number in zip(replies, judged, words, strict=True):
        if reply.wrong is None or (reply.wrong and len(claims) != reply.sentences):
            continue
        predictions += support_of_each(claims, number, weighting)
        outcomes += [float(place not in reply.wrong) for place in range(len(claims))]
    return np.array(predictions), np.array(outcomes)


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


def reliability(predicted: np.ndarray, supported: np.ndarray) -> list[Bin]:
    """Return the bins of some predictions, those without any left out.

    Args:
        predicted: probabilities of support.
        supported: 1 for what is supported, else 0.
    """
    places = np.digitize(predicted, EDGES)
    within = (places == each for each in range(len(EDGES) + 1))
    return [
        Bin(float(predicted[own].mean()), float(supported[own].mean()), int(own.sum()))
        for own in within
        if own.any()
    ]


def in_words(bins: Sequence[Bin]) -> str:
    """Return one line for people."""
    return ", ".join(f"{b.chance:.2f} → {b.share:.2f} ({b.labels})" for b in bins)


def diagram(panels: Mapping[str, Sequence[Bin]]) -> str:
    """Draw a reliability diagram as SVG, one square for each panel; a dot's area is the number of its bin."""
    template = Path(__file__).with_suffix(".svg.j2").read_text(encoding="utf-8")
    return str(Template(template, keep_trailing_newline=True).render(panels=panels))


def main() -> None:
    """Choose, and print the figures."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.training.support", description=main.__doc__
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with the published sets")
    parser.add_argument("--profile", default="compact")
    parser.add_argument("--diagram", type=Path, help="file for the reliability diagram, as SVG")
    arguments = parser.parse_args()
    named = [(name, reply) for name, read in SETS.items() for reply in read(arguments.data)]
    every = sentences_of_replies([reply for _, reply in named], arguments.profile)
    claiming = [i for i, sentences in enumerate(every) if sentences]
    of = np.array([named[i][0] for i in claiming])
    replies, judged = [named[i][1] for i in claiming], [every[i] for i in claiming]
    words = [number_of_words(reply.knowledge) for reply in replies]
    features = np.array([astuple(parts(sentences)) for sentences in judged])
    labels = np.array([reply.supported for reply in replies])
    columns = design(features, np.array([share_of_many(number) for number in words]))
    names = [field.name for field in fields(Parts)]
    fit = of != UNFITTED
    weights = fitted(columns[fit], labels[fit], of[fit])
    for title, half in zip(("few", "many"), np.split(weights[:-1], 2), strict=True):
        told = zip((*names[:-1], "intercept"), half, strict=True)
        print(f"{title}: {', '.join(f'{name} {weight:.3f}' for name, weight in told)}")
    print(f"{names[-1]} {weights[-1]:.3f}")
    apart = predicted(columns, weights)
    apart[fit] = kept_apart(columns[fit], labels[fit], of[fit])
    weighting = get_profile(arguments.profile).support
    shipped = np.array(
        [support(s, number, weighting) for s, number in zip(judged, words, strict=True)]
    )
    for name in SETS:
        places = np.flatnonzero(of == name)
        some = [replies[i] for i in places]
        print(f"{name}, {len(some)} replies")
        show("  support, kept apart", some, apart[places])
        show("  support, as shipped", some, shipped[places])
        for field, column in zip(fields(Parts), features.T, strict=True):
            show(f"  {field.name}", some, column[places])
        for kind in sorted({reply.kind for reply in some} - {""}):
            own = [i for i in places if replies[i].kind == kind]
            true, false = ([i for i in own if replies[i].supported == one] for one in (True, False))
            print(
                f"    {kind}: {(apart[true] > 0.5).sum()} of {len(true)} supported ones kept, "
                f"{(apart[false] <= 0.5).sum()} of {len(false)} others caught"
            )
    of_sentences = sentence_outcomes(replies, judged, words, weighting)
    panels = {
        "replies": reliability(apart, labels.astype(float)),
        "their sentences": reliability(*of_sentences),
    }
    for title, bins in panels.items():
        print(f"predicted → supported, {title}: {in_words(bins)}")
    if arguments.diagram:
        named_panels = {f"{arguments.profile}, {title}": bins for title, bins in panels.items()}
        arguments.diagram.write_text(diagram(named_panels), encoding="utf-8")


if __name__ == "__main__":
    main()
