"""``python -m training.card``: write the model cards from the figures of training and measuring."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from qsquared.language.checkpoints.checksums import SUMS
from training.base import PACKAGE
from training.fit import MAX_TOKENS, Settings
from training.measure import COLUMNS

_TASKS = {
    "qa": (
        "compact-qa",
        "extractive question answering with a no-answer decision",
        "answers a question from a short text, or says that the text does not answer it",
        "SQuAD 1.1 and 2.0 (development sets, CC BY-SA 4.0), QAMR (MIT)",
    ),
    "nli": (
        "compact-nli",
        "three-way natural language inference",
        "judges whether a premise entails, contradicts or leaves open a hypothesis",
        (
            "SNLI (CC BY-SA 4.0), ConjNLI (MIT), FEVER-symmetric (CC BY-SA 3.0), RTE and MRPC (from "
            "GLUE, under their own terms), and pairs and replies made from SQuAD (CC BY-SA 4.0) and "
            "QAMR (MIT)"
        ),
    ),
}
_MEANINGS = {
    "exact": "exact span or exact refusal",
    "exact_answerable": "exact span where there is an answer",
    "refused_unanswerable": "refused where there is no answer",
    "refused_answerable": "refused although there is an answer",
    "accuracy": "accuracy",
    "recall_entailment": "recall of entailment",
    "recall_neutral": "recall of neutral",
    "recall_contradiction": "recall of contradiction",
}
_ROUNDS = {
    "qa": (
        " --start models/compact-qa --learning-rate 7e-5",
        (
            "a second epoch at learning rate 7e-05, started from the weights that the repository first held "
            "(SHA-256 of the packed file {first}), which one epoch on SQuAD and QAMR alone had made"
        ),
    ),
    "nli": ("", "1 epoch at learning rate {rate:g}"),
}
FIRST_QA_SHA256 = "116c2c78977001c12ec4edfcabba0d4d6f16c2b6f45e1edca25d7a96810a8a78"
_WEAKNESSES = """## Known weaknesses, and what not to use it for

- It is small: it picks the wrong argument when a question differs from the text in little more than a preposition, and it resolves few pronouns.
- Opinions, chit-chat and questions back are hardly in its training data.
- Lists confuse it when their subject is a pronoun: asked "It is a means of what, communication, and of sharing?", the reader answers what "it" is.
- It takes small differences of modality, voice and degree for the same ("may", "can be seen", "near darkness" and "close darkness").
- It knows English only, lower-cases everything, and reads texts as plain prose: no tables, code or markup.
- A single verdict must not decide about a person, a payment or a publication; means over many replies are what it is for.
- No safety or bias evaluation was made beyond what is on this page.
"""


def _training(task: str, figures: Mapping[str, Any]) -> str:
    lines = ["| development set | figure | value |", "|---|---|---|"]
    for name, value in figures.items():
        for statistic in sorted(_MEANINGS, key=len, reverse=True):
            source = name.removesuffix(f"_{statistic}")
            if source == name:
                continue
            lines.append(f"| {source} | {_MEANINGS[statistic]} | {value:.3f} |")
            break
    settings = Settings()
    start, rounds = _ROUNDS[task]
    rounds = rounds.format(first=FIRST_QA_SHA256, rate=settings.learning_rate)
    return (
        f"{figures['examples']:,} examples, {rounds}; batches of {settings.batch}, at most "
        f"{MAX_TOKENS} tokens, seed {settings.seed}, bf16 autocast on two CPU cores:\n\n"
        f"```sh\npython -m training {task} --data DATA --out build/train{start}\n"
        f"python -m training.export build/train/{task}/final models/compact-{task}\n```\n\n"
        "Development figures, on examples whose article, sentence or image was kept apart:\n\n"
        + "\n".join(lines)
    )


def _measured(results: Sequence[Mapping[str, Any]]) -> str:
    lines = [
        f"| set | items | statistic | {' | '.join(COLUMNS)} | coverage |",
        "|---|---|---|" + "---|" * (len(COLUMNS) + 1),
    ]
    for result in results:
        cells = [
            f"{result[name]['value']:.3f} ({result[name]['interval'][0]:.3f} to "
            f"{result[name]['interval'][1]:.3f})"
            for name in COLUMNS
        ]
        cells.append(f"{result['coverage']:.1%}")
        lines.append(
            f"| {result['set']} | {result['items']:,} | {result['statistic']} | {' | '.join(cells)} |"
        )
    return "\n".join(lines)


def render(task: str, figures: Mapping[str, Any], measured: str, folder: Path) -> str:
    """The card of one model as Markdown."""
    name, kind, does, data = _TASKS[task]
    sums = (folder / SUMS).read_text(encoding="ascii").strip()
    return f"""# {name}

A small English encoder for {kind}: it {does}.
It is one half of the profile `compact`; a substitute for the models of the Q² paper, not a match for them.

- **Base**: all-MiniLM-L6-v2 (MiniLM-L6-H384, 22.7 M parameters, Apache-2.0), from the package `{PACKAGE}`.
- **Data**: {data}. No text of them is in this folder.
- **Licence of the weights**: CC BY-SA 4.0, because of the data; attribution in `NOTICE`.
- **Storage**: safetensors, matrices as int8 with one scale a row, computed in float32.

## Training

{_training(task, figures)}

## What the profile `compact` reaches with it

`python -m training.measure`, the whole pipeline with both models, 95 % bootstrap intervals over contexts.
Nothing was trained, tuned or thresholded on these sets.

{measured}

The sets: the 600 annotated Wizard-of-Wikipedia responses of the Q² paper (q2-wow; the paper reports an accuracy of 77.3 % at threshold 0.5), its cross annotation of both systems, BEGIN's first development set, entailment against the rest, and the QAGS annotations of CNN/DM (235 summaries of 714 sentences; each sentence is scored against its article, and a summary is the mean of its sentences; QAGS itself reports a Pearson correlation of .545).
NLI is end-to-end NLI over the whole reply, blend the mean of Q², NLI and token overlap (`--metric blend`).
Where the interval of a column overlaps that of token overlap, it is not shown to be better than counting shared words.
On BEGIN nothing is; `docs/decisions/0006` says why we believe so.

{_WEAKNESSES}
## Files

```text
{sums}
```
"""


def main() -> None:
    """Write both cards."""
    parser = argparse.ArgumentParser(prog="python -m training.card", description=main.__doc__)
    parser.add_argument("--train", type=Path, default=Path("build/train"))
    parser.add_argument("--measured", type=Path, required=True, help="JSON of training.measure")
    arguments = parser.parse_args()
    measured = _measured(json.loads(arguments.measured.read_text(encoding="utf-8")))
    for task, (name, *_) in _TASKS.items():
        figures = json.loads((arguments.train / f"{task}.json").read_text(encoding="utf-8"))
        folder = Path("models") / name
        card = render(task, figures, measured, folder)
        (folder / "README.md").write_text(card, encoding="utf-8")
        print(f"wrote {folder / 'README.md'}")


if __name__ == "__main__":
    main()
