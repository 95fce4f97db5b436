"""Requests to a server: faults survived, answers kept, limits held."""

import re

import pytest
from starlette.responses import JSONResponse

from qsquared.errors import BudgetError, EndpointError, UnansweredError
from qsquared.language.endpoint.exchange import exchange_with
from qsquared.language.endpoint.parsing import QuotedVerdict, read_quotation
from qsquared.language.endpoint.prompts import load_prompts
from qsquared.language.endpoint.roles import EndpointJudge
from qsquared.language.endpoint.session import Memory, Session, Spending, asking_in
from qsquared.profiles.endpoints import Endpoint, EndpointRole
from qsquared.records import Failure, InferenceRequest
from tests.conftest import ROOT
from tests.language.endpoint.server import Fake, served

KEY = "sk-this-is-the-secret-key"
REQUESTS = [
    InferenceRequest(f"Ann has {i} cats and a dog.", f"Ann has {i + i % 2} cats.")
    for i in range(12)
]


def judge(url, **settings):
    """A judge of a server of its own, which remembers nothing of other tests."""
    exchange_with.cache_clear()
    settings = {"model": "tiny", "concurrency": 4, **settings}
    return EndpointJudge(
        EndpointRole(source="endpoint", endpoint=Endpoint(base_url=url, **settings))
    )


@pytest.fixture
def session():
    """A session with a journal in memory."""
    made = Session(Memory(), Spending())
    with asking_in(made):
        yield made


def ask(fake, requests=REQUESTS, **settings):
    """Judge by a server; return the labels, or the reasons of failures."""
    with served(fake) as url:
        replies = judge(url, **settings).judge(requests)
    return [r.reason if isinstance(r, Failure) else r.label for r in replies]


EXPECTED = ["entailment", "contradiction"] * 6


def faulty(fault):
    """A fault on the first request for every other text."""
    seen = set()

    def at(_number, body):
        text = body["messages"][1]["content"]
        if text in seen or not re.search("Ann has [02468] cats and", text):
            return None
        seen.add(text)
        return fault

    return at


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "fault",
    [
        JSONResponse({"error": {"message": "slow down"}}, 429, {"retry-after": "0.1"}),
        JSONResponse({"error": {"message": "slow down"}}, 429),
        JSONResponse({"error": {"message": "oh"}}, 500),
        "cut",
        pytest.param("slow", marks=pytest.mark.slow),
        "malformed",
        "cut off",
        "wrong schema",
        "another model",
    ],
    ids=["429 with a wait", "429", "500", "cut", "slow", "malformed", "cut off", "schema", "model"],
)
def test_each_fault_of_a_server_is_survived(session, fault):
    """Every request is answered as by a server without faults."""
    assert ask(Fake(fault=faulty(fault)), timeout_seconds=0.4) == EXPECTED


def test_probabilities_come_from_the_alternatives_of_the_verdict(session):
    """The verdict has the share of its own first letters among those of all verdicts."""
    with served(Fake()) as url:
        (found,) = judge(url).judge(REQUESTS[:1])
    assert (found.entailment, found.neutral, found.contradiction) == pytest.approx(
        (8 / 9, 1 / 9, 0)
    )


def test_what_a_server_refuses_is_left_out_and_said_once(session, caplog):
    """Each refused parameter costs one request, a refused form of answers, too."""
    fake = Fake(refuses={"temperature", "seed", "logprobs", "response_format", "max_tokens"})
    assert ask(fake) == EXPECTED
    assert len(fake.bodies) == len(REQUESTS) + 5
    last = fake.bodies[-1]
    assert set(last) == {"model", "messages", "max_completion_tokens"}
    assert len([r for r in caplog.records if "does not take" in r.message]) == 5


def test_a_refusal_without_a_name_is_found_out(session):
    """A server that only says "bad request" is asked with less and less, until it answers."""

    def fault(_number, body):
        refused = {"response_format", "seed"} & set(body)
        return JSONResponse({"error": "bad request"}, 400) if refused else None

    assert ask(Fake(fault=fault)) == EXPECTED


def test_an_answer_is_asked_for_once(session):
    """A second call sends nothing, and no more requests run at a time than the profile lets."""
    fake = Fake(delay=0.02)
    with served(fake) as url:
        first = judge(url).judge(REQUESTS)
        assert judge(url).judge(REQUESTS) == first
    assert fake.number == len(REQUESTS) == session.spending.requests == session.spending.reused
    assert 1 < fake.most <= 4


def test_other_parameters_are_other_requests(session):
    """The model's name and the parameters decide the answer; the address does not."""
    with served(Fake()) as url, served(Fake()) as other:
        model = judge(url)
        assert judge(other).identity == model.identity
        assert judge(url, temperature=0.5).identity != model.identity
        assert judge(url, model="tiny-2").identity != model.identity
        assert "127.0.0.1" not in model.identity


def test_an_answer_that_stays_malformed_costs_its_request_only(session):
    """After three answers the reason stands in the place of a reply; all others are answered."""

    def fault(_number, body):
        return "malformed" if "Ann has 4 cats and" in body["messages"][1]["content"] else None

    fake = Fake(fault=fault)
    found = ask(fake)
    assert "not the JSON" in found[4]
    assert [*found[:4], *found[5:]] == [*EXPECTED[:4], *EXPECTED[5:]]
    assert fake.number == len(REQUESTS) + 2


def test_a_request_that_a_server_refuses_costs_itself_only(session):
    """A text that is too long for a model is no fault of the others."""

    def fault(_number, body):
        if "Ann has 4 cats and" in body["messages"][1]["content"]:
            return JSONResponse({"error": {"message": "maximum context length is 10 tokens"}}, 400)
        return None

    found = ask(Fake(fault=fault))
    assert "maximum context length" in found[4]
    assert [label for label in found if "context" not in label] == [*EXPECTED[:4], *EXPECTED[5:]]


@pytest.mark.slow
def test_a_server_that_is_gone_ends_the_run_when_patience_ends(session, caplog):
    """The message says that it is waited for, and exit code 69 that it did not come back."""
    with served(Fake()) as url:
        model = judge(url, patience_minutes=0.005)
    with pytest.raises(UnansweredError) as told:
        model.judge(REQUESTS)
    assert told.value.exit_code == 69
    assert "waited for" in caplog.text


def test_a_refused_key_ends_the_run_without_being_shown(session, monkeypatch):
    """The sentence names the variable, and not the key that the server repeats."""
    monkeypatch.setenv("MY_KEY", KEY)
    answer = JSONResponse({"error": {"message": f"Incorrect API key: {KEY}"}}, 401)
    fake = Fake(fault=lambda *_: answer)
    with served(fake) as url, pytest.raises(EndpointError) as told:
        judge(url, key_variable="MY_KEY").judge(REQUESTS)
    assert "MY_KEY" in str(told.value)
    assert KEY not in str(told.value)
    assert fake.keys == {f"Bearer {KEY}"}


def test_limits_end_the_run_and_keep_what_was_answered(session):
    """With a higher limit only what is left is asked for."""
    session.spending.max_requests = 5
    fake = Fake()
    with served(fake) as url:
        with pytest.raises(BudgetError):
            judge(url).judge(REQUESTS)
        assert fake.number == 5
        session.spending.max_requests = 100
        judge(url).judge(REQUESTS)
    assert fake.number == len(REQUESTS)


def test_a_price_ends_the_run_before_it_is_exceeded(session):
    """The tokens that the server counts are charged, those on their way are expected."""
    session.spending.max_cost = 0.002
    with served(Fake()) as url, pytest.raises(BudgetError):
        judge(url, input_price=2.0, output_price=8.0).judge(REQUESTS)
    assert 0.001 < session.spending.cost <= 0.002


def test_a_prompt_of_ones_own_takes_the_place_of_the_shipped_one(session, tmp_path):
    """The server reads its words, and they belong to the identity of the judge."""
    own = tmp_path / "judge.toml"
    own.write_text(
        'name = "judge"\nversion = 7\nusual_tokens = 9\nsystem = "My own words."\n'
        'user = "<premise>\\n$premise\\n</premise><hypothesis>\\n$hypothesis\\n</hypothesis>"\n'
    )
    fake = Fake()
    with served(fake) as url:
        shipped = judge(url)
        role = EndpointRole(
            source="endpoint", endpoint=shipped.exchange.endpoint, prompts=(str(own),)
        )
        judged = EndpointJudge(role)
        assert [one.label for one in judged.judge(REQUESTS)] == EXPECTED
    assert fake.bodies[0]["messages"][0]["content"] == "My own words."
    assert "judge/7." in judged.identity
    assert judged.identity != shipped.identity


def test_no_text_leaves_this_machine_unless_allowed(session):
    """A server elsewhere is not asked before a person has agreed."""
    with pytest.raises(EndpointError, match="sends the replies"):
        judge("http://models.example/v1").judge(REQUESTS)


def test_a_variable_that_is_not_set_is_named(session):
    """A profile that names a key needs it, before anything is sent."""
    with pytest.raises(EndpointError, match="NO_SUCH_KEY"):
        judge("http://127.0.0.1:9/v1", key_variable="NO_SUCH_KEY").judge(REQUESTS)


@pytest.mark.parametrize(
    "key", ["sk-first\nsk-second", "sk-first\n", "sk-clé", " sk-first", "sk-\x7f"]
)
def test_a_key_that_no_header_can_carry_is_refused_without_being_shown(session, monkeypatch, key):
    """The sentence names the variable; the server is neither asked nor waited for."""
    monkeypatch.setenv("MY_KEY", key)
    with pytest.raises(EndpointError, match="MY_KEY holds no key") as told:
        judge("http://127.0.0.1:9/v1", key_variable="MY_KEY").judge(REQUESTS)
    assert "sk-" not in str(told.value)


@pytest.mark.parametrize("proxy", ["http://127.0.0.1:9", "socks5://127.0.0.1:9", "no proxy"])
def test_no_proxy_carries_what_stays_on_this_machine(session, monkeypatch, proxy):
    """A server here is asked directly, whatever proxy the environment names."""
    for name in ("HTTP_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.setenv(name, proxy)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    assert ask(Fake(), patience_minutes=0.005) == EXPECTED


def test_a_proxy_that_cannot_be_used_is_told_of(session, monkeypatch):
    """A server elsewhere is asked through it, so the sentence names the variables."""
    monkeypatch.setenv("ALL_PROXY", "gopher://127.0.0.1:9")
    session.may_send = True
    with pytest.raises(EndpointError, match="through the proxy"):
        judge("http://models.example/v1").judge(REQUESTS)


def test_texts_are_not_sent_on_to_another_address(session):
    """A redirect ends the run with the address that it leads to."""
    with served(Fake()) as other:
        elsewhere = {"location": f"{other}/chat/completions"}
        answer = JSONResponse({}, 307, elsewhere)
        with pytest.raises(EndpointError, match="sends requests on") as told:
            ask(Fake(fault=lambda *_: answer))
    assert other in str(told.value)


def test_a_quotation_is_given_as_it_stands_in_the_knowledge():
    """Other cases, spaces and quotes of the judge do not count; a neutral verdict may quote nothing."""
    quoted = QuotedVerdict(quotation='"ann\u2019s  cat"', verdict="entailed")
    assert read_quotation(quoted, "Ann's cat sings.") == "Ann's cat"
    assert read_quotation(QuotedVerdict(quotation="A dog", verdict="neutral"), "Ann sings.") is None


def test_the_page_of_prompts_has_each_in_full():
    """`make docs` would change nothing."""
    page = (ROOT / "docs" / "prompts.md").read_text(encoding="utf-8")
    shipped = [
        (ROOT / "language" / "endpoint" / f"{name}.toml").read_text(encoding="utf-8")
        for name in load_prompts()
    ]
    assert re.findall("```toml\n(.*?)```", page, re.DOTALL) == shipped
