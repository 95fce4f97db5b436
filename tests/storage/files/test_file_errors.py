"""Tests of files of a store that cannot be read though they may be sound."""

import errno
from pathlib import Path

import pytest

from qsquared.errors import DeniedStoreError, StoreError
from qsquared.storage.files.file_errors import refuse_if_unreadable


@pytest.mark.parametrize(
    ("number", "kind", "code"),
    [(errno.EACCES, DeniedStoreError, 77), (errno.EMFILE, StoreError, 1)],
)
def test_a_right_that_is_missing_has_an_exit_code_of_its_own(number, kind, code):
    """Either way the file is named, and it is no damage."""
    with pytest.raises(StoreError, match=r"turns/a\.parquet cannot be read") as refused:
        refuse_if_unreadable(Path("turns/a.parquet"), OSError(number, "no"))
    assert (type(refused.value), refused.value.exit_code) == (kind, code)


def test_an_unknown_error_of_a_file_is_left_to_its_content():
    """Whoever reads it finds out whether it is damaged."""
    refuse_if_unreadable(Path("a"), OSError(errno.EINVAL, "no"))
