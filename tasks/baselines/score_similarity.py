"""Stage ``bertscore``: BERTScore of each response against its knowledge."""

from qsquared.records import Similarity
from qsquared.storage.tables.registry import BERTSCORE
from qsquared.tasks.asking.replies import similarity_each
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables, row_each


def run(tables: Tables, roles: Roles, _parameters: Parameters) -> Rows:
    """Map pairs to one row each."""
    pairs = tables["pairs"]
    texts = [(pair["response"], " ".join(pair["knowledge"])) for pair in pairs]
    return row_each(BERTSCORE, pairs, similarity_each(roles, texts), _values)


def _values(found: Similarity) -> Row:
    return {
        "bertscore": found.f1,
        "bertscore_precision": found.precision,
        "bertscore_recall": found.recall,
    }


STAGE = Stage(BERTSCORE, 1, inputs=("pairs",), roles=("similarity",), parameters=(), run=run)
