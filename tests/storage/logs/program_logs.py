"""The conversation of `desk` as each program publishes its logs: rows of JSON lines.

The forms are those of the programs' documentation, which docs/logs.md names.
"""

from tests.storage.logs.programs import chats, dialogues, openai, records, traces

PROGRAMS = {
    "message_rows": (openai.message_rows, "messages"),
    "openai_chat": (openai.openai_chat, "openai"),
    "openai_system": (openai.openai_system, "openai"),
    "openai_user": (openai.openai_user, "openai"),
    "openai_responses": (openai.openai_responses, "responses"),
    "azure": (openai.azure, "openai"),
    "anthropic": (chats.anthropic, "anthropic"),
    "anthropic_documents": (chats.anthropic_documents, "anthropic"),
    "assistants": (openai.assistants, "assistants"),
    "bedrock": (records.bedrock, "bedrock"),
    "bedrock_agent": (records.bedrock_agent, "bedrock"),
    "otel_events": (traces.otel_events, "otel"),
    "openllmetry": (traces.openllmetry, "otel"),
    "langfuse_nested": (traces.langfuse_nested, "langfuse"),
    "langchain": (records.langchain, "langchain"),
    "retrieval_qa": (records.retrieval_qa, "langchain"),
    "llamaindex": (records.llamaindex, "llamaindex"),
    "haystack": (records.haystack, "haystack"),
    "haystack_replies": (records.haystack_replies, "haystack"),
    "vercel_ui": (chats.vercel_ui, "vercel"),
    "vercel_model": (chats.vercel_model, "vercel"),
    "ragas": (records.ragas, "ragas"),
    "ragas_old": (records.ragas_old, "ragas"),
    "deepeval": (records.deepeval, "deepeval"),
    "trulens": (records.trulens, "trulens"),
    "mlflow": (traces.mlflow, "mlflow"),
    "sharegpt": (chats.sharegpt, "sharegpt"),
    "rasa": (dialogues.rasa, "rasa"),
    "lex": (dialogues.lex, "lex"),
    "dialogflow": (dialogues.dialogflow, "dialogflow"),
}
"""The programs: the rows of a log, and the format that it is known as."""
