"""The protocol `usr`: both published formats, the regressions, and the tables."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from qsquared.errors import InputError
from qsquared.evaluation import statistics
from qsquared.evaluation.data.usr import CRITERIA, read_indicators, read_usr
from qsquared.evaluation.protocols.glue import cross_validated, fitted_on_all
from qsquared.evaluation.results import make_results
from qsquared.method import bootstrap
from qsquared.method.glue import PAIRED
from qsquared.tasks.jobs.options import Job
from tests.calling import q2
from tests.faults.small_store import words_for_models
from tests.lab.evaluation.test_evaluate_command import figures

FLAT = ("understandability", "naturalness", "coherence", "engagingness", "groundedness", "overall")
REPLIES = (
    ("the sea is deep and blue", 4.5),
    ("i like the sea", 3.0),
    ("bananas sing", 1.0),
    ("deep", 2.5),
)


def _flat(folder, contexts=4):
    rows = [
        {"source": f"do you know the sea {c}", "context": "the sea is deep and blue\n",
         "system_id": f"s{i}", "system_output": said + " ", "scores": dict.fromkeys(FLAT, score + c / 10)}
        for c in range(contexts)
        for i, (said, score) in enumerate(REPLIES)
    ]  # fmt: skip
    (folder / "topical_chat.json").write_text(json.dumps(rows), encoding="utf-8")


def _nested(folder):
    replies = [
        {"response": said, "model": f"m{i}"}
        | {name: [score, score, score + 0.3] for name in CRITERIA}
        for i, (said, score) in enumerate(REPLIES)
    ]
    rows = [
        {
            "context": f"hello {c}",
            "fact": "i love the sea" if c else "_nofact\n",
            "responses": replies,
        }
        for c in range(3)
    ]
    (folder / "pc_usr_data.json").write_text(json.dumps(rows), encoding="utf-8")


def test_both_formats_are_read(tmp_path):
    """USR's own, with three annotators a criterion, and UniEval's, with their mean."""
    _flat(tmp_path)
    _nested(tmp_path)
    found = read_usr(tmp_path)
    whole = [item for item in found.items if item.facts["context"] == "whole dialogue"]
    first, other = whole[0], whole[-1]
    assert (len(whole), len(found.items)) == (16 + 12, 2 * (16 + 12))
    assert (first.previous, first.knowledge) == (
        "do you know the sea 0",
        "the sea is deep and blue",
    )
    assert first.response == "the sea is deep and blue"
    assert first.facts["criteria"]["Uses Knowledge"] == 4.5
    assert other.facts["criteria"]["Overall"] == pytest.approx(2.6)
    assert (other.cluster, other.facts["system"]) == ("persona-chat/2", "m3")
    assert whole[16].knowledge == "_nofact"


def test_the_last_turn_is_a_context_of_its_own(tmp_path):
    """Each reply is read with the whole dialogue before it, and with the last turn alone."""
    rows = [{"source": "hello\nhow are you\n fine , you ?\n", "context": "f", "system_id": "s",
             "system_output": "me too", "scores": dict.fromkeys(FLAT, 1.0)}]  # fmt: skip
    (tmp_path / "topical_chat.json").write_text(json.dumps(rows), encoding="utf-8")
    whole, last = read_usr(tmp_path).items
    assert whole.previous == "hello\nhow are you\n fine , you ?"
    assert last.previous == "fine , you ?"
    assert whole.cluster == last.cluster


def _rated(folder, file="eval_usr_percona_chat.json", contexts=5):
    """The GLUE paper's files: its names of the indicators beside the annotations."""
    names = ("cola", "sst", *(f"{kind}{task}" for kind in ("", "fact_") for task in PAIRED))
    rng = np.random.default_rng(3)
    rows = [
        {"context": f"c{c}", "fact": "f", "responses": [
            {"response": said, "model": "m", **{name: rng.uniform() for name in names},
             **{name: [score, score + c / 10, score] for name in CRITERIA}}
            for said, score in REPLIES]}
        for c in range(contexts)
    ]  # fmt: skip
    (folder / file).write_text(json.dumps(rows), encoding="utf-8")
    return [reply for row in rows for reply in row["responses"]]


def test_indicator_values_are_read_from_the_papers_files(tmp_path, monkeypatch):
    """The regressions need no model of ours, and QNLI and RTE keep the paper's sign."""
    monkeypatch.setattr(bootstrap, "RESAMPLES", 5)
    replies = _rated(tmp_path)
    path = tmp_path / "report.json"
    done = q2(
        "evaluate", "usr-published", "--data", tmp_path, "--store", tmp_path / "s", "--out", path
    )
    assert done.code == 0, done.err
    report, found = figures(path)
    marked = {(part, name.removesuffix(" *")): row for (_, part, name), row in found.items()}
    overall = np.array([np.mean(one["Overall"]) for one in replies])
    qnli = np.array([one["qnli"] for one in replies])
    row = marked["Overall", "context_qnli"]
    assert row["published"] == -0.2434
    assert row["figure"]["value"] == pytest.approx(statistics.spearman(overall, qnli))
    matrix = np.column_stack([[one["cola"] for one in replies], [one["sst"] for one in replies]])
    plain = LinearRegression().fit(matrix, overall).predict(matrix)
    single = marked["Overall", "regression, single"]["figure"]["value"]
    assert single == pytest.approx(statistics.spearman(overall, plain))
    assert not (tmp_path / "s").exists()
    assert report["warning"].startswith("No model is asked")
    with pytest.raises(InputError, match="is not in"):
        read_indicators(tmp_path / "elsewhere")


def test_the_papers_values_of_the_same_replies_stand_beside_the_annotations(tmp_path):
    """Their file is there and has just these replies."""
    _nested(tmp_path)
    _rated(tmp_path)
    assert all("papers" not in item.facts for item in read_usr(tmp_path).items)
    path = tmp_path / "eval_usr_percona_chat.json"
    rows = json.loads(path.read_text(encoding="utf-8"))[:3]
    path.write_text(json.dumps(rows), encoding="utf-8")
    items = read_usr(tmp_path).items
    assert len(items) == 2 * 12
    assert items[5].facts["papers"]["fact_rte"] == rows[1]["responses"][1]["fact_rte"]
    assert items[12 + 5].facts["papers"] == items[5].facts["papers"]


def test_the_results_are_made_of_the_data_that_is_there(tmp_path, monkeypatch):
    """Each protocol with data has its two files; the others are named with the reason."""
    monkeypatch.setattr(bootstrap, "RESAMPLES", 5)
    data, out = tmp_path / "data" / "more" / "usr", tmp_path / "out"
    data.mkdir(parents=True)
    _rated(data)
    left_out = make_results(tmp_path / "data", out, Job(str(tmp_path / "s"), "compact"))
    assert "usr-published" not in left_out
    assert {path.name for path in out.iterdir()} == {
        "usr-published.md", "usr-published.json", "standing.md",
    }  # fmt: skip
    assert left_out["q2-wow"].startswith("q2-wow: The file dodeca_consistent.csv")
    text = (out / "usr-published.md").read_text(encoding="utf-8")
    assert "q2 evaluate usr-published --data data" in text


def test_a_corpus_that_is_missing_is_said(tmp_path):
    """One of both is enough; with neither there is nothing to measure."""
    _flat(tmp_path)
    assert any("persona-chat is not in the data" in note for note in read_usr(tmp_path).notes)
    with pytest.raises(InputError, match="no turn of USR's annotations"):
        read_usr(tmp_path / "elsewhere")


def test_a_file_alone_is_known_by_its_name(tmp_path):
    """PersonaChat's has it in its name."""
    _nested(tmp_path)
    found = read_usr(tmp_path / "pc_usr_data.json")
    assert {item.facts["corpus"] for item in found.items} == {"persona-chat"}


def test_the_papers_regression_sees_what_it_predicts():
    """Fitted and measured on the same turns it finds order in noise; held-out contexts do not."""
    rng = np.random.default_rng(0)
    names = [f"i{n}" for n in range(10)]
    values = {name: rng.normal(size=60) for name in names}
    ratings = rng.normal(size=60)
    clusters = [str(i // 6) for i in range(60)]
    inside = statistics.pearson(ratings, fitted_on_all(values, names, ratings))
    outside = statistics.pearson(ratings, cross_validated(values, names, ratings, clusters))
    assert inside > 0.3
    assert outside < inside - 0.2


def test_a_context_is_never_predicted_from_itself():
    """A turn's prediction does not change with the ratings of its own context."""
    rng = np.random.default_rng(1)
    values = {"cola": rng.uniform(size=24)}
    ratings, clusters = rng.uniform(size=24), [str(i // 4) for i in range(24)]
    before = cross_validated(values, ["cola"], ratings, clusters)
    ratings[:4] += 5
    assert cross_validated(values, ["cola"], ratings, clusters)[:4] == pytest.approx(before[:4])


def test_rescaling_does_not_change_what_is_predicted():
    """The paper's combination is a plain least-squares fit of the rescaled rating."""
    rng = np.random.default_rng(2)
    values = {"cola": rng.uniform(size=30), "sst2": rng.uniform(size=30)}
    ratings = rng.uniform(1, 5, size=30)
    matrix = np.column_stack(list(values.values()))
    plain = LinearRegression().fit(matrix, ratings).predict(matrix)
    scaled = (plain - ratings.min()) / (ratings.max() - ratings.min())
    assert fitted_on_all(values, list(values), ratings) == pytest.approx(scaled)


def test_usr_is_measured_and_reported(tmp_path, monkeypatch):
    """Every indicator is correlated with every criterion, beside the paper's figures and values."""
    monkeypatch.setattr(bootstrap, "RESAMPLES", 20)
    _flat(tmp_path)
    _rated(tmp_path, "eval_usr_topical_chat.json", 4)
    path = tmp_path / "report.json"
    with words_for_models():
        done = q2(
            "evaluate", "usr", "--data", tmp_path, "--store", tmp_path / "store", "--out", path
        )
    assert done.code == 0, done.err
    report, found = figures(path)
    marked = {(part, name.removesuffix(" *")): row for (_, part, name), row in found.items()}
    row = marked["Uses Knowledge", "fact_rte"]
    assert row["published"] == 0.5263
    assert row["figure"]["support"] == 16
    assert marked["Overall", "regression, all"]["published"] == 0.4877
    assert ("Overall", "regression, all, cross-validated") in marked
    assert not any(name == "fact_qqp" for _, name in marked)
    assert ("weight", "bias") in marked
    assert "fact_qqp" in report["tables"][0]["note"]
    pairs = {
        (one["part"], one["first"], one["second"]) for one in report["tables"][0]["comparisons"]
    }
    assert ("Overall", "regression, all", "the paper's regression, all") in pairs
    assert len(pairs) == 3 * 3
