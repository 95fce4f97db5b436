"""The evidence that is chosen for each sentence of a reply."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsquared.method.evidence import (
    READ_AT_ONCE,
    claims,
    evidence,
    judgement_of_claim,
    judgement_of_response,
)
from qsquared.records import Judgement

ARTICLE = (
    "The museum opens at nine. Tickets cost eight euros. Children pay nothing. "
    "The garden behind the museum was laid out in 1890. Dogs are not allowed there. "
)
FILLER = "Nobody has said anything more about the weather of that day. " * 20


def test_short_texts_are_judged_whole():
    """One claim: the reply as it is, beside all passages."""
    (claim,) = claims("It opens at nine. It is cheap.", ["It opens at nine.", "It is cheap."])
    assert claim.text == "It opens at nine. It is cheap."
    assert claim.premises == ("It opens at nine. It is cheap.",)


def test_a_reply_beside_long_knowledge_is_judged_sentence_by_sentence():
    """Each beside the sentences that share its rarest words."""
    first, second = claims("Dogs are not allowed. Tickets cost nine euros.", [ARTICLE + FILLER])
    assert first.text == "Dogs are not allowed."
    assert first.premises[0] == "Dogs are not allowed there."
    assert second.premises[0] == "Tickets cost eight euros."


def test_the_best_sentences_are_joined_in_the_order_of_the_text():
    """The last view has the best three."""
    views = evidence("Children pay nothing for tickets to the museum garden.", (ARTICLE + FILLER,))
    assert len(views) == 3
    places = [ARTICLE.find(part.strip(" .")) for part in views[-1].split(". ")]
    assert places == sorted(places)
    assert -1 not in places


def test_a_sentence_of_evidence_is_in_one_passage():
    """The end of one and the beginning of the next are no sentence."""
    views = evidence("Ann sings at noon", ("Ann sings", "at noon"))
    assert views[0] in {"Ann sings", "at noon"}


def test_knowledge_without_a_word_gives_one_empty_view():
    """So that every claim is judged."""
    assert evidence("Ann sings.", (" ",)) == ("",)


def test_a_claim_is_entailed_as_much_as_by_its_best_view():
    """The whole judgement of that view counts, so that its shares sum to one."""
    weak, strong = Judgement(0.2, 0.5, 0.3), Judgement(0.7, 0.2, 0.1)
    assert judgement_of_claim([weak, strong]) == strong


def test_the_judgement_of_a_response_is_the_mean_of_its_claims():
    """A true and a false sentence are half entailed."""
    both = judgement_of_response([Judgement(1, 0, 0), Judgement(0, 0, 1)])
    assert both == Judgement(0.5, 0, 0.5)


def test_a_response_without_a_claim_is_an_error():
    """It would have no mean."""
    with pytest.raises(ValueError, match="at least one claim"):
        judgement_of_response([])


@given(st.text(max_size=200), st.lists(st.text(max_size=2000), min_size=1, max_size=3))
def test_every_reply_has_a_claim_and_every_claim_a_view(response, knowledge):
    """Whatever the texts are."""
    found = claims(response, knowledge)
    assert found
    assert all(claim.premises for claim in found)
    words = sum(len(text.split()) for text in [response, *knowledge])
    if words <= READ_AT_ONCE:
        assert len(found) == 1
