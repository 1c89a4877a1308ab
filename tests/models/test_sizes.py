import re

import pytest

from gradatim.models.sizes import check_counts, check_sizes


@pytest.mark.parametrize("sizes", [(), (3,), (3, 0, 1), (3, -1)])
def test_refuses_by_message(sizes):
    message = f"Net: sizes must be two or more positive widths, got {sizes}. Try (64, 32, 10)."
    with pytest.raises(ValueError, match=re.escape(message)):
        check_sizes("Net", sizes)


def test_accepts_any_sequence_of_numbers():
    assert check_sizes("Net", [3, 2.0]) == (3, 2)


def test_counts_start_at_one():
    check_counts("Net", depth=1, width=3)
    with pytest.raises(ValueError, match=r"^Net: width must be at least 1, got 0\.$"):
        check_counts("Net", depth=1, width=0)
