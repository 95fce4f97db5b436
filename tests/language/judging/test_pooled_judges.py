"""Judges whose judgements are pooled."""

from __future__ import annotations

from pathlib import Path

import pytest

from qsquared.language.judging.nli import NliJudge, PooledJudge
from qsquared.language.models import build_models
from qsquared.method.knowledge.evidence import pooled
from qsquared.profiles.loading import get_profile
from tests.language.judging.test_nli_judging import REQUESTS, SHORT
from tests.language.tiny_models import bert_nli, roberta_nli


@pytest.fixture(scope="module")
def judges(tmp_path_factory: pytest.TempPathFactory) -> tuple[NliJudge, NliJudge]:
    """Two judges with other weights."""
    folder: Path = tmp_path_factory.mktemp("pooled")
    made = bert_nli(folder / "first"), roberta_nli(folder / "second")
    first, second = (NliJudge(str(path), parameters=SHORT) for path in made)
    return first, second


def test_judgements_of_two_judges_are_pooled(judges: tuple[NliJudge, NliJudge]) -> None:
    """Each request has the geometric mean of what both say, the second counting by its share."""
    first, second = judges
    both = zip(first.judge(REQUESTS), second.judge(REQUESTS), strict=True)
    found = PooledJudge(first, second, 0.25).judge(REQUESTS)
    assert found == [pooled(judgements, (0.75, 0.25)) for judgements in both]


def test_a_pool_is_known_by_both_judges_and_the_share(judges: tuple[NliJudge, NliJudge]) -> None:
    """So scores of another pool are never reused."""
    first, second = judges
    identity = PooledJudge(first, second, 0.25).identity
    assert first.identity in identity
    assert second.identity in identity
    assert identity != PooledJudge(first, second, 0.5).identity
    assert identity != PooledJudge(second, first, 0.25).identity


def test_the_profile_base_pools_its_judge_with_that_of_compact() -> None:
    """Its consistency model reads for the first of both."""
    models = build_models(get_profile("base"))
    assert isinstance(models.entailment, PooledJudge)
    assert models.entailment.second.checkpoint == "bundled:compact-nli"
    assert get_profile("base").roles["entailment.second"].checkpoint == "bundled:compact-nli"
