"""The command lines of the trainings, and the recipes of the shipped models."""

import shlex

import pytest

from lab.training import __main__, recipes
from lab.training.begin import PAPER
from lab.training.recipes import MODELS, RECIPES, number


@pytest.fixture
def settings(monkeypatch):
    """A function from a command line to the settings and the folders of its training."""

    def read(*words):
        seen = []
        fake = lambda *given: seen.append(given) or {}  # noqa: E731
        monkeypatch.setattr(__main__, "TRAININGS", dict.fromkeys(__main__.TRAININGS, fake))
        monkeypatch.setattr(__main__, "write_json", lambda *_: None)
        __main__.main(words)
        folders, found = seen[0]
        return found, folders

    return read


@pytest.mark.parametrize("option", ["-0.6", "0"])
def test_the_shift_of_entailment_is_an_option_of_the_judge(option, settings):
    """So the command of a card makes the weights that are shipped."""
    found, _ = settings("nli", "--data", "d", "--out", "o", "--entailment-shift", option)
    assert found.entailment_shift == float(option)


def test_the_classifier_of_replies_has_the_paper_s_settings_by_default(settings):
    """An option of its command replaces one of them."""
    assert settings("begin", "--data", "d", "--out", "o")[0] == PAPER
    found, _ = settings("begin", "--data", "d", "--out", "o", "--learning-rate", "1e-4")
    assert (found.learning_rate, found.epochs) == (1e-4, PAPER.epochs)


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=str)
def test_each_recipe_is_a_command_line_of_the_trainings(recipe, settings):
    """All its options are known; adapters have a folder of their own."""
    train, _ = recipe.commands
    found, folders = settings(*shlex.split(train)[3:])
    assert folders.task == recipe.task
    assert str(folders.out) == recipe.out
    assert bool(found.adapter_rank) == recipe.adapters
    assert folders.start.name in RECIPES


def test_a_model_is_made_before_another_rests_on_it(capsys):
    """The commands of a profile are printed in an order in which a shell can run them."""
    recipes.main(["--profile", "compact"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] for line in lines if ".export" in line and "--base" not in line] == [
        "models/compact-qa", "models/compact-nli",
    ]  # fmt: skip
    assert "lab.training.export" in lines[3]
    assert all("--base models/compact-nli" in line for line in lines[5::2])
    recipes.main(["--profile", "base"])
    assert "--adapters build/train/base-nli/nli/adapters" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("value", "text"), [(1e-4, "1e-4"), (3e-4, "3e-4"), (0.75, "0.75"), (1, "1")]
)
def test_numbers_are_written_as_people_write_them(value, text):
    """In the sentences of a card."""
    assert number(value) == text


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=str)
def test_the_card_of_a_model_states_the_commands_of_its_recipe(recipe):
    """Training with all its settings, and export."""
    card = (MODELS / recipe.model / "README.md").read_text(encoding="utf-8")
    train, export = recipe.commands
    if recipe.rests_on:  # such a card is written by hand
        train, export = recipe.options.split(" ", 2)[-1], f"--base models/{recipe.rests_on}"
    assert train in card
    assert export in card
