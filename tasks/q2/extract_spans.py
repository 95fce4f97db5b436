"""Stage ``spans``: the informative spans of each response (Q², section 2)."""

from collections.abc import Sequence

from qsquared.language.running.chunks import chunked
from qsquared.method.q2.spans import extract_spans
from qsquared.records import Failure, ParsedText
from qsquared.storage.tables.q2 import SPANS
from qsquared.tasks.asking.replies import parse_each
from qsquared.tasks.stage import Parameters, Roles, Rows, Stage, Tables, failed_row

_CHUNK_CHARACTERS = 1_000_000
"""Characters whose parses are held at a time."""


def run(tables: Tables, roles: Roles, _parameters: Parameters) -> Rows:
    """Map pairs to spans."""
    rows: Rows = []
    for pairs in chunked(tables["pairs"], lambda pair: len(pair["response"]), _CHUNK_CHARACTERS):
        rows += _rows(pairs, parse_each(roles, [pair["response"] for pair in pairs]))
    return rows


def _rows(pairs: Rows, parses: Sequence[ParsedText | Failure]) -> Rows:
    rows: Rows = []
    for pair, parsed in zip(pairs, parses, strict=True):
        if isinstance(parsed, Failure):
            rows.append(failed_row(SPANS, pair, parsed.reason))
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
