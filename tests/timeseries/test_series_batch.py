import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.timeseries import fill_gaps
from gradatim.timeseries.series_batch import quantiles


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 12), st.integers(0, 4))
def test_gaps_are_filled_as_numpy_does(seed, length, padding):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(3, length + padding, 2, generator=generator).double()
    x[torch.rand(x.shape, generator=generator) < 0.5] = torch.nan
    found = fill_gaps(x, torch.full((3,), length))
    assert found.shape == x.shape
    assert not found[:, length:].any()
    for row, filled in zip(x[:, :length].mT.flatten(0, 1), found[:, :length].mT.flatten(0, 1), strict=True):  # fmt: skip
        there = ~row.isnan().numpy()
        steps = np.arange(length)
        expected = np.interp(steps, steps[there], row.numpy()[there]) if there.any() else np.zeros(length)  # fmt: skip
        np.testing.assert_allclose(filled.numpy(), expected, rtol=1e-12, atol=1e-12)


def test_what_has_no_gap_stays_as_it_is():
    x = torch.randn(2, 5)
    assert torch.equal(fill_gaps(x), x)


def test_infinity_is_no_gap():
    with pytest.raises(InvalidValue, match="fill_gaps: series must be finite, got infinity in number 1"):  # fmt: skip
        fill_gaps(torch.tensor([[1.0], [torch.inf]]))


def test_quantiles_are_numpys():
    x = torch.randn(6, 9).double().sort(1).values
    counts = torch.tensor([9, 1, 2, 5, 8, 3])
    levels = torch.tensor([0.0, 0.1, 0.5, 0.77, 1.0])
    found = quantiles(x, counts, levels)
    for row, count, result in zip(x.numpy(), counts, found.numpy(), strict=True):
        np.testing.assert_allclose(result, np.quantile(row[:count], levels.numpy()), atol=1e-7)
