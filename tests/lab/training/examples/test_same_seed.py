"""The same seed gives the same examples, also in another process."""

import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT

SCRIPT = """
from lab.training.examples.qa import make_qa_examples
from lab.training.mixture.reading import Reading
text = "The bridge led to Rome in May. It was red or old by Anna and Bert."
answers = [("to Rome", "in May"), ("red", "old"), ("Anna", "Bert"), ("by Anna", "or old")]
readings = [Reading("squad/a", f"Question {i}?", text, a) for i, a in enumerate(answers)]
print(make_qa_examples(readings, readings, 1))
"""


@pytest.mark.slow
def test_examples_do_not_depend_on_the_hashes_of_a_process():
    """Answers that are equally common come in one order, however Python hashes strings."""
    found = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT], cwd=ROOT, check=True, capture_output=True, text=True,
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
        ).stdout
        for seed in range(4)
    }  # fmt: skip
    assert len(found) == 1
