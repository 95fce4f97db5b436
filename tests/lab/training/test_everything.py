"""``python -m lab.training all`` with fakes in the place of its steps: order, recipes, receipts, resume."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lab.training import __main__, everything
from lab.training.encoders.fit import Settings
from lab.training.recipes import RECIPES, number
from qsquared.language.checkpoints.larger_bases import MPNET, base_folder

GIVEN = Settings(threads=1, learning_rate=0.5)
TRAININGS = ["train qa", "train nli", "train glue", "train begin"]


class Steps:
    """Fakes of the steps, which note their calls; one of them may fail."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[str] = []
        self.given: dict[str, object] = {}
        self.fails = ""
        for name in ("export_model", "export_adapters", "pull_base", "measure_all", "write_cards"):
            monkeypatch.setattr(everything, name, getattr(self, name))
        monkeypatch.setattr(everything, "train_encoder", self.train_encoder)
        monkeypatch.setattr(everything, "train_glue", self.train_glue)
        monkeypatch.setattr(everything, "unpacked", lambda shipped, _target: shipped)
        monkeypatch.setattr(everything.begin, "train", self.train_classes)

    def note(self, call: str, given: object = None) -> None:
        """Note a call, or stop there."""
        if call == self.fails:
            raise KeyboardInterrupt
        self.calls.append(call)
        self.given[call] = given

    def train_encoder(self, task, arguments, settings, out=None, shift=0.0):
        """Fake the training of an encoder."""
        name = f"train {out.name}" if out else f"train {task}"
        self.note(name, (arguments, settings, shift))

    def train_glue(self, start, _data, _out, settings, examples):
        """Fake the training of the indicators."""
        self.note("train glue", (start, settings, examples))

    def train_classes(self, arguments):
        """Fake the training of the classifier of replies."""
        self.note("train begin", arguments)

    def export_model(self, _checkpoint, target, base=None):
        """Fake an export."""
        self.note(f"export {target.name}", base)

    def export_adapters(self, adapters, calibrated, target):
        """Fake an export of adapters."""
        self.note(f"export {target.name}", (adapters.name, calibrated.name))

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


@pytest.fixture
def steps(monkeypatch):
    """The fakes."""
    return Steps(monkeypatch)


@pytest.fixture
def run(tmp_path):
    """A function that makes everything in one folder."""

    def make(**options):
        arguments = {"out": tmp_path, "data": Path("data"), "start": None, "base": None}
        arguments |= {"larger": False, "mixture": Path("mixture.toml"), "quick": None}
        everything.make_everything(argparse.Namespace(**(arguments | options)), GIVEN)

    return make


def test_each_model_is_exported_before_another_rests_on_it(steps, run):
    """The judge comes before the models that share its weights, and the figures after all."""
    run()
    assert [call for call in steps.calls if call.startswith("train")] == TRAININGS
    assert steps.calls.index("export compact-nli") < steps.calls.index("train glue")
    assert steps.calls[-2:] == ["measure compact", "cards compact"]
    assert steps.given["export compact-glue"] == Path("models/compact-nli")
    assert steps.given["export compact-begin"] == Path("models/compact-nli")
    assert "pull" not in steps.calls


def test_each_training_follows_its_recipe(steps, run):
    """Reader and judge start from weights of their own, whatever the command's settings are."""
    run()
    for task, name in (("qa", "compact-qa"), ("nli", "compact-nli")):
        arguments, settings, shift = steps.given[f"train {task}"]
        recipe = RECIPES[name]
        assert arguments.start == Path("models") / name
        assert settings == replace(
            GIVEN,
            learning_rate=recipe.learning_rate,
            epochs=recipe.epochs,
            frozen_layers=recipe.frozen_layers,
            rest=recipe.rest,
            teacher=Path("models") / recipe.teacher if recipe.teacher else None,
            teacher_share=recipe.teacher_share,
            seed=recipe.seed,
        )
        assert shift == recipe.entailment_shift
    classes = steps.given["train begin"]
    assert (classes.learning_rate, classes.frozen_layers, classes.epochs) == (1e-4, 3, 3.0)
    assert (classes.examples, classes.start) == (4000, Path("models/compact-nli"))
    start, settings, examples = steps.given["train glue"]
    assert (start, settings.learning_rate, examples) == (Path("models/compact-nli"), 1e-4, 4000)


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
    assert steps.calls == ["train qa", "export compact-qa", "train nli"]
    steps.fails = ""
    steps.calls.clear()
    run()
    assert steps.calls[:2] == ["train nli", "export compact-nli"]
    assert "train qa" not in steps.calls


def test_the_larger_judge_is_a_step_of_its_own(steps, run, tmp_path):
    """Asked for, after the others were made: its encoder is fetched, its adapters are exported."""
    run()
    steps.calls.clear()
    run(larger=True)
    assert steps.calls == [
        "pull", "train base-nli", "export base-nli",
        "cards compact", "measure base", "cards base",
    ]  # fmt: skip
    arguments, settings, _shift = steps.given["train base-nli"]
    assert (arguments.start, arguments.base) == (
        everything.MODELS / "base-nli",
        base_folder(MPNET.sha256),
    )
    assert arguments.out == tmp_path
    assert settings.adapter_rank == RECIPES["base-nli"].adapter_rank > 0
    assert steps.given["export base-nli"] == ("adapters", "calibrated")


@pytest.mark.parametrize(
    "option", ["--start=models/compact-qa", "--learning-rate=0.1", "--frozen-layers=1"]
)
def test_options_of_one_training_are_refused_for_all(option, monkeypatch, capsys):
    """One start or rate for reader and judge together would be wrong for one of them."""
    monkeypatch.setattr(sys, "argv", ["training", "all", "--data", "d", "--out", "o", option])
    with pytest.raises(SystemExit):
        __main__.main()
    assert option.partition("=")[0] in capsys.readouterr().err


@pytest.mark.parametrize(
    ("value", "text"), [(1e-4, "1e-4"), (3e-4, "3e-4"), (0.75, "0.75"), (1, "1")]
)
def test_numbers_are_written_as_people_write_them(value, text):
    """In the commands of a card."""
    assert number(value) == text


def test_a_recipe_gives_the_commands_of_its_card():
    """Training and export, with the settings that are not the defaults."""
    train, export = RECIPES["compact-nli"].commands
    assert train.endswith(
        "--start models/compact-nli --frozen-layers 2 --learning-rate 1.5e-4 --epochs 1.25 --rest 0.33"
        " --teacher models/base-nli --teacher-share 0.5 --seed 20261125"
    )
    assert export == "python -m lab.training.export build/train/nli/calibrated models/compact-nli"
    train, export = RECIPES["base-nli"].commands
    assert "--start models/base-nli --base ENCODER --adapters 64" in train
    assert export.endswith(
        "base-nli/nli/calibrated models/base-nli --adapters build/train/base-nli/nli/adapters"
    )
