"""Tests of memory that runs out even for small batches: one pair fails, or the run ends."""

import pytest

from qsquared.cli.main import shortage
from qsquared.errors import NoMemoryError
from qsquared.language.checkpoints.weights import load_encoder
from qsquared.records import Failure
from qsquared.tasks.metrics import Q2
from qsquared.tasks.model_requests import ask_each
from qsquared.tasks.running import stage_runner as workbench
from tests.faults.failing_models import BAD, FailingModels, run, write_log
from tests.faults.test_models_that_fail import tables
from tests.faults.test_smaller_batches import allocate_too_much


def test_one_monstrous_request_costs_only_itself():
    """The others are answered, one at a time if need be, and the failure says why."""

    def model(requests):
        if any(len(request) > 50 for request in requests):
            raise RuntimeError("CUDA out of memory")
        return list(requests)

    monster = "x" * 51
    found = ask_each(model, ["a", monster, "b"])
    assert (found[0], found[2]) == ("a", "b")
    assert isinstance(found[1], Failure)
    assert "out of memory" in found[1].reason


def test_one_request_alone_can_be_monstrous():
    """For a single request, a minimal request decides whether the machine is to blame."""

    def model(requests):
        if max(map(len, requests)) > most:
            raise MemoryError
        return list(requests)

    most = 10
    (found,) = ask_each(model, ["x" * 11], smallest="a")
    assert isinstance(found, Failure)
    most = 0
    with pytest.raises(NoMemoryError, match="1 of 1 requests do not fit"):
        ask_each(model, ["x" * 11], smallest="a")


def test_many_requests_that_do_not_fit_end_the_run():
    """A machine that is too small marks no pairs, although some requests still fit."""

    def model(requests):
        if any(int(request) >= 10 for request in requests):
            raise MemoryError
        return list(requests)

    with pytest.raises(NoMemoryError, match="20 of 30 requests do not fit"):
        ask_each(model, [str(i) for i in range(30)])


@pytest.fixture
def models(monkeypatch):
    """The fake models of every profile."""
    made = FailingModels()

    def build(profile, _device):
        made.profile = profile
        return made

    monkeypatch.setattr(workbench, "build_models", build)
    yield made
    workbench.open_job.cache_clear()


def out_of_memory(_requests):
    """No request fits."""
    raise RuntimeError("CUDA out of memory. Tried to allocate 20.00 MiB.")


@pytest.mark.parametrize(
    ("role", "method"),
    [("parser", "parse"), ("question_answering", "answer"), ("entailment", "judge")],
)
def test_a_run_without_memory_ends_and_the_same_command_goes_on(
    tmp_path, models, monkeypatch, role, method
):
    """The sentence names stage, shard and the command; no pair is marked, and nothing is lost."""
    log = write_log(tmp_path)
    run(tmp_path / "sound", log)
    sound = getattr(getattr(models, role), method)
    setattr(getattr(models, role), method, out_of_memory)
    with pytest.raises(NoMemoryError) as ended:
        run(tmp_path / "s", log)
    assert ended.value.exit_code == 75
    stage = next(s.name for s in Q2.stages if role in s.roles)
    assert f"Memory ran out in the stage {stage} on the shard " in ended.value.message
    assert "CUDA out of memory" in ended.value.message
    told = shortage(ended.value, ["score", "my log.jsonl"])
    assert told.hint.endswith("q2 score 'my log.jsonl'")
    setattr(getattr(models, role), method, sound)
    run(tmp_path / "s", log)
    assert tables(tmp_path / "s") == tables(tmp_path / "sound")


def test_a_pair_that_does_not_fit_is_an_error_of_that_pair(tmp_path, models):
    """One pair whose reading needs too much costs itself; the shard is scored."""
    log = write_log(tmp_path)
    reading = models.question_answering.answer

    def answer(requests):
        if any(BAD in request.text for request in requests):
            raise RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory")
        return reading(requests)

    models.question_answering.answer = answer
    statuses = run(tmp_path / "s", log)["statuses"]
    assert statuses["error"] == 2
    assert statuses["scored"] > 1


def test_weights_that_do_not_fit_are_no_damaged_model(tmp_path):
    """Loading that runs out of memory does not tell to fetch the model again."""

    class Huge:
        @staticmethod
        def from_pretrained(*_args, **_options):
            return allocate_too_much()

    with pytest.raises(MemoryError, match="does not fit"):
        load_encoder(Huge, tmp_path)
