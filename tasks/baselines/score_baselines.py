"""Stages ``overlap``, ``bleu``, ``rouge`` and ``meteor``: each pair as two texts."""

from collections.abc import Callable, Mapping
from functools import partial

from qsquared.errors import Q2Error
from qsquared.method.baselines import bleu, meteor, require_libraries, rouge
from qsquared.method.q2.token_f1 import token_f1
from qsquared.storage.tables.columns import Table
from qsquared.storage.tables.registry import BLEU, METEOR, OVERLAP, ROUGE
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables, failed_row

Compare = Callable[[str, str], Mapping[str, float]]


def _run(
    table: Table,
    libraries: tuple[str, ...],
    compare: Compare,
    tables: Tables,
    _roles: Roles,
    _parameters: Parameters,
) -> Rows:
    """Map pairs to one row each; a pair that the library cannot compare fails alone."""
    require_libraries(*libraries)
    return [_row(table, compare, pair) for pair in tables["pairs"]]


def _row(table: Table, compare: Compare, pair: Row) -> Row:
    try:
        values = compare(pair["response"], " ".join(pair["knowledge"]))
    except Q2Error:
        raise
    except Exception as error:  # noqa: BLE001 - a library may raise anything on an odd text
        reason = f"{type(error).__name__}: {error}"
        return failed_row(table, pair, reason)
    return {"pair_id": pair["pair_id"], **values, "error": None}


def _stage(table: Table, compare: Compare, *libraries: str) -> Stage:
    run = partial(_run, table, libraries, compare)
    return Stage(table, 1, inputs=("pairs",), roles=(), parameters=(), run=run)


OVERLAP_STAGE = _stage(OVERLAP, lambda response, text: {"overlap_f1": token_f1(response, text)})
BLEU_STAGE = _stage(BLEU, lambda response, text: {"bleu": bleu(response, text)}, "sacrebleu")
ROUGE_STAGE = _stage(ROUGE, rouge, "rouge_score")
METEOR_STAGE = _stage(METEOR, lambda response, text: {"meteor": meteor(response, text)}, "nltk")
