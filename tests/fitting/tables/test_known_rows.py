"""Features of rows that are known in parts."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gradatim.fitting.tables.known_rows import find_features


@given(st.permutations(range(12)), st.integers(1, 11), st.lists(st.integers(0, 11), max_size=20))
def test_every_row_finds_its_own(order, cut, rows):
    known = np.array(order)
    features = np.stack([known * 10.0, -known], axis=1)
    parts = [(known[:cut], features[:cut]), (known[cut:], features[cut:])]
    found = find_features(parts, np.array(rows, dtype=int))
    assert found.tolist() == [[row * 10.0, -row] for row in rows]
