"""A server with OpenAI's interface that answers by simple rules, and misbehaves to order.

It reads what the shipped prompts send, and counts each distinct request.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import re
import threading
import time
from collections import Counter

import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

_WORD = re.compile(r"\w+")


def words(text):
    """The words of a text in lower case, without a few that carry nothing."""
    found = _WORD.findall(text.lower())
    return [word for word in found if word not in {"a", "an", "the", "is", "was", "of", "in"}]


def between(text, tag):
    """The text between a pair of tags."""
    return text.partition(f"<{tag}>\n")[2].partition(f"\n</{tag}>")[0]


def sensible(text):
    """The answer to a user's message, by words that two texts share."""
    if "<phrases>" in text:
        lines = between(text, "phrases").splitlines()
        return {
            "questions": [
                {"phrase": i, "question": f"What stands at «{line.partition('. ')[2]}»?"}
                for i, line in enumerate(lines, start=1)
            ]
        }
    if "<question>" in text:
        wanted = re.search("«(.*)»", between(text, "question"))
        read = between(text, "text")
        here = wanted and wanted[1] in read
        return {"answer": wanted[1] if here else ""}
    tag, other = ("premise", "hypothesis") if "<premise>" in text else ("knowledge", "sentence")
    premise, hypothesis = between(text, tag), between(text, other)
    known, claimed = set(words(premise)), set(words(hypothesis))
    share = len(known & claimed) / max(len(claimed), 1)
    digits = {w for w in claimed if w.isdigit()} - known
    verdict = "contradicted" if digits else "entailed" if share > 0.7 else "neutral"
    if tag == "premise":
        return {"verdict": verdict}
    return {"quotation": premise.split(". ")[0], "verdict": verdict}


class Fake:
    """The server's behaviour; ``fault`` says what befalls a request, by its number and body."""

    def __init__(
        self, model="tiny", refuses=(), logprobs=True, fault=None, delay=0.0, answer=sensible
    ):
        self.model, self.refuses, self.logprobs = model, set(refuses), logprobs
        self.fault = fault or (lambda number, body: None)
        self.delay = delay
        self.answer = answer
        self.number = 0
        self.bodies = []
        self.answered = Counter()
        self.keys = set()
        self.running = self.most = 0
        self.lock = threading.Lock()

    async def complete(self, request):
        """Answer one request, or do what its fault says."""
        body = json.loads(await request.body())
        with self.lock:
            self.number += 1
            number = self.number
            self.bodies.append(body)
            self.keys.add(request.headers.get("authorization"))
            self.running += 1
            self.most = max(self.most, self.running)
        try:
            return await self._complete(number, body)
        finally:
            with self.lock:
                self.running -= 1

    async def _complete(self, number, body):
        for name in self.refuses:
            if name in body:
                message = f"Unsupported parameter: '{name}' is not supported with this model."
                return JSONResponse({"error": {"message": message}}, 400)
        fault = self.fault(number, body)
        if isinstance(fault, Response):
            return fault
        if fault == "cut":
            return StreamingResponse(_cut(), headers={"content-length": "1000"})
        if fault == "slow":
            await asyncio.sleep(3)
        await asyncio.sleep(self.delay)
        user = body["messages"][1]["content"]
        content = json.dumps(self.answer(user), ensure_ascii=False)
        finish = "stop"
        if fault == "malformed":
            content = "Sure! " + content
        elif fault == "cut off":
            content, finish = content[: len(content) // 2], "length"
        elif fault == "wrong schema":
            content = '{"verdict": "perhaps"}'
        elif not fault:
            self.answered[user] += 1
        model = "another-model" if fault == "another model" else self.model
        return JSONResponse(completion(body, content, finish, model, self.logprobs))


def completion(body, content, finish, model, logprobs):
    """A completion in OpenAI's form; tokens of four letters, each with one alternative."""
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    if logprobs and body.get("logprobs"):
        parts = re.findall(r'"verdict"|\w{1,4}|\W+', content)
        choice["logprobs"] = {
            "content": [
                {
                    "token": part,
                    "logprob": math.log(0.8),
                    "top_logprobs": [
                        {"token": part, "logprob": math.log(0.8)},
                        {"token": "neut", "logprob": math.log(0.1)},
                    ],
                }
                for part in parts
            ]
        }
    letters = sum(len(m["content"]) for m in body["messages"])
    return {
        "id": "1", "object": "chat.completion", "created": 1, "model": model,
        "system_fingerprint": "fp_1", "choices": [choice],
        "usage": {
            "prompt_tokens": letters // 4, "completion_tokens": len(content) // 4,
            "total_tokens": (letters + len(content)) // 4,
        },
    }  # fmt: skip


async def _cut():
    yield b'{"id": "1", "choices": [{"mess'
    raise ConnectionResetError


@contextlib.contextmanager
def served(fake, port=0):
    """Serve within; gives the base URL."""
    app = Starlette(routes=[Route("/v1/chat/completions", fake.complete, methods=["POST"])])
    config = uvicorn.Config(app, port=port, log_level="critical", access_log=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.should_exit = True
        thread.join()


PROFILE = """
[mine]
like = "compact"
description = "a server for some roles"
shard_size = 8
{roles}

[mine.endpoint]
base_url = "{url}"
model = "tiny"
concurrency = 4
{more}
"""


def profile_file(folder, url, roles=("entailment",), more="", name="profiles.toml"):
    """Write a file with the profile `mine`, of which a server plays some roles."""
    told = "\n".join(f'{role} = {{ source = "endpoint" }}' for role in roles)
    path = folder / name
    path.write_text(PROFILE.format(url=url, roles=told, more=more))
    return path
