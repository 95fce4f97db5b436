"""Stage ``begin``: one of BEGIN's five classes for each response in its situation (Dziri et al. 2021).

By default the claims of a reply are classified, in plain text; a reply without any is read as logged.
With ``verbatim`` a reply whose claims are sentences of the knowledge is entailed, whatever the classifier
would say; it is not asked.
"""

from qsquared.method.begin import best_label, best_label3
from qsquared.method.knowledge.copies import CLASSIFIER, COPY, ENTAILED, copies_knowledge
from qsquared.method.plain.reply import READING_VERSION
from qsquared.records import ReplyClasses, ReplyRequest
from qsquared.storage.tables import BEGIN
from qsquared.tasks.model_requests import classify_each
from qsquared.tasks.rows import READING, READING_VERSIONS, read_claims, row_each
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables


def run(tables: Tables, roles: Roles, parameters: Parameters) -> Rows:
    """Map situations to one row each; passages are joined by a space and read in windows."""
    situations = tables["situations"]
    copies = {
        situation["situation_id"]
        for situation in situations
        if parameters["verbatim"]
        and copies_knowledge(situation["response"], situation["knowledge"])
    }
    others = [situation for situation in situations if situation["situation_id"] not in copies]
    classified = iter(
        classify_each(roles, [_request(situation, parameters) for situation in others])
    )
    classes = [
        ENTAILED if situation["situation_id"] in copies else next(classified)
        for situation in situations
    ]
    rows = row_each(BEGIN, situations, classes, _values)
    for row in rows:
        decided_by = COPY if row["situation_id"] in copies else CLASSIFIER
        row["decided_by"] = None if row["error"] else decided_by
    return rows


def _request(situation: Row, parameters: Parameters) -> ReplyRequest:
    read = read_claims(situation, parameters)
    response = read["response"] or situation["response"]
    return ReplyRequest(" ".join(read["knowledge"]), situation["previous"], response)


def _values(classes: ReplyClasses) -> Row:
    return {
        "label": best_label(classes),
        "label3": best_label3(classes),
        "begin_entailment": classes.entailment,
        "p_hallucination": classes.hallucination,
        "p_off_topic": classes.off_topic,
        "p_generic": classes.generic,
        "p_contradiction": classes.contradiction,
    }


STAGE = Stage(
    BEGIN,
    1,
    inputs=("situations",),
    roles=("reply_classification",),
    parameters=(READING, "verbatim"),
    run=run,
    versions=READING_VERSIONS | {"verbatim": READING_VERSION},
)
