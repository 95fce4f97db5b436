"""Runs by `transformers serve`, a real server, with two tiny Llamas: a random one and one of few words."""

import contextlib
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from transformers.utils.import_utils import is_serve_available

from tests.calling import q2
from tests.faults.test_served_runs import ROLES, lines_of, score
from tests.language.endpoint.server import profile_file
from tests.operations import free_port

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not is_serve_available(), reason="transformers cannot serve here"),
]

SAYS = {
    "<phrases>": '{"questions": [{"phrase": 1, "question": "What is it about?"}]}',
    "<question>": '{"answer": ""}',
    "<premise>": '{"verdict": "entailed"}',
    "<sentence>": '{"quotation": "", "verdict": "neutral"}',
}
"""Words of the Llama of few words in answer to a message, by a tag in it; each is one token."""


def save_llama(folder, *, random):
    """A Llama of one layer over bytes and the words above.

    The one that is not random gives each token the next one, whatever else it read: its template of
    chats ends with a tag of the message, after which its weights put the words that belong to it.
    """
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    entries = {letter: i for i, letter in enumerate([*letters, "</s>"])}
    tokenizer = Tokenizer(models.BPE(vocab=entries, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_tokens([AddedToken(f"[{tag}]") for tag in SAYS])
    tokenizer.add_tokens(list(SAYS.values()))
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="</s>", pad_token="</s>")
    ends = "".join(
        f"{{% if '{tag}' in messages[1]['content'] %}}[{tag}]{{% endif %}}" for tag in SAYS
    )
    fast.chat_template = "{% for m in messages %}{{ m['content'] }}\n{% endfor %}" + ends
    size, end = len(fast), fast.eos_token_id
    torch.manual_seed(0)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=size, hidden_size=size + size % 2, intermediate_size=8, num_hidden_layers=1,
            num_attention_heads=1, num_key_value_heads=1, eos_token_id=end, pad_token_id=end,
            bos_token_id=None, max_position_embeddings=8192, tie_word_embeddings=False,
        )
    )  # fmt: skip
    if not random:
        following = torch.zeros(size, size + size % 2)
        for tag, words in SAYS.items():
            said = fast.convert_tokens_to_ids(words)
            following[said, fast.convert_tokens_to_ids(f"[{tag}]")] = following[end, said] = 1.0
        layer = model.model.layers[0]
        with torch.no_grad():
            model.model.embed_tokens.weight.copy_(torch.eye(*following.shape))
            model.lm_head.weight.copy_(following)
            layer.self_attn.o_proj.weight.zero_()
            layer.mlp.down_proj.weight.zero_()
    model.save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The address of a server, which ends with the tests."""
    port, folder = free_port(), tmp_path_factory.mktemp("server")
    command = [Path(sys.executable).with_name("transformers"), "serve", "--port", str(port)]
    with (folder / "serve.txt").open("wb") as said:
        server = subprocess.Popen(
            [*command, "--device", "cpu"],
            stdout=said,
            stderr=said,
            env=os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(folder)},
        )
    try:
        until = time.monotonic() + 300
        while server.poll() is None and time.monotonic() < until:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5).close()
                break
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait()


def profile_of(folder, url, model, roles=("entailment",), more=""):
    """A profile by which a model of the server plays some roles."""
    path = profile_file(folder, url, roles, more)
    path.write_text(path.read_text().replace('model = "tiny"', f'model = "{model}"'))
    return path


def test_answers_that_are_no_json_cost_their_pairs_with_a_reason(address, tmp_path, write_log):
    """Each answer of a random model is kept with its tokens, and a second run asks nothing."""
    model = save_llama(tmp_path / "random", random=True)
    profiles = profile_of(tmp_path, address, model, more="longest_answer = 8")
    store, log = tmp_path / "store", write_log("log.jsonl", 1)
    first = score(log, store, profiles)
    lines = lines_of(store)
    assert lines, first.said
    assert all(line["input_tokens"] > 100 and line["output_tokens"] > 0 for line in lines)
    assert {line["attempt"] for line in lines} == {1, 2, 3}
    assert not any(line["sound"] for line in lines)
    reasons = q2("sql", "SELECT status, reason FROM scores", "--csv", "--store", store).out
    assert "error" in reasons
    assert "3 times" in reasons
    score(log, store, profiles)
    assert lines_of(store) == lines


def test_every_role_is_played_by_a_real_model(address, tmp_path, write_log):
    """Its questions, its answers and its verdicts make scores, and a second run asks nothing."""
    model = save_llama(tmp_path / "few", random=False)
    profiles = profile_of(tmp_path, address, model, ROLES)
    store, log = tmp_path / "store", write_log("log.jsonl", 2)
    first = score(log, store, profiles)
    assert first.code == 0, first.said
    lines = lines_of(store)
    assert {line["answer"] for line in lines} <= set(SAYS.values())
    assert {line["prompt"].partition("/")[0] for line in lines} >= {
        "generate",
        "read",
        "judge_claim",
    }
    assert all(line["sound"] for line in lines)
    asked = "SELECT count(*) FILTER (support IS NOT NULL) AS n FROM scores"
    assert q2("sql", asked, "--csv", "--store", store).out.split() == ["n", "2"]
    score(log, store, profiles)
    assert lines_of(store) == lines
