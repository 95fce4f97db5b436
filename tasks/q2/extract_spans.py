"""Stage ``spans``: the informative spans of each reply's claims (Q², section 2)."""

from collections.abc import Sequence

from qsquared.language.running.rows import chunked
from qsquared.method.plain.claims import Claims, claims_by_pair
from qsquared.method.q2.spans import extract_spans
from qsquared.records import Failure, ParsedText
from qsquared.storage.tables.registry import SPANS
from qsquared.tasks.asking.replies import parse_each
from qsquared.tasks.stage import Parameters, Roles, Rows, Stage, Tables, failed_row

_CHUNK_CHARACTERS = 1_000_000
"""Characters whose parses are held at a time."""


def run(tables: Tables, roles: Roles, _parameters: Parameters) -> Rows:
    """Map the claims of each pair to spans; of a reply as logged they are the paper's."""
    claims = claims_by_pair(tables["sentences"])
    rows: Rows = []
    for pairs in chunked(tables["pairs"], lambda pair: len(pair["response"]), _CHUNK_CHARACTERS):
        texts = [claims[pair["pair_id"]] for pair in pairs]
        rows += _rows(pairs, texts, parse_each(roles, [text.text.text for text in texts]))
    return rows


def _rows(pairs: Rows, texts: Sequence[Claims], parses: Sequence[ParsedText | Failure]) -> Rows:
    rows: Rows = []
    for pair, claims, parsed in zip(pairs, texts, parses, strict=True):
        if isinstance(parsed, Failure):
            rows.append(failed_row(SPANS, pair, parsed.reason))
            continue
        for index, span in enumerate(extract_spans(parsed, with_currency=not claims.as_logged)):
            start, end = claims.logged(span.start, span.end)
            rows.append(
                {
                    "pair_id": pair["pair_id"],
                    "span_index": index,
                    "start": start,
                    "end": end,
                    "text": claims.spelled[span.start : span.end],
                    "kind": span.kind,
                    "label": span.label or None,
                    "sentence": claims.sentence_at(span.start),
                    "plain_start": span.start,
                    "plain_end": span.end,
                    "error": None,
                }
            )
    return rows


STAGE = Stage(SPANS, 1, inputs=("pairs", "sentences"), roles=("parser",), parameters=(), run=run)
