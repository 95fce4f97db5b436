"""Stage ``sentences``: the sentences of each reply in plain text, with their kinds."""

from dataclasses import asdict

from qsquared.method.plain.reply import READING_VERSION, read_reply
from qsquared.storage.tables import SENTENCES
from qsquared.tasks.rows import sound_row
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables


def run(tables: Tables, _roles: Roles, parameters: Parameters) -> Rows:
    """Map pairs to sentences."""
    return [
        sound_row(SENTENCES, pair, {"sentence": number, **_columns(asdict(sentence))})
        for pair in tables["pairs"]
        for number, sentence in enumerate(read_reply(pair["response"], parameters["sentences"]))
    ]


def _columns(values: Row) -> Row:
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in values.items()
    }


STAGE = Stage(
    SENTENCES,
    READING_VERSION,
    inputs=("pairs",),
    parameters=("sentences",),
    run=run,
    only_with="sentences",
)
