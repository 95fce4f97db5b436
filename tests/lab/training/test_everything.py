"""``python -m lab.training all`` with fakes in the place of its steps: order, recipes, receipts, resume."""

from pathlib import Path

import pytest

from lab.training import __main__
from lab.training.recipes import RECIPES, number
from qsquared.language.checkpoints.larger_bases import MPNET, base_folder


class Steps:
    """Fakes of the steps, which note their calls; one of them may fail."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[str] = []
        self.given: dict[str, object] = {}
        self.fails = ""
        for name in ("pull_base", "measure_all", "write_cards"):
            monkeypatch.setattr(__main__, name, getattr(self, name))
        monkeypatch.setattr(__main__.export, "main", self.export)

    def note(self, call: str, given: object = None) -> None:
        """Note a call, or stop there."""
        if call == self.fails:
            raise KeyboardInterrupt
        self.calls.append(call)
        self.given[call] = given

    def train(self, words):
        """Fake a training by its command line."""
        self.note(f"train {words[0]} from {options(words)['--start']}", words)

    def export(self, words):
        """Fake an export."""
        self.note(f"export {Path(words[1]).name}", words)

    def pull_base(self, record, _tell):
        """Fake the fetching of the larger encoder."""
        self.note("pull", record)

    def measure_all(self, _sets, _data, job, written):
        """Fake the measuring."""
        self.note(f"measure {job.profile}")
        written.write_text("[]")

    def write_cards(self, _out, measured, profile):
        """Fake the cards."""
        self.note(f"cards {profile}", measured)


def options(words):
    """The options of a command line with their values."""
    return dict(zip(words[1::2], words[2::2], strict=True))


QA, NLI, GLUE, BEGIN = (
    f"train {task} from models/{start}"
    for task, start in (
        ("qa", "compact-qa"),
        ("nli", "compact-nli"),
        ("glue", "compact-nli"),
        ("begin", "compact-nli"),
    )
)
LARGER = "train nli from models/base-nli"
LARGER_READER = "train qa from models/base-nli"


@pytest.fixture
def steps(monkeypatch):
    """The fakes."""
    return Steps(monkeypatch)


@pytest.fixture
def run(tmp_path, steps):
    """A function that makes everything in one folder."""

    def make(*given, **chosen):
        __main__.make_everything(Path("data"), tmp_path, steps.train, given, **chosen)

    return make


def test_each_model_is_exported_before_another_rests_on_it(steps, run, tmp_path):
    """The judge comes before the models that share its weights, and the figures after all."""
    run()
    assert [call for call in steps.calls if call.startswith("train")] == [QA, NLI, GLUE, BEGIN]
    assert steps.calls.index("export compact-nli") < steps.calls.index(GLUE)
    assert steps.calls[-2:] == ["measure compact", "cards compact"]
    for task in ("glue", "begin"):
        folder = str(tmp_path / task / "final")
        export = [folder, f"models/compact-{task}", "--base", "models/compact-nli"]
        assert steps.given[f"export compact-{task}"] == export
    assert "pull" not in steps.calls


def test_each_training_has_the_options_of_its_card_and_those_given(steps, run, tmp_path):
    """Reader and judge start from weights of their own; the threads are those of the command."""
    run("--threads", "1")
    judge = options(steps.given[NLI])
    assert judge == {
        "--data": "data", "--out": str(tmp_path), "--start": "models/compact-nli", "--threads": "1",
        "--frozen-layers": "2", "--learning-rate": "2e-4", "--epochs": "1.2", "--claims": "0.8",
        "--rest": "0.15", "--teacher": "models/base-nli", "--teacher-share": "0.7",
        "--entailment-shift": "-0.6", "--seed": "20261127",
    }  # fmt: skip
    assert options(steps.given[GLUE])["--quick"] == "4000"
    assert options(steps.given[BEGIN])["--frozen-layers"] == "3"


def test_what_is_done_is_not_done_again(steps, run):
    """A second call writes the cards alone."""
    run()
    steps.calls.clear()
    run()
    assert steps.calls == ["cards compact"]


def test_a_stopped_step_is_done_again_and_those_before_it_are_not(steps, run):
    """Its receipt is written after its export."""
    steps.fails = "export compact-nli"
    with pytest.raises(KeyboardInterrupt):
        run()
    assert steps.calls == [QA, "export compact-qa", NLI]
    steps.fails = ""
    steps.calls.clear()
    run()
    assert steps.calls[:2] == [NLI, "export compact-nli"]
    assert QA not in steps.calls


def test_the_larger_judge_and_reader_are_steps_of_their_own(steps, run, tmp_path):
    """Asked for, after the others were made: its encoder is fetched, its adapters are exported."""
    run()
    steps.calls.clear()
    run(larger=True)
    assert steps.calls == [
        "pull", LARGER, "export base-nli", "pull", LARGER_READER, "export base-qa",
        "cards compact", "measure base", "cards base",
    ]  # fmt: skip
    larger = options(steps.given[LARGER])
    assert larger["--base"] == str(base_folder(MPNET.sha256))
    assert (larger["--out"], larger["--adapters"]) == (str(tmp_path / "base-nli"), "64")
    assert larger["--entailment-shift"] == "0"
    trained = tmp_path / "base-nli" / "nli"
    assert steps.given["export base-nli"] == [
        str(trained / "calibrated"), "models/base-nli", "--adapters", str(trained / "adapters"),
    ]  # fmt: skip
    read = tmp_path / "base-qa" / "qa"
    assert steps.given["export base-qa"] == [
        str(read / "final"), "models/base-qa", "--adapters", str(read / "adapters"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "option", ["--start=models/compact-qa", "--learning-rate=0.1", "--frozen-layers=1"]
)
def test_options_of_one_training_are_refused_for_all(option, capsys):
    """One start or rate for reader and judge together would be wrong for one of them."""
    with pytest.raises(SystemExit):
        __main__.main(["all", "--data", "d", "--out", "o", option])
    assert option.partition("=")[0] in capsys.readouterr().err


@pytest.mark.parametrize("option", ["-0.6", "0"])
def test_the_shift_of_entailment_is_an_option_of_the_judge(option, monkeypatch, capsys):
    """So the command of a card makes the weights that are shipped."""
    monkeypatch.setattr(__main__, "train_encoder", lambda given, _: given.entailment_shift)
    __main__.main(["nli", "--data", "d", "--out", "o", "--entailment-shift", option])
    assert float(capsys.readouterr().out) == float(option)


@pytest.mark.parametrize(
    ("value", "text"), [(1e-4, "1e-4"), (3e-4, "3e-4"), (0.75, "0.75"), (1, "1")]
)
def test_numbers_are_written_as_people_write_them(value, text):
    """In the sentences of a card."""
    assert number(value) == text


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=str)
def test_the_card_of_a_model_states_the_commands_of_its_recipe(recipe):
    """Training with all its settings, and export."""
    card = (__main__.MODELS / recipe.model / "README.md").read_text(encoding="utf-8")
    train, export = recipe.commands
    if recipe.rests_on:  # such a card is written by hand
        train, export = recipe.options.split(" ", 2)[-1], f"--base models/{recipe.rests_on}"
    assert train in card
    assert export in card
