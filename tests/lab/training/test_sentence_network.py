"""The network of sentences in torch, and as the method reads its weights."""

import gzip
import json

import numpy as np
import pytest
import torch

from lab.training.mixture.reading import read_table
from lab.training.sentences.corpus import (
    KEPT_APART,
    Labelled,
    claims_like_talk,
    corpus,
    grammar,
)
from lab.training.sentences.made import Maker, tag
from lab.training.sentences.model import SentenceNet, averaged, batch, exported
from qsquared.method.plain.sentence_kinds import LEARNED
from qsquared.method.plain.sentence_network import SPECIAL, indices, tokens, unpacked

WORDS = ["the", "museum", "opens", "at", "nine", ",", "."]
SENTENCES = [
    "Yes.",
    "The museum opens at 9.",
    "Hello, THE museum in Skarholm opens at nine, " + "and opens again, " * 40 + "Maria.",
]


def words(sentence):
    """The tokens of a sentence."""
    return [token.group() for token in tokens(sentence)]


def test_the_weights_say_the_same_without_torch():
    """Probabilities of kinds and tags are those of torch, alone or in a batch, but for the int8 storage."""
    torch.manual_seed(3)
    vectors = torch.cat([torch.zeros(SPECIAL, 8), torch.randn(len(WORDS), 8)])
    net = SentenceNet(vectors, len(WORDS) + SPECIAL, len(LEARNED)).eval()
    settings = {"kinds": list(LEARNED), "fixed": WORDS[:4], "common": WORDS[4:], "own": WORDS}
    network = unpacked(exported(net, settings, 2.0))
    rows = {word: row for row, word in enumerate(WORDS, SPECIAL)}
    read = [indices(words(sentence), rows, rows) for sentence in SENTENCES]
    with torch.no_grad():
        kinds, tags = net(*batch(read))
    for number, sentence in enumerate(SENTENCES):
        judged = network.judge(words(sentence))
        expected = torch.softmax(kinds[number] / 2.0, 0).numpy()
        assert list(judged.kinds.values()) == pytest.approx(expected, abs=0.02)
        logs = torch.log_softmax(tags[number], 1).numpy()[: len(judged.tags)]
        assert np.allclose(judged.tags, logs, atol=0.1)


def test_made_examples_have_kinds_and_tags():
    """Templates are filled whole, and each token of a made claim has its tag."""
    maker = Maker([Labelled("claim", "The museum opens at nine.", "x", 1.0)] * 2, 5)
    for row in maker.templates(300):
        assert row.kind in LEARNED
        assert not set("[]{}") & set(row.text)
    assert {kind for kind, _ in grammar()[1]} == set(LEARNED)
    assert tag("Yes, ", "it is", ", Tom.").tags == (0, 0, 1, 1, 2, 2, 2)


def test_nothing_that_is_measured_on_is_trained_on(tmp_path):
    """A sentence that was kept apart is drawn neither from the data by hand nor from replies."""
    kept = next(
        row["sentence"] for row in read_table(KEPT_APART[0]) if len(row["sentence"].split()) > 8
    )
    replies = tmp_path / "more/replies/wow-human-valid.jsonl.gz"
    replies.parent.mkdir(parents=True)
    (tmp_path / "claims").mkdir()
    other = "The lighthouse at Skarholm was built of red brick in 1884."
    lines = [json.dumps({"response": text}) for text in (kept, other)]
    replies.write_bytes(gzip.compress("\n".join(lines).encode()))
    (tmp_path / "claims/claims.jsonl.gz").write_bytes(gzip.compress(b""))
    found = {row.text.lower() for row in corpus(tmp_path, 10, 7)}
    assert other.lower() in found
    assert not found & {row["sentence"].lower() for row in read_table(KEPT_APART[0])}
    assert not found & {claim.lower() for claim in claims_like_talk()}


def test_the_mean_of_networks_has_their_mean_weights():
    """Networks of one training are averaged weight by weight; others are refused."""
    settings = {"kinds": list(LEARNED), "fixed": WORDS, "common": [], "own": WORDS}
    nets = [SentenceNet(torch.ones(len(WORDS) + SPECIAL, 8), 10, len(LEARNED)) for _ in range(2)]
    one, other = (exported(net, settings, 1.0) for net in nets)
    found = averaged([one, other])[0].state_dict()["kinds.bias"]
    assert torch.allclose(found, (nets[0].kinds.bias + nets[1].kinds.bias) / 2)
    with pytest.raises(ValueError, match="different words"):
        averaged([one, exported(nets[1], settings | {"own": WORDS[1:]}, 1.0)])


def test_templates_of_lead_ins_are_filled():
    """Words that belong to a claim are tagged as its own, and no mark of a template is left."""
    maker = Maker([Labelled("claim", "The museum opens at nine.", "x", 1.0)] * 2, 5)
    for made in maker.tagged(300):
        assert not set("{}|") & set(made.text)
        assert len(made.tags) == len(words(made.text))
