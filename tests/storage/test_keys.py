"""The id of a pair is the digest of its texts, whatever characters they have."""

from hypothesis import given
from hypothesis import strategies as st

from qsquared.storage.keys import digest, pair_id


@given(st.text(), st.lists(st.text(), max_size=3))
def test_the_id_of_a_pair_is_the_digest_of_its_texts(response: str, knowledge: list[str]) -> None:
    """It is written without the encoder that other keys use, and stays what stores hold."""
    assert pair_id(response, knowledge) == digest(["pair", response, knowledge])
