"""Stages of the baselines and of the blend: entailment, word measures, BERTScore, a learned model.

Those with models read a reply's claims in plain text; by the papers' rules they read the reply as it
was logged. A reply that claims nothing has no value there, which is no failure.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict

from qsquared.errors import Q2Error
from qsquared.method.baselines import blend, bleu, expected_nli, meteor, require_libraries, rouge
from qsquared.method.q2.score import FALLBACK_SCORES
from qsquared.method.q2.token_f1 import token_f1
from qsquared.records import Failure, InferenceRequest, Judgement, Similarity, Support
from qsquared.storage import tables as registry
from qsquared.tasks.end_to_end_nli import NLI_BY_VERSION, PARAMETERS, judge_responses, nli_columns
from qsquared.tasks.model_requests import similarity_each, support_each
from qsquared.tasks.rows import READING, READING_VERSIONS, read_claims, row_each, row_each_claiming
from qsquared.tasks.stage import Parameters, Roles, Row, Rows, Stage, Tables


def judge_wholes(tables: Tables, roles: Roles, parameters: Parameters) -> Rows:
    """Map pairs to one judgement each; a reply that claims nothing has none."""

    def ask(pairs: Rows) -> list[Judgement | Failure]:
        return judge_responses(roles, pairs, tables["sentence_entailment"], parameters)

    return row_each_claiming(registry.NLI, tables["pairs"], parameters, ask, _judged)


def _judged(judgement: Judgement) -> Row:
    return {"nli": expected_nli(judgement), **nli_columns(judgement)}


NLI_STAGE = Stage(
    registry.NLI,
    1,
    inputs=("pairs", "sentence_entailment"),
    roles=("entailment",),
    parameters=PARAMETERS,
    run=judge_wholes,
    versions=READING_VERSIONS | {"nli_by": NLI_BY_VERSION},
)


def score_entailment(tables: Tables, _roles: Roles, _parameters: Parameters) -> Rows:
    """Map judgements to 1 for entailment, 0.5 for neutral, 0 for contradiction; no judgement has none."""
    return [
        {
            "pair_id": row["pair_id"],
            "e2e_nli": FALLBACK_SCORES.get(row["nli_label"]),
            "error": row["error"],
        }
        for row in tables["nli"]
    ]


E2E_NLI_STAGE = Stage(registry.E2E_NLI, 1, inputs=("nli",), run=score_entailment)


def blend_scores(tables: Tables, _roles: Roles, parameters: Parameters) -> Rows:
    """Map pairs, scores and judgements to one row for each pair; a part that failed fails the blend."""
    scores = {row["pair_id"]: row for row in tables["scores"]}
    judged = {row["pair_id"]: row for row in tables["nli"]}

    def blended(pair: Row) -> Row | Failure:
        score, verdict = scores[pair["pair_id"]], judged[pair["pair_id"]]
        reason = verdict["error"] or (score["reason"] if score["status"] == "error" else None)
        if reason is not None:
            return Failure(reason)
        if score["q2"] is None:
            return {}
        judgement = Judgement(
            verdict["nli_entailment"], verdict["nli_neutral"], verdict["nli_contradiction"]
        )
        read = read_claims(pair, parameters)
        return asdict(blend(score["q2"], judgement, read["response"], read["knowledge"]))

    return row_each(registry.BLEND, tables["pairs"], map(blended, tables["pairs"]), dict)


BLEND_STAGE = Stage(
    registry.BLEND,
    1,
    inputs=("pairs", "scores", "nli"),
    parameters=(READING,),
    run=blend_scores,
    versions=READING_VERSIONS,
)


def compare_tokens(tables: Tables, roles: Roles, _parameters: Parameters) -> Rows:
    """Map pairs to one row each."""
    pairs = tables["pairs"]
    texts = [(pair["response"], " ".join(pair["knowledge"])) for pair in pairs]
    return row_each(registry.BERTSCORE, pairs, similarity_each(roles, texts), _compared)


def _compared(similarity: Similarity) -> Row:
    return {
        "bertscore": similarity.f1,
        "bertscore_precision": similarity.precision,
        "bertscore_recall": similarity.recall,
    }


BERTSCORE_STAGE = Stage(
    registry.BERTSCORE, 1, inputs=("pairs",), roles=("similarity",), run=compare_tokens
)


def judge_consistency(tables: Tables, roles: Roles, parameters: Parameters) -> Rows:
    """Map pairs to one row each; passages are joined by a space and read in windows."""

    def ask(pairs: Rows) -> list[Support | Failure]:
        requests = [
            InferenceRequest(" ".join(pair["knowledge"]), pair["response"]) for pair in pairs
        ]
        return support_each(roles, requests)

    return row_each_claiming(registry.CONSISTENCY, tables["pairs"], parameters, ask, _supported)


def _supported(support: Support) -> Row:
    return {"consistency": support.probability, "pieces": support.pieces}


CONSISTENCY_STAGE = Stage(
    registry.CONSISTENCY,
    1,
    inputs=("pairs",),
    roles=("consistency",),
    parameters=(READING,),
    run=judge_consistency,
    versions=READING_VERSIONS,
)


Compare = Callable[[str, str], Mapping[str, float]]


def _stage(table: registry.Table, compare: Compare, *libraries: str) -> Stage:
    """Return a stage that compares two texts; a pair that the library cannot compare fails alone."""

    def compared(pair: Row) -> Row | Failure:
        try:
            return dict(compare(pair["response"], " ".join(pair["knowledge"])))
        except Q2Error:
            raise
        except Exception as error:  # noqa: BLE001 - a library may raise anything on an odd text
            return Failure(f"{type(error).__name__}: {error}")

    def run(tables: Tables, _roles: Roles, _parameters: Parameters) -> Rows:
        require_libraries(*libraries)
        return row_each(table, tables["pairs"], map(compared, tables["pairs"]), dict)

    return Stage(table, 1, inputs=("pairs",), run=run)


OVERLAP_STAGE = _stage(
    registry.OVERLAP, lambda response, text: {"overlap_f1": token_f1(response, text)}
)
BLEU_STAGE = _stage(
    registry.BLEU, lambda response, text: {"bleu": bleu(response, text)}, "sacrebleu"
)
ROUGE_STAGE = _stage(registry.ROUGE, rouge, "rouge_score")
METEOR_STAGE = _stage(
    registry.METEOR, lambda response, text: {"meteor": meteor(response, text)}, "nltk"
)
