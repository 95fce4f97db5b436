"""Files in the published formats, in miniature."""

import csv
import json

TOPICS = (
    ("Tea", "Tea was first drunk in China by monks.", "Tea was first drunk in Peru."),
    ("Rome", "Rome was founded by Romulus near the Tiber.", "Rome was founded near the Thames."),
)


def write_csv(path, rows, delimiter=","):
    """A table with a header."""
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)


def write_jsonl(path, rows):
    """One object a line."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")


def write_wow(folder):
    """The four files of the Q² paper with two responses each."""
    for system in ("dodeca", "memnet"):
        for split in ("consistent", "inconsistent"):
            rows = [
                {
                    "episode_idx": str(i),
                    "round": "0",
                    "topic": topic,
                    "response": f"{knowledge if split == 'consistent' else wrong} ({system})",
                    "knowledge": knowledge,
                }
                for i, (topic, knowledge, wrong) in enumerate(TOPICS)
            ]
            write_csv(folder / f"{system}_{split}.csv", rows)
