"""Batches of rows of like length."""

import pytest

from qsquared.language.extractive_qa import ExtractiveAnswers


@pytest.mark.parametrize(
    ("rows", "streams", "sizes"),
    [
        (0, 2, []),
        (1, 4, [1]),
        (8, 1, [8]),
        (8, 4, [2, 2, 2, 2]),
        (9, 2, [5, 4]),
        (40, 2, [16, 16, 8]),
    ],
)
def test_few_rows_have_a_part_for_each_stream(rows: int, streams: int, sizes: list[int]) -> None:
    """No stream idles while another reads many rows; many rows fill batches as before."""
    batches = ExtractiveAnswers("any", batch_size=16)._batches([5] * rows, streams)
    assert [len(batch) for batch in batches] == sizes
    assert sorted(index for batch in batches for index in batch) == list(range(rows))
