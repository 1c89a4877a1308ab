import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.data import pad_sequences, unpad_sequences
from gradatim.errors import InvalidValue


@settings(max_examples=30, deadline=None)
@given(lengths=st.lists(st.integers(1, 7), min_size=1, max_size=6), width=st.integers(1, 3))
def test_unpadding_gives_the_sequences_back(lengths, width):
    rows = [np.random.default_rng(n).normal(size=(n, width)) for n in lengths]
    batch, found = pad_sequences(rows, padding=-1.0)
    assert batch.shape == (len(rows), max(lengths), width)
    assert found.tolist() == lengths
    for row, cut, whole in zip(rows, unpad_sequences(batch, found), batch, strict=True):
        assert np.array_equal(cut.numpy(), row)
        assert (whole[len(row) :] == -1).all()


def test_types_are_kept():
    assert pad_sequences([[1, 2], [3]])[0].dtype == torch.int64
    assert pad_sequences([np.zeros((2, 1), np.float32)])[0].dtype == torch.float32


@pytest.mark.parametrize(
    ("sequences", "message"),
    [
        ([], "pad_sequences: sequences must hold at least one, got none"),
        ([[1], []], "one step or more each, got none in number 1. Leave empty"),
        ([np.zeros((2, 3)), np.zeros((2, 4))], r"one shape and type, got \(3,\) of .* and \(4,\)"),
    ],
)
def test_what_cannot_be_padded_is_refused(sequences, message):
    with pytest.raises(InvalidValue, match=message):
        pad_sequences(sequences)
