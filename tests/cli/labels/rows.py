"""Rows of forms in tests."""

import csv


def rows_of(path):
    """The rows of a CSV."""
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def items(rows):
    """The replies of a form."""
    return {row["item"] for row in rows}


def frequent(rows):
    """The rows of the reply that was given 80 times."""
    return [row for row in rows if row["response"].endswith("number 0.")]


def write(path, rows, **options):
    """Write rows as a CSV, with the options of `csv` and an encoding."""
    encoding = options.pop("encoding", "utf-8")
    with path.open("w", encoding=encoding, errors="replace", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]), **options)
        writer.writeheader()
        writer.writerows(rows)
    return path


def judged(rows, annotator="Ann"):
    """The rows with a verdict each: every third turn of the log is inconsistent."""
    return [
        row
        | {
            "annotator": annotator,
            "verdict": "consistent" if int(row["turn"][1:]) % 3 else "inconsistent",
        }
        for row in rows
    ]
