"""The conversation of `desk` as the programs that log one record a reply publish it."""

from __future__ import annotations

import json

from tests.storage.logs.adapter_logs import Rows
from tests.storage.logs.desk import DESK, ERROR, IDS, TITLES
from tests.storage.logs.programs.parts import Row, lang_docs


def bedrock() -> Rows:
    """Return the log of the program `bedrock`."""
    rows = []
    for one in DESK:
        references = [
            {
                "content": {"text": t, "type": "TEXT"},
                "location": {"type": "S3", "s3Location": {"uri": f"s3://kb/{IDS[t]}.md"}},
                "metadata": {"title": TITLES[t]},
            }
            for t in one.passages or ()
        ]
        part = {"textResponsePart": {"span": {"start": 0, "end": 9}, "text": one.reply}}
        citations = [{"generatedResponsePart": part, "retrievedReferences": references}]
        rows.append(
            {
                "input": {"text": one.question},
                "response": {
                    "sessionId": "s1",
                    "output": {"text": one.reply},
                    "citations": citations,
                },
            }
        )
    return rows


def bedrock_agent() -> Rows:
    """Return the log of the program `bedrock_agent`."""
    rows: Rows = []
    for number, one in enumerate(DESK):

        def traced(step: Row, n: int = number) -> Row:
            return {
                "sessionId": "s1",
                "agentId": "A",
                "inputText": DESK[n].question,
                "trace": {"orchestrationTrace": {"traceId": f"t-{n}", **step}},
            }

        rows.append(
            traced(
                {
                    "invocationInput": {
                        "invocationType": "KNOWLEDGE_BASE",
                        "knowledgeBaseLookupInput": {"text": "x"},
                    }
                }
            )
        )
        if one.passages is not None:
            references = [
                {
                    "content": {"text": t},
                    "location": {"type": "S3", "s3Location": {"uri": f"s3://kb/{IDS[t]}.md"}},
                }
                for t in one.passages
            ]
            rows.append(
                traced(
                    {
                        "observation": {
                            "type": "KNOWLEDGE_BASE",
                            "knowledgeBaseLookupOutput": {"retrievedReferences": references},
                        }
                    }
                )
            )
        if one.failed:
            rows.append(
                traced(
                    {
                        "observation": {
                            "type": "ACTION_GROUP",
                            "actionGroupInvocationOutput": {"text": ERROR},
                        }
                    }
                )
            )
        rows.append(
            traced({"observation": {"type": "FINISH", "finalResponse": {"text": one.reply}}})
        )
        rows.append(
            {"sessionId": "s1", "chunk": {"bytes": one.reply, "attribution": {"citations": []}}}
        )
    return rows


def langchain() -> Rows:
    """Return the log of the program `langchain`."""
    rows = []
    said: Rows = []
    for one in DESK:
        rows.append(
            {
                "input": one.question,
                "chat_history": list(said),
                "context": lang_docs(one),
                "answer": one.reply,
            }
        )
        said += [{"type": "human", "content": one.question}, {"type": "ai", "content": one.reply}]
    return rows


def retrieval_qa() -> Rows:
    """Return the log of the program `retrieval_qa`."""
    docs = [
        [
            {
                "lc": 1,
                "type": "constructor",
                "id": ["langchain", "schema", "document", "Document"],
                "kwargs": {"page_content": d["page_content"], "metadata": d["metadata"]},
            }
            for d in lang_docs(one)
        ]
        for one in DESK
    ]
    return [
        {"query": one.question, "result": one.reply, "source_documents": found}
        for one, found in zip(DESK, docs, strict=True)
    ]


def llamaindex() -> Rows:
    """Return the log of the program `llamaindex`."""
    return [
        {"query": one.question, "response": one.reply, "metadata": {}, "source_nodes": [
            {"node": {"id_": IDS[t], "embedding": None, "metadata": {"file_name": f"{IDS[t]}.md"}, "text": t, "class_name": "TextNode"}, "score": 0.83, "class_name": "NodeWithScore"}
            for t in one.passages or ()
        ]}
        for one in DESK
    ]  # fmt: skip


def haystack() -> Rows:
    """Return the log of the program `haystack`."""
    rows = []
    for one in DESK:
        documents = [
            {"id": IDS[t], "content": t, "meta": {"title": TITLES[t]}, "score": 0.6}
            for t in one.passages or ()
        ]
        answer = {
            "data": one.reply,
            "query": one.question,
            "documents": documents,
            "meta": {"model": "gpt-4o"},
        }
        rows.append(
            {
                "answer_builder": {
                    "answers": [
                        {
                            "type": "haystack.dataclasses.answer.GeneratedAnswer",
                            "init_parameters": answer,
                        }
                    ]
                }
            }
        )
    return rows


def haystack_replies() -> Rows:
    """Return the log of the program `haystack_replies`."""
    return [
        {
            "query": one.question,
            "retriever": {
                "documents": [
                    {"id": IDS[t], "content": t, "score": 0.6} for t in one.passages or ()
                ]
            },
            "llm": {"replies": [one.reply], "meta": [{"model": "m"}]},
        }
        for one in DESK
    ]


def ragas() -> Rows:
    """Return the log of the program `ragas`."""
    return [
        {
            "user_input": one.question,
            "response": one.reply,
            "retrieved_contexts": list(one.passages or ()),
            "reference": "A person wrote this.",
        }
        for one in DESK
    ]


def ragas_old() -> Rows:
    """Return the log of the program `ragas_old`."""
    return [
        {
            "question": one.question,
            "answer": one.reply,
            "contexts": list(one.passages or ()),
            "ground_truth": "A person wrote this.",
        }
        for one in DESK
    ]


def deepeval() -> Rows:
    """Return the log of the program `deepeval`."""
    cases = [
        {
            "name": f"case {n}",
            "input": one.question,
            "actualOutput": one.reply,
            "expectedOutput": "x",
            "context": ["The ideal context."],
            "retrievalContext": list(one.passages or ()),
        }
        for n, one in enumerate(DESK)
    ]
    return [{"testCases": cases}]


def trulens() -> Rows:
    """Return the log of the program `trulens`."""
    rows = []
    for number, one in enumerate(DESK):
        call = {
            "stack": [
                {"path": "app.rag", "method": {"name": "query"}},
                {"path": "app.rag", "method": {"name": "retrieve"}},
            ],
            "args": {"query": one.question},
            "rets": list(one.passages or ()),
            "error": None,
        }
        record = {
            "record_id": f"r{number}",
            "app_id": "a",
            "main_input": one.question,
            "main_output": one.reply,
            "calls": [call] if one.passages is not None else [],
            "ts": "2026-11-16T10:00:00",
        }
        rows.append(
            {
                "app_name": "desk",
                "app_version": "1",
                "record_id": f"r{number}",
                "input": one.question,
                "output": one.reply,
                "record_json": json.dumps(record),
                "total_tokens": 5,
            }
        )
    return rows
