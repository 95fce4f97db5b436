"""Stage ``spans``: the informative spans of each response (Q², section 2)."""

from __future__ import annotations

from qsquared.method.spans import extract_spans
from qsquared.records import Failure
from qsquared.storage.schemas import SPANS
from qsquared.tasks.asking import ask_each
from qsquared.tasks.stage import Parameters, Roles, Rows, Stage, Tables, failed_row


def run(tables: Tables, roles: Roles, _parameters: Parameters) -> Rows:
    """Pairs to spans."""
    pairs = tables["pairs"]
    parses = ask_each(roles.parser.parse, [pair["response"] for pair in pairs])
    rows: Rows = []
    for pair, parsed in zip(pairs, parses, strict=True):
        if isinstance(parsed, Failure):
            rows.append(failed_row(SPANS, pair["pair_id"], "spans", parsed.reason))
            continue
        rows += [
            {
                "pair_id": pair["pair_id"],
                "span_index": index,
                "start": span.start,
                "end": span.end,
                "text": span.text,
                "kind": span.kind,
                "label": span.label or None,
                "error": None,
            }
            for index, span in enumerate(extract_spans(parsed))
        ]
    return rows


STAGE = Stage(SPANS, 1, inputs=("pairs",), roles=("parser",), parameters=(), run=run)
