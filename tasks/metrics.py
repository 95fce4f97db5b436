"""The metrics: each a small named graph of stages, with the defaults of their parameters."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from qsquared.method.knowledge.copies import VERBATIM
from qsquared.method.knowledge.excerpts import QUESTION_WORDS
from qsquared.method.plain.reply import CLAIMS
from qsquared.method.q2.second_look import SECOND_LOOK
from qsquared.method.qags import CANDIDATES, QUESTIONS_COMPARED
from qsquared.method.question_generation import CLAUSES
from qsquared.method.values.compare import BY_VALUE
from qsquared.tasks.end_to_end_nli import SENTENCES
from qsquared.tasks.other_metrics import baselines, begin, glue, qags
from qsquared.tasks.q2 import (
    answer_on_knowledge,
    compare_answers,
    compute_scores,
    extract_spans,
    filter_questions,
    generate_questions,
    judge_sentences,
    score_sentences,
    split_sentences,
)
from qsquared.tasks.stage import Stage


@dataclass(frozen=True)
class Metric:
    """A metric with its own stages; the stages that these read may be other metrics'.

    ``stages`` are its own, in an order in which each comes after its inputs, and ``defaults`` the
    parameters that these read.
    A stage may read tables of other metrics: those then run with it, whole (``tasks/jobs/graph.py``).
    """

    name: str
    meaning: str
    stages: tuple[Stage, ...]
    defaults: Mapping[str, Any] = field(default_factory=dict)
    published: Mapping[str, Any] = field(default_factory=dict)
    """Values of parameters by which the metric follows its paper, where the default deviates."""


Q2 = Metric(
    "q2",
    "Q² (Honovich et al. 2021), with NLI and without",
    (
        split_sentences.STAGE,
        extract_spans.STAGE,
        generate_questions.STAGE,
        filter_questions.STAGE,
        answer_on_knowledge.STAGE,
        judge_sentences.STAGE,
        compare_answers.STAGE,
        score_sentences.STAGE,
        compute_scores.STAGE,
    ),
    {
        "variant": "single",
        "leave_out_personal": True,
        # Questions about "you" and "your" are asked; the paper leaves them out as personal.
        "second_person": True,
        "fallback_premise": "knowledge",
        # NLI of a response is the mean over its sentences; None: of the whole, as in the paper.
        "nli_by": SENTENCES,
        # Of a longer response a question is answered on the sentences around its span; not in the paper.
        "response_characters": 150,
        # All that the generator gives; 1 keeps its best question only.
        "questions_per_span": None,
        # A question is on the clause of its span, cut out of the sentence; not in the paper.
        "clauses": CLAUSES,
        # Spans of a sentence are asked about, the most telling first, until so many have a valid question; not
        # in the paper.
        "questions_per_sentence": 4,
        # Of longer knowledge a question is read on the sentences that may answer it; not in the paper.
        "knowledge_words": QUESTION_WORDS,
        # Answers with values are compared by these before the judge is asked; not in the paper.
        "by_value": BY_VALUE,
        # The judgement of a sentence corrects the scores of its questions; not in the paper.
        "second_look": SECOND_LOOK,
        # Questions are asked about claims in plain text; None reads replies as logged, as the paper.
        "sentences": CLAIMS,
    },
    published={
        "by_value": None,
        "second_look": None,
        "second_person": None,
        "nli_by": None,
        "sentences": None,
        "clauses": None,
        "questions_per_sentence": None,
        "knowledge_words": None,
        # Without a bound the questions on a long response take quadratic time.
        "response_characters": 4000,
    },
)

_OTHERS = (
    Metric(
        "e2e_nli",
        "whether the knowledge entails the claims of the reply: 1, 0.5 or 0, and what to expect",
        (baselines.NLI_STAGE, baselines.E2E_NLI_STAGE),
        {"fallback_premise": "knowledge", "nli_by": SENTENCES, "sentences": CLAIMS},
        published={"nli_by": None, "sentences": None},
    ),
    # Q² beside two views of the whole response (method/baselines.py).
    Metric("blend", "the mean of Q², end-to-end NLI and token overlap", (baselines.BLEND_STAGE,)),
    Metric(
        "qags",
        "QAGS (Wang et al. 2020), made for summaries",
        (qags.ASK, qags.ANSWER, qags.SCORE),
        {"qags_candidates": CANDIDATES, "qags_questions": QUESTIONS_COMPARED, "qags_seed": 0},
    ),
    Metric("overlap", "shared words of reply and knowledge", (baselines.OVERLAP_STAGE,)),
    Metric("bleu", "BLEU against the knowledge", (baselines.BLEU_STAGE,)),
    Metric("rouge", "ROUGE-1, -2 and -L against it", (baselines.ROUGE_STAGE,)),
    Metric("meteor", "METEOR against it, without synonyms", (baselines.METEOR_STAGE,)),
    Metric("bertscore", "BERTScore against it", (baselines.BERTSCORE_STAGE,)),
    Metric(
        "consistency",
        "how far the knowledge supports it, by a learned model",
        (baselines.CONSISTENCY_STAGE,),
        {"sentences": CLAIMS},
        published={"sentences": None},
    ),
    # Reads the turn before the reply, too (Dziri et al. 2021, first version).
    Metric(
        "begin",
        "BEGIN's classes: entailed, hallucinated, off-topic, generic or contradicted",
        (begin.STAGE,),
        # A reply that is sentences of the knowledge is entailed, whatever the classifier says; not
        # in the paper.
        {"sentences": CLAIMS, "verbatim": VERBATIM},
        published={"sentences": None, "verbatim": None},
    ),
    Metric(
        "glue",
        "proxy indicators by models tuned on GLUE (Nedelchev et al. 2021)",
        (glue.RATE, glue.COMBINE),
        # Bounds and a regression of your own; none: the bounds by nature, and no combination.
        {"glue_range": None},
    ),
)

METRICS = {metric.name: metric for metric in (Q2, *_OTHERS)}
