"""Tests that only what says that nothing was found, or that a tool failed, is no passage."""

import pytest

from qsquared.storage.logs.fields.objects import passages_of
from tests.storage.conftest import Read

KNOWLEDGE = [
    "No documents are required for EU citizens.",
    "No data is shared with third parties.",
    "No information is available to third parties without your consent.",
    "No context switches occur during sleep.",
    "No records older than 5 years are kept.",
    "No relevant experience is required.",
    "No suitable parking available in our garage.",
    "There are no matching socks in the pack.",
    "No matching socks are sold in the shop.",
    "No matches or lighters are allowed on board.",
    "No hits on the casing are covered.",
    "Zero data retention is available in the enterprise plan.",
    "Timeout: a session ends after 30 minutes without activity.",
    "401 Unauthorized means that your token has expired; create a new one in the settings.",
    "The service is unavailable on Sundays from 2 to 4 am.",
    "Connection refused by the charger: unplug the cable and wait 10 minutes.",
    "Error E42: the filter is clogged.",
    "Sampling error: request as many answers as you can.",
    "Error (E42): the filter is clogged.",
    "Error: the filter is clogged. Clean it with warm water.",
    "Nothing found in the parcel is returned to the sender.",
    '{"in_stock": false}',
    '{"count": 0}',
    '{"result": 0, "unit": "EUR"}',
    "We cannot find an account by phone number; use the e-mail address.",
    "We could not find a cheaper supplier of batteries.",
    "Request failed payments again after 3 days.",
    "Failed payments: try again after 3 days.",
    "Sent parcels arrive in two days.",
    "Article 1\nThis contract begins on 1 May.\nArticle 2\nIt ends on 1 June.",
    '{"code": "E42", "error": "the filter is clogged", "remedy": "Clean it with warm water."}',
    '{"order": 4711, "status": "failed", "reason": "card expired"}',
    '{"success": true, "ticket": 4711}',
]
NO_KNOWLEDGE = [
    "No results found.",
    "No relevant FAQs found for: gift cards",
    "No matching clauses.",
    "Below are the documents that your query returned.\n\n[\n\n]",
    "Axios Error: error code: ECONNABORTED, error message: timeout of 5000ms exceeded",
    "No matching entries in the catalogue.",
    "(no extracts found)",
    "（該当資料なし）",  # noqa: RUF001 - brackets of Japanese texts
    "https://kb.example/articles/7.html",
    "Keine Treffer für: Gutscheine",
    "No results found or errors occurred while searching the files.",
    "No matching result found with the config: rag_store=RagStore(corpora=None, top_k=2)",
    "No results found for your query.",
    "No results found. Please try another query.",
    "No documents were found in the knowledge base.",
    "There are no documents matching 'parcel'.",
    "No information available.",
    "Found 0 results",
    "Sorry, I could not find an answer to that question.",
    "I couldn't find any relevant information in the knowledge base.",
    '{"message": "No matching articles"}',
    '{"status": "ok", "message": "No matching articles"}',
    '["No relevant documents found."]',
    '{"results": [], "count": 0}',
    "Tool execution failed: ConnectionError('timeout')",
    "Error: KeyError('x')\n Please fix your mistakes.",
    "Error executing tool search: index offline",
    "requests.exceptions.ReadTimeout: HTTPSConnectionPool",
    "503 Service Unavailable",
    "HTTP 500: Internal Server Error",
    "500 Server Error: Internal Server Error for url: https://example.org",
    "Request timed out.",
    '{"error": "index offline"}',
    '{"status": "error", "message": "index offline"}',
    "The search is currently unavailable.",
    '{"hits": 0, "results": null}',
    "sent",
    "OK",
    "Email sent successfully.",
    '{"success": true}',
]


@pytest.mark.parametrize("text", KNOWLEDGE)
def test_a_passage_that_begins_like_an_error_or_like_nothing_is_kept(text: str) -> None:
    """Rules of a desk speak of errors, of failed payments and of what is not required."""
    assert [one["text"] for one in passages_of(text)] == [text]


@pytest.mark.parametrize("text", NO_KNOWLEDGE)
def test_an_empty_result_an_error_and_a_receipt_are_no_passage(text: str) -> None:
    """Tools say so in words, in the name of an exception, or in an object."""
    assert passages_of(text) == []


def test_a_field_of_knowledge_that_says_that_nothing_was_found_holds_none(read: Read) -> None:
    """Beside another passage such a text stays, as it may be one."""
    nothing, some = "No results found.", "It opens at nine."
    rows = [{"response": "r", "knowledge": one} for one in (nothing, [nothing], [nothing, some])]
    _, turns, _ = read(rows)
    assert [turn["knowledge"] for turn in turns] == [[], [], [nothing, some]]
