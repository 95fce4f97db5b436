"""``python -m lab.benchmarks.endpoint``: a request to a server by the product and by the bare client.

A server on this machine, in a process of its own, answers at once, or after a delay as a model would.
The same requests go to it by the official client in a loop of as many threads, and by the judge of a
profile, which checks each answer and keeps it in a store's journal.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from qsquared.language.endpoint.answers import QuotedVerdict
from qsquared.language.endpoint.exchange import exchange_with
from qsquared.language.endpoint.roles import EndpointJudge
from qsquared.language.endpoint.session import Session, asking_in
from qsquared.profiles.endpoints import Endpoint, EndpointRole
from qsquared.records import InferenceRequest
from qsquared.storage.records.requests import RequestJournal
from qsquared.storage.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

BAR = 1.1
"""A request may take so many times as long as by the bare client."""
_KNOWLEDGE = "A checked bag may weigh up to 23 kilograms. " * 6
_ANSWER = '{"quotation": "A checked bag", "verdict": "entailed"}'


async def answer(scope: Any, receive: Any, send: Any) -> None:
    """Answer a request for a completion as a server with OpenAI's interface does (an ASGI application)."""
    import asyncio

    if scope["type"] != "http":
        return
    while (await receive()).get("more_body"):
        pass
    await asyncio.sleep(float(scope["path"].split("/")[1]))
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(_BODY)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": _BODY})


def _completion() -> bytes:
    """Return a completion with the alternatives of each token, as servers give them."""
    parts = [_ANSWER[start : start + 4] for start in range(0, len(_ANSWER), 4)]
    tokens = [
        {"token": part, "logprob": math.log(0.9), "bytes": list(part.encode()),
         "top_logprobs": [{"token": part, "logprob": -1.0 - i, "bytes": None} for i in range(10)]}
        for part in parts
    ]  # fmt: skip
    choice = {
        "index": 0, "finish_reason": "stop", "logprobs": {"content": tokens},
        "message": {"role": "assistant", "content": _ANSWER},
    }  # fmt: skip
    usage = {"prompt_tokens": 300, "completion_tokens": len(parts), "total_tokens": 300}
    told = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
    return json.dumps(told | {"choices": [choice], "usage": usage}).encode()


_BODY = _completion()


@contextmanager
def _server() -> Iterator[str]:
    """Run the server within; gives its address."""
    code = (
        "import uvicorn; from lab.benchmarks.endpoint import answer; "
        "s = uvicorn.Server(uvicorn.Config(answer, port=0, log_level='critical', access_log=False)); "
        "import threading, time; t = threading.Thread(target=s.run, daemon=True); t.start()\n"
        "while not s.started: time.sleep(.01)\n"
        "print(s.servers[0].sockets[0].getsockname()[1], flush=True); input()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}" if process.stdout else ""
    finally:
        process.terminate()
        process.wait()


def _requests(first: int, number: int) -> list[InferenceRequest]:
    return [
        InferenceRequest(_KNOWLEDGE, f"Bag {i} weighs 23 kilograms.")
        for i in range(first, first + number)
    ]


def _timed(work: Callable[[], object], number: int) -> dict[str, float]:
    """Return the milliseconds a request: of the clock, and of this process's processor time."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return {
        "wall": 1000 * (time.perf_counter() - clock) / number,
        "processor": 1000 * (time.process_time() - processor) / number,
    }


def measure(requests: int, rounds: int, concurrency: int, delay: float) -> dict[str, Any]:
    """Return milliseconds a request by the bare client and by ours, and their medians' ratio.

    The two take turns, so that a machine that is busy at times is so for both; the first turn warms up.
    """
    from openai import OpenAI

    times: dict[str, list[dict[str, float]]] = {"bare": [], "ours": []}
    with _server() as address, TemporaryDirectory() as folder:
        base_url = f"{address}/{delay}/v1"
        exchange_with.cache_clear()
        endpoint = Endpoint(base_url=base_url, model="m", concurrency=concurrency)
        judge = EndpointJudge(EndpointRole(source="endpoint", endpoint=endpoint))
        journal = RequestJournal(Store.open(Path(folder) / "store", create=True))
        client: Any = OpenAI(base_url=base_url, api_key="none", max_retries=2)
        prompt = judge.prompts["judge_claim"]

        def bare(own: Sequence[InferenceRequest]) -> None:
            asked = judge.exchange.client.asked(QuotedVerdict, endpoint.longest_answer)

            def one(request: InferenceRequest) -> None:
                texts = {"premise": request.premise, "hypothesis": request.hypothesis}
                messages = prompt.messages(texts)
                client.chat.completions.create(model="m", messages=messages, **asked)

            with ThreadPoolExecutor(concurrency) as pool:
                list(pool.map(one, own))

        with asking_in(Session(journal)):
            for turn in range(rounds + 1):
                own = _requests(turn * requests, requests)
                times["ours"].append(_timed(partial(judge.judge_claims, own), requests))
                times["bare"].append(_timed(partial(bare, own), requests))
    found: dict[str, Any] = {"requests": requests, "rounds": rounds, "delay": delay}
    for kind in ("wall", "processor"):
        middle = {way: statistics.median(one[kind] for one in times[way][1:]) for way in times}
        found[kind] = middle | {"ratio": middle["ours"] / middle["bare"]}
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Print the figures; return 1 if a request takes longer than the bar lets it."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.benchmarks.endpoint",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--requests", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--delays", type=float, nargs="+", default=[0.0, 0.1], help="seconds")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args(argv)
    every = [
        measure(asked.requests, asked.rounds, asked.concurrency, delay) for delay in asked.delays
    ]
    for found in every:
        for kind in ("wall", "processor"):
            one = found[kind]
            print(
                f"answers after {1000 * found['delay']:.0f} ms, {kind}: {one['bare']:.2f} ms a request "
                f"by the bare client, {one['ours']:.2f} ms by ours, {one['ratio']:.3f} times"
            )
    if asked.json:
        asked.json.write_text(json.dumps(every, indent=1) + "\n", encoding="utf-8")
    return int(any(found["wall"]["ratio"] > BAR for found in every))


if __name__ == "__main__":
    raise SystemExit(main())
