"""A small data folder in the published formats, with sentences of our own."""

import gzip
import json

import pytest

PLACES = ["Oslo", "Lima", "Cairo", "Perth", "Turin", "Quito", "Dakar", "Seoul"]


def _gzip(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as handle:
        handle.write("\n".join(lines) + "\n")


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """SQuAD, QAMR, SNLI, ConjNLI, FEVER-symmetric, RTE and MRPC in miniature."""
    folder = tmp_path_factory.mktemp("data")
    squad = []
    for i in range(60):
        place = PLACES[i % 8]
        year = 1900 + i
        for number, (question, answers) in enumerate(
            [
                (f"Where does the old house of {year} stand?", [place, f"in {place}", place]),
                (f"Who built the house of {year}?", ["Anna"]),
            ]
        ):
            given = [] if i % 5 == 0 else answers
            row = {
                "title": f"Article_{i % 20}",
                "id": f"q{i}.{number}",
                "context": f"The old house stands in {place}. It was built in {year} by Anna. "
                "Nobody has lived there for long.",
                "question": question,
                "answers": given,
                "impossible": not given,
            }
            squad.append(json.dumps(row))
    _gzip(folder / "squad-dev" / "squad-1.1-dev.jsonl.gz", squad[:30])
    _gzip(folder / "squad-dev" / "squad-2.0-dev.jsonl.gz", squad)
    sentences, questions = [], []
    for i in range(60):
        key = f"Wiki1k:wikipedia:{i % 10}:{i}:0"
        sentences.append(
            f"{key}\tThe painter Anna -LRB- born 19{i:02d} -RRB- came from {PLACES[i % 8]} ."
        )
        questions.append(f"{key}\t1 2\t7\t0\t2\tWho came from there?\t2\t8:2\t9:1 2")
        questions.append(f"{key}\t1 2\t7\t1\t8\tWhere did Anna come from?\t9\t8:9\t9:9")
    _gzip(folder / "qamr" / "wiki-sentences.tsv.gz", sentences)
    _gzip(folder / "qamr" / "filtered-dev.tsv.gz", questions[:60])
    _gzip(folder / "qamr" / "filtered-test.tsv.gz", questions[60:])
    labels = ["entailment", "neutral", "contradiction"]
    rows = [
        f"{labels[i % 3]}\tA man walks in {PLACES[i % 8]}.\tA person moves.\tp{i}.jpg#0"
        for i in range(90)
    ]
    _gzip(
        folder / "snli" / "snli-1.0-train-100k.tsv.gz",
        ["gold_label\tsentence1\tsentence2\tpairID", *rows],
    )
    rows = [
        f"He was in {PLACES[i % 8]} and {i}.\tHe was in {PLACES[i % 8]}.\t{labels[i % 3]}"
        for i in range(60)
    ]
    _gzip(
        folder / "conjnli" / "adversarial_train_15k.tsv.gz",
        ["\ufeffPremise\tHypothesis\tLabel", *rows],
    )
    fever = folder / "fever-symmetric" / "symmetric_dev.jsonl"
    fever.parent.mkdir()
    fever.write_text(
        "".join(
            json.dumps(
                {
                    "id": str(i),
                    "claim": "Anna painted .",
                    "evidence": f"Anna -LRB- {i} -RRB- painted houses .",
                    "gold_label": ["SUPPORTS", "REFUTES"][i % 2],
                }
            )
            + "\n"
            for i in range(60)
        )
    )
    glue = folder / "glue"
    glue.mkdir()
    rows = [
        f"{i}\tAnna lives in {PLACES[i % 8]}.\tAnna lives.\t{['entailment', 'not_entailment'][i % 2]}"
        for i in range(60)
    ]
    (glue / "rte_train.tsv").write_text("index\tsentence1\tsentence2\tlabel\n" + "\n".join(rows))
    rows = [
        f"{i % 2}\t{i}\t{i + 100}\tHe left {PLACES[i % 8]}.\tHe went away from {PLACES[i % 8]}."
        for i in range(60)
    ]
    (glue / "msr_paraphrase_train.txt").write_text(
        "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\n" + "\n".join(rows) + "\n"
    )
    return folder
