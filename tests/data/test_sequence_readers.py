"""Readers of sequences, on bytes made by hand."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.data.sequence_readers import read_pairs, read_ragged


def saved(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


@settings(max_examples=20, deadline=None)
@given(lengths=st.lists(st.integers(1, 6), min_size=1, max_size=8))
def test_ragged_cuts_at_the_lengths(lengths):
    rows = [np.full((length, 3), n, np.float32) for n, length in enumerate(lengths)]
    X, y = read_ragged(saved(X=np.concatenate(rows), y=np.arange(len(rows)), lengths=lengths))
    assert X.shape == y.shape == (len(rows),)
    for n, row in enumerate(rows):
        assert np.array_equal(X[n], row)
        assert y[n] == n


def test_ragged_refuses_wrong_lengths_and_objects():
    with pytest.raises(ValueError, match="4 steps are announced, 3 are there"):
        read_ragged(saved(X=np.zeros((3, 2)), y=[0, 1], lengths=[2, 2]))
    with pytest.raises(ValueError, match="allow_pickle=False"):
        read_ragged(saved(X=np.array([{}], dtype=object), y=[0], lengths=[1]))


def test_pairs_keep_accents_and_drop_remarks():
    X, y = read_pairs("I'm off.\t¡Adiós!\tby CK\nGo.\tVe.\n".encode())
    assert X.tolist() == ["I'm off.", "Go."]
    assert y.tolist() == ["¡Adiós!", "Ve."]


def test_a_pair_without_translation_is_refused():
    with pytest.raises(ValueError, match="lacks its translation"):
        read_pairs(b"Go.\n")
