"""Tests that lists, series, frames and Arrow tables of replies are read alike."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from qsquared.errors import UsageError
from qsquared.notebooks.inputs import Reply, replies_of

SAID, KNOWN = ["a reply", "another"], [["one", "two"], ["three"]]
READ = [Reply("a reply", ("one", "two")), Reply("another", ("three",))]
COLUMNS = {"response": SAID, "knowledge": KNOWN}


@pytest.mark.parametrize(
    "given",
    [
        (pl.DataFrame(COLUMNS),),
        (pd.DataFrame(COLUMNS),),
        (pd.DataFrame(COLUMNS | {"knowledge": [np.array(one) for one in KNOWN]}),),
        (pa.table(COLUMNS),),
        (SAID, KNOWN),
        (tuple(SAID), tuple(map(tuple, KNOWN))),
        (pl.Series(SAID), pl.Series(KNOWN)),
        (pd.Series(SAID), pd.Series(KNOWN)),
        (pa.chunked_array([SAID]), pa.array(KNOWN)),
        (np.array(SAID), KNOWN),
    ],
    ids=[
        "polars", "pandas", "pandas with arrays", "arrow", "lists", "tuples", "polars series",
        "pandas series", "arrow arrays", "numpy",
    ],
)  # fmt: skip
def test_every_form_gives_the_same_replies(given):
    """In their order, with passages apart."""
    assert replies_of(*given) == READ


def test_columns_of_other_names_are_named():
    """Also the one of the turns before, which `history` is by itself."""
    frame = pl.DataFrame({"answer": ["a"], "context": ["k"], "asked": ["q?"]})
    assert replies_of(frame, "context", "asked", response="answer") == [Reply("a", ("k",), ("q?",))]
    with_history = pl.DataFrame({"response": ["a"], "knowledge": ["k"], "history": [["x", "q?"]]})
    assert replies_of(with_history)[0].history == ("x", "q?")


@pytest.mark.parametrize(
    "held",
    [pa.array(["a", "b"]), pl.Series(["a", "b"]), pd.Series(["a", "b"]), np.array(["a", "b"])],
)
def test_each_element_may_be_a_series_or_an_array(held):
    """Of knowledge and of the turns before."""
    assert replies_of(["r"], [held], [held]) == [Reply("r", ("a", "b"), ("a", "b"))]


def test_a_parquet_file_is_read_as_pandas_gives_it(tmp_path):
    """Its lists are arrays, of texts or of documents."""
    documents = [{"title": "Fees", "text": known} for known in KNOWN[0]]
    frame = pa.table({"response": SAID[:1], "knowledge": [documents], "history": [["x", "q?"]]})
    parquet.write_table(frame, tmp_path / "replies.parquet")
    read = pd.read_parquet(tmp_path / "replies.parquet")
    assert isinstance(read["knowledge"][0], np.ndarray)
    assert replies_of(read) == [Reply(SAID[0], tuple(KNOWN[0]), ("x", "q?"))]


def test_what_a_frame_lacks_is_empty():
    """None, NaN and pandas' NA are no text; such a reply gets a status and no score."""
    frame = pd.DataFrame({"response": ["a", None, pd.NA], "knowledge": [float("nan"), "k", None]})
    assert replies_of(frame) == [Reply("a", ()), Reply("", ("k",)), Reply("", ())]


def test_documents_give_their_texts():
    """As a log would be read, titles and scores left out."""
    documents = [{"title": "Fees", "text": "It costs 5 euros.", "tags": np.array(["a", "b"])}]
    documents += [{"text": " "}]
    for held in (documents, tuple(documents), np.array(documents)):
        assert replies_of(["a"], [held])[0].knowledge == ("It costs 5 euros.",)
    del documents[0]["tags"]
    assert replies_of(["a"], [documents])[0].knowledge == ("It costs 5 euros.",)
    assert replies_of(pl.DataFrame({"response": ["a"], "knowledge": [documents]}))[0].knowledge == (
        "It costs 5 euros.",
    )


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ((pl.DataFrame({"x": [1]}),), "no column 'response'"),
        ((pl.DataFrame({"response": ["a"]}),), "no column 'knowledge'"),
        ((5, 6), "int is no list of texts"),
        ((["a"],), "There is no knowledge to hold the replies against"),
        (("a", "k"), "a list of them is needed"),
        ((["a"], "k"), "a list of them is needed"),
        (([b"a"], ["k"]), "Number 0 holds bytes"),
        ((["a"], ["k"], [{"role": "user"}]), "Number 0 holds dict"),
        ((pd.DataFrame([["a", "b", "k"]], columns=["response", "response", "knowledge"]),),
         "two columns 'response'"),
        ((pa.table([["a"], ["b"]], names=["knowledge"] * 2),), "two columns 'knowledge'"),
        (({"response": ["a"], "knowledge": ["k"]},), "dict is no list of texts and no frame"),
        ((["a"], ["k"], ["h", "i"]), "histories for 2"),
        ((pd.Series(["a"]), pd.Series([object()])), "Series cannot be read"),
        ((["a"], [[{"x": 1}]]), "Number 0 holds knowledge that cannot be read"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_a_sentence(given, told):
    """It names what is missing, and the error has a hint."""
    with pytest.raises(UsageError, match=told) as caught:
        replies_of(*given)
    assert caught.value.hint
