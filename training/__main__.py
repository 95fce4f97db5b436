"""``python -m training qa|nli|begin|glue``: train a checkpoint from published data."""

import argparse
import json
import random
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer

from qsquared.language.questions.rule_questions import RuleQuestions
from qsquared.language.spacy_parser import SpacyParser
from training.base import fetch_base, unpacked
from training.begin import build as begin
from training.examples.nli import answer_pairs, pronoun_pairs, sentence_pairs
from training.examples.qa import QAExample, make_qa_examples, name_pool
from training.examples.replies import reply_pairs
from training.examples.reply_questions import by_rules, on_replies
from training.examples.statements import Frame, frames
from training.fit import Settings, encode_nli, encode_qa, fit, split_by_group
from training.glue.train import train_glue
from training.sources.inference import (
    Inference,
    read_conjnli,
    read_fever_symmetric,
    read_mrpc,
    read_rte,
    read_snli,
)
from training.sources.reading import Reading, read_qamr, read_squad

SNLI_PAIRS = 25_000
"""Captions are far from dialogue, so a quarter of the pairs at hand; the rest would cost time."""

GLUE_BASE = Path("models/compact-nli")


def _readings(data: Path) -> tuple[list[Reading], list[Reading], dict[str, Frame]]:
    """Read SQuAD, QAMR, and the statements of their questions."""
    squad, qamr = list(read_squad(data / "squad-dev")), list(read_qamr(data / "qamr"))
    both = [*squad, *qamr]
    return squad, qamr, frames([r.question for r in both], [r.text for r in both])


def _qa_examples(data: Path, seed: int) -> list[QAExample]:
    squad, qamr, turned = _readings(data)
    both = [*squad, *qamr]
    parser = SpacyParser()
    examples = [
        *make_qa_examples(squad, qamr, seed),
        *on_replies(both, turned.get, seed),
        *by_rules(both, parser, RuleQuestions(parser), name_pool(both), seed),
    ]
    random.Random(seed).shuffle(examples)
    return examples


def _nli_examples(data: Path, seed: int) -> list[Inference]:
    squad, qamr, turned = _readings(data)
    texts = sorted({(r.group, r.text) for r in [*squad, *qamr]})
    rng = random.Random(seed)
    examples = [
        *rng.sample(list(read_snli(data / "snli")), SNLI_PAIRS),
        *read_conjnli(data / "conjnli"),
        *[e for e in read_fever_symmetric(data / "fever-symmetric") for _ in range(2)],
        *read_rte(data / "glue"),
        *read_mrpc(data / "glue"),
        *answer_pairs(squad, seed),
        *pronoun_pairs(squad, seed),
        *sentence_pairs(texts, seed),
        *reply_pairs([*squad, *qamr], turned.get, seed),
    ]
    rng.shuffle(examples)
    return examples


def main() -> None:
    """Train one task and write its development figures beside the checkpoint."""
    defaults = Settings()
    parser = argparse.ArgumentParser(prog="python -m training", description=main.__doc__)
    parser.add_argument("task", choices=["qa", "nli", "begin", "glue"])
    parser.add_argument("--data", type=Path, required=True, help="folder with the published sets")
    parser.add_argument("--out", type=Path, required=True, help="folder for checkpoints")
    parser.add_argument("--base", type=Path, help="folder of the base encoder (default: fetched)")
    parser.add_argument("--start", type=Path, help="folder of a shipped model to train further")
    parser.add_argument("--learning-rate", type=float)
    parser.add_argument("--epochs", type=float)
    parser.add_argument("--threads", type=int, default=defaults.threads)
    parser.add_argument("--quick", type=int, metavar="N", help="train on N examples only")
    begin.add_arguments(parser)
    arguments = parser.parse_args()
    if arguments.task == "begin":
        begin.train(arguments)
        return
    settings = Settings(
        epochs=arguments.epochs or defaults.epochs,
        learning_rate=arguments.learning_rate or defaults.learning_rate,
        threads=arguments.threads,
    )
    if arguments.task == "glue":
        # The encoder rests on a shipped one, so that is where it starts.
        start = arguments.base or unpacked(
            arguments.start or GLUE_BASE, arguments.out / "start-glue"
        )
        report = train_glue(
            start, arguments.data, arguments.out / "glue", settings, arguments.quick
        )
        _write(arguments.out / "glue.json", report)
        return
    if arguments.start:
        base = unpacked(arguments.start, arguments.out / f"start-{arguments.task}")
    else:
        base = arguments.base or fetch_base(arguments.out / "base")
    tokenizer = AutoTokenizer.from_pretrained(base)
    if arguments.task == "qa":
        qa_train, qa_held = split_by_group(_qa_examples(arguments.data, settings.seed))
        train = encode_qa(tokenizer, qa_train[: arguments.quick])
        development = {
            kind: encode_qa(tokenizer, [e for e in qa_held if e.kind == kind][:600])
            for kind in sorted({e.kind for e in qa_held})
        }
    else:
        nli_train, nli_held = split_by_group(_nli_examples(arguments.data, settings.seed))
        train = encode_nli(tokenizer, nli_train[: arguments.quick])
        development = {
            source: encode_nli(
                tokenizer, [e for e in nli_held if e.group.startswith(source)][:1000]
            )
            for source in ("snli", "conjnli", "fever", "squad", "qamr", "rte", "mrpc")
        }
    if arguments.quick:
        development = {k: type(v)(v.rows[:64]) for k, v in development.items()}
    figures = fit(
        arguments.task, base, train, development, arguments.out / arguments.task, settings
    )
    report = {"task": arguments.task, "examples": len(train), **figures}
    _write(arguments.out / f"{arguments.task}.json", report)


def _write(path: Path, report: dict[str, Any]) -> None:
    path.write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
