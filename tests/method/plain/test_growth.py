"""The time of reading a reply grows with its length, on texts made to be slow."""

import time

import pytest

from qsquared.method.plain.reply import reply_sentences

NASTY = [
    "[",
    "*a ",
    "_a ",
    "> ",
    "![",
    "[a](",
    "<a ",
    "`a``b ",
    "- ",
    "a\n",
    "a b. ",
    "<cite></cite>",
    "<!--",
    "|a|b\n",
    "|",
    "(source: ",
    "[source ",
    "【",
    "😊 ",
    "😊",
    " ",
    "\n",
    "&amp;",
    "&",
    "<sup>1</sup>",
    "^1 ",
    "word¹ ",
    "http://a ",
    "((",
    "\\*",
    "**",
    "* ",
    "1. ",
    "# ",
    "```\n",
    "Sources:\n",
    "[1] a\n",
    "hello ",
    "haha",
    "yes ",
    "oh wow ",
    "i don't know ",
    "|-",
    "-",
    "a, do you ",
    '."',
    "\u200b",
    "[a][b]",
    "<p>",
    "<li>a",
    "e.g. ",
    "A.",
    "sorry, ",
    "according to the ",
    "<script>",
    "[[",
    "](",
    ":a",
    "a:b:",
    '{"a":',
    '{"a": "',
    "(a, p. ",
    "[a et al ",
    "<x></x>",
    "<x>",
    "</think>",
    "-- \n",
    "\\cite{",
    "{1}",
    "[a](b)\n",
    "as an ai ",
    "(1) ",
    "[1], ",
    '"',
    "a.pdf, ",
    "<https://a|",
    "<|a|>",
    "[think]",
    "[/think]",
    "thought: a\n",
    "answer:\n",
    "\\n",
    "a:\\n",
    "{'answer': 'a',",
    '{"a":[',
    '```json\n{"a"',
    'says: "b ',
    "Anna: ",
    "[10:32] Anna: ",
    "\\text{a}",
    "turn0search0",
    "[/b]",
    "&amp;amp;",
    "&lt;/p&gt;",
    "A B\n",
    "Maria, the a ",
    "e\u0301",
    "From: a\nSent: b\n",
]


def _processor_seconds(*texts):
    before = time.process_time()
    for text in texts:
        reply_sentences(text)
    return time.process_time() - before


@pytest.mark.slow
@pytest.mark.parametrize("unit", NASTY)
def test_time_grows_with_the_length_of_a_reply(unit):
    """Four times the text takes about four times as long, not sixteen times, whatever it is made of."""
    text = (unit * 60_000)[:60_000]
    for _ in range(6):
        # The quarter four times over takes as long, so that a processor which others use slows both.
        quarters = _processor_seconds(*[text[:15_000]] * 4)
        growth = 4 * _processor_seconds(text) / max(quarters, 0.08)
        if growth < 9:
            return
    pytest.fail(f"Four times the text takes {growth:.0f} times as long.")
