"""``python -m lab.training.choose_evidence``: compare ways to judge a summary beside a long document.

The summaries of ``more/summaries/summedits-dev`` (Laban et al. 2023) are for choosing only: nothing is
trained on them, and no figure of the project is measured on them.
A way gives for each sentence of a summary the texts that it is judged beside; the most entailing one
counts, as in SummaC (Laban et al. 2022) and MiniCheck (Tang et al. 2024), and the sentences are combined
by their mean or by the least of them.
"""

import argparse
import random
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from statistics import fmean

import numpy as np

from lab.training.sources.formats import read_jsonl
from qsquared.evaluation.statistics import Array, Figure, bootstrap
from qsquared.language.judging.nli import NliJudge
from qsquared.language.long_texts import pack_sentences
from qsquared.method.evidence import evidence
from qsquared.method.plain.sentences import sentences
from qsquared.method.roc_auc import roc_auc
from qsquared.profiles.loading import get_profile
from qsquared.records import InferenceRequest

CHUNK_WORDS = 110
"""Words of a chunk of the document, which leaves the rest of the judge's window to the summary."""
COMBINED: Mapping[str, Callable[[Sequence[float]], float]] = {"mean": fmean, "least": min}


def split(text: str) -> list[str]:
    """Return the sentences of a text; a text without any is one."""
    return [text[a:b] for a, b in sentences(text)] or [text]


def chunks(document: str, words: int = CHUNK_WORDS) -> tuple[str, ...]:
    """Cut a document into runs of whole sentences, each of at most so many words."""
    bounds = pack_sentences(document, lambda piece: len(piece.split()) <= words)
    return tuple(document[a:b] for a, b in bounds)


WAYS: Mapping[str, Callable[[str, str], tuple[str, ...]]] = {
    "whole document, in windows": lambda _, document: (document,),
    "chunks (MiniCheck)": lambda _, document: chunks(document),
    "each sentence (SummaC)": lambda _, document: tuple(dict.fromkeys(split(document))),
    "best sentence": lambda sentence, document: evidence(sentence, (document,))[:1],
    "best three together": lambda sentence, document: evidence(sentence, (document,))[-1:],
    "best one, two and three (shipped)": lambda sentence, document: evidence(sentence, (document,)),
}
"""Name → the texts of a document that a sentence is judged beside."""


def compare(rows: Sequence[Mapping[str, str]], judge: NliJudge) -> dict[tuple[str, str], Figure]:
    """Return the ROC-AUC of each way and each combination, with its interval over documents.

    Args:
        rows: each with ``premise``, ``hypothesis`` and ``label``, which is ``entailment`` or not.
        judge: gives P(entailment).
    """
    labels = np.array([row["label"] == "entailment" for row in rows], dtype=float)
    documents = [row["premise"] for row in rows]
    found: dict[tuple[str, str], Figure] = {}
    for way, views in WAYS.items():
        parts = [
            [
                [InferenceRequest(view, sentence) for view in views(sentence, row["premise"])]
                for sentence in split(row["hypothesis"])
            ]
            for row in rows
        ]
        flat = list(dict.fromkeys(chain.from_iterable(chain.from_iterable(parts))))
        judged = {
            request: judgement.entailment
            for request, judgement in zip(flat, judge.judge(flat), strict=True)
        }
        best = [[max(judged[one] for one in views) for views in own] for own in parts]
        for name, combine in COMBINED.items():
            values: Array = np.array([combine(each) for each in best])
            found[way, name] = bootstrap(roc_auc, labels, values, documents)
    return found


def main() -> None:
    """Print the ROC-AUC of each way, drawn by seed from all documents."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.training.choose_evidence", description=main.__doc__
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with the published sets")
    parser.add_argument("--number", type=int, default=600, help="summaries (default: 600)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--profile", default="compact", help="whose judge")
    arguments = parser.parse_args()
    every = list(read_jsonl(arguments.data / "more" / "summaries" / "summedits-dev.jsonl.gz"))
    rows = random.Random(arguments.seed).sample(every, min(arguments.number, len(every)))
    role = get_profile(arguments.profile).entailment
    judge = NliJudge(role.checkpoint, role.revision, parameters=role.parameters)
    for (way, combined), figure in compare(rows, judge).items():
        low, high = figure.interval or (float("nan"), float("nan"))
        print(
            f"{way}, {combined}: ROC-AUC {figure.value:.3f} ({low:.3f} to {high:.3f})", flush=True
        )


if __name__ == "__main__":
    main()
