"""Stage ``spans``: the informative spans of each reply's claims (Q², section 2)."""

from qsquared.language.neural.batches import chunked
from qsquared.method.plain.reply_claims import Claims, claims_by_pair
from qsquared.method.q2.spans import UNITS_VERSION, extract_spans
from qsquared.records import ParsedText
from qsquared.storage.tables import SPANS
from qsquared.tasks.model_requests import parse_each
from qsquared.tasks.rows import rows_each
from qsquared.tasks.stage import Parameters, Roles, Rows, Stage, Tables

_CHUNK_CHARACTERS = 1_000_000
"""Characters whose parses are held at a time."""


def run(tables: Tables, roles: Roles, _parameters: Parameters) -> Rows:
    """Map the claims of each pair to spans; of a reply as logged they are the paper's."""
    claims = claims_by_pair(tables["sentences"])
    rows: Rows = []
    for pairs in chunked(tables["pairs"], lambda pair: len(pair["response"]), _CHUNK_CHARACTERS):
        parses = parse_each(roles, [claims[pair["pair_id"]].text.text for pair in pairs])
        rows += rows_each(
            SPANS, pairs, parses, lambda pair, parsed: _spans(claims[pair["pair_id"]], parsed)
        )
    return rows


def _spans(claims: Claims, parsed: ParsedText) -> Rows:
    rows: Rows = []
    for index, span in enumerate(extract_spans(parsed, with_units=not claims.as_logged)):
        start, end = claims.logged(span.start, span.end)
        rows.append(
            {
                "span_index": index,
                "start": start,
                "end": end,
                "text": claims.spelled[span.start : span.end],
                "kind": span.kind,
                "label": span.label or None,
                "sentence": claims.sentence_at(span.start),
                "plain_start": span.start,
                "plain_end": span.end,
            }
        )
    return rows


STAGE = Stage(
    SPANS,
    1,
    run,
    inputs=("pairs", "sentences"),
    roles=("parser",),
    parameters=("sentences",),
    versions={"sentences": UNITS_VERSION},
)
