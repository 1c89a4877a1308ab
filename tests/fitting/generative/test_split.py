import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.fitting.generative.split import split_rows


def test_every_row_is_in_one_part():
    parts = split_rows(200, 0.25, 3, "rows", "the table")
    assert sorted(np.concatenate(parts)) == list(range(200))
    assert len(parts[2]) == 50


def test_equal_seeds_give_equal_parts():
    first, again, other = (split_rows(100, 0.2, seed, "rows", "the table")[0].tolist() for seed in (1, 1, 2))  # fmt: skip
    assert first == again != other


@pytest.mark.parametrize(
    ("rows", "share", "sentence"),
    [
        (79, 0.2, "the table must have at least 80 rows to make more of them, got 79"),
        (80, 0.05, "test must leave at least 10 rows to judge by"),
        (80, 0.9, "30 to learn from, got 0.9 of 80 rows. Try 0.2"),
    ],
)
def test_too_few_rows(rows, share, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        split_rows(rows, share, 0, "rows", "the table")
