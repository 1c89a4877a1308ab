import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.timeseries import dtw_distances


def width(n, m, band):
    return max(math.ceil(band * max(n, m) - 1e-9), abs(n - m))


def by_recursion(x, y, band):
    """Cell by cell, as the definition says."""
    n, m = len(x), len(y)
    w, table = width(n, m, band), {(-1, -1): 0.0}
    for i in range(n):
        for j in range(m):
            if abs(i - j) <= w:
                before = [(i - 1, j), (i, j - 1), (i - 1, j - 1)]
                least = min(table.get(cell, math.inf) for cell in before)
                table[i, j] = least + sum((a - b) ** 2 for a, b in zip(x[i], y[j], strict=True))
    return math.sqrt(table[n - 1, m - 1])


@st.composite
def batches(draw, largest=8):
    """Two batches of ragged series with equal channels, and a band."""
    seed = draw(st.integers(0, 1000))
    channels = draw(st.integers(1, 3))
    generator = torch.Generator().manual_seed(seed)
    parts = []
    for _ in range(2):
        lengths = torch.tensor(draw(st.lists(st.integers(1, largest), min_size=1, max_size=4)))
        values = torch.randn(len(lengths), largest, channels, generator=generator).double()
        parts += [values.cumsum(1), lengths]
    return *parts, draw(st.sampled_from([0.0, 0.1, 0.25, 0.6, 1.0]))


@settings(max_examples=60, deadline=None)
@given(batches())
def test_every_pair_is_what_the_recursion_gives(case):
    x, n, y, m, band = case
    found = dtw_distances(x, y, band=band, query_lengths=n, reference_lengths=m)
    for i in range(len(x)):
        for j in range(len(y)):
            expected = by_recursion(x[i, : n[i]].tolist(), y[j, : m[j]].tolist(), band)
            assert found[i, j].item() == pytest.approx(expected, rel=1e-12)


@settings(max_examples=30, deadline=None)
@given(batches())
def test_the_laws_of_a_distance_with_bands(case):
    x, n, y, m, band = case

    def distance(band):
        return dtw_distances(x, y, band=band, query_lengths=n, reference_lengths=m)

    back = dtw_distances(y, x, band=band, query_lengths=m, reference_lengths=n)
    assert torch.equal(distance(band), back.T)  # symmetric
    itself = dtw_distances(x, x, band=band, query_lengths=n, reference_lengths=n)
    assert not itself.diagonal().any()
    assert (distance(1.0) <= distance(band) + 1e-12).all()  # a wider band holds every path
    assert (distance(band) <= distance(0.0) + 1e-12).all()
    moved = dtw_distances(x + 3, y + 3, band=band, query_lengths=n, reference_lengths=m)
    torch.testing.assert_close(moved, distance(band))


@settings(max_examples=20, deadline=None)
@given(batches())
def test_padding_and_neighbours_change_nothing(case):
    x, n, y, m, band = case
    together = dtw_distances(x, y, band=band, query_lengths=n, reference_lengths=m)
    x[torch.arange(x.shape[1]) >= n[:, None]] = torch.nan
    longer = torch.nn.functional.pad(x, (0, 0, 0, 3), value=torch.inf)
    again = dtw_distances(longer, y, band=band, query_lengths=n, reference_lengths=m)
    assert torch.equal(together, again)
    alone = dtw_distances(x[:1, : n[0]], y[:1, : m[0]], band=band)
    assert torch.equal(alone[0, 0], together[0, 0])


def test_without_a_band_clocks_are_one_and_the_distance_is_euclids():
    x, y = torch.randn(3, 20, 2).double(), torch.randn(4, 20, 2).double()
    expected = torch.cdist(x.flatten(1), y.flatten(1))
    torch.testing.assert_close(dtw_distances(x, y, band=0.0), expected)


def test_a_slower_copy_is_no_distance_away():
    x = torch.randn(1, 12)
    slow = x.repeat_interleave(2, 1)
    assert dtw_distances(x, slow).item() == 0
    assert dtw_distances(x, slow, band=0.0).item() == 0  # as wide as the lengths differ


def test_more_pairs_than_one_part_holds(monkeypatch):
    x, y = torch.randn(7, 9), torch.randn(5, 9)
    whole = dtw_distances(x, y, band=0.2)
    monkeypatch.setattr("gradatim.timeseries.dtw.CELLS", 7)
    assert torch.equal(dtw_distances(x, y, band=0.2), whole)


@pytest.mark.parametrize(
    ("x", "y", "arguments", "message"),
    [
        (torch.zeros(2, 3), torch.zeros(2, 3), {"band": 1.5}, "band must be a share from 0 to 1, got 1.5. Try 0.1"),
        (torch.zeros(2, 3, 2), torch.zeros(2, 3), {}, "equal channels, got 2 and 1"),
        (torch.zeros(3), torch.zeros(2, 3), {}, r"queries must be real series of shape \(N, T\) or \(N, T, C\) and not empty, got \(3,\)"),
        (torch.zeros(2, 3), torch.zeros(0, 3), {}, "references must be real series"),
        (torch.zeros(2, 3), torch.tensor([[0.0, 1.0], [torch.nan, 1.0]]), {}, "references must be finite, got NaN or infinity in number 1. Try fill_gaps"),
        (torch.zeros(2, 3), torch.zeros(2, 3), {"query_lengths": torch.tensor([3, 4])}, "lengths must lie between 1 and the 3 steps of the batch, got 3 to 4"),
    ],
)  # fmt: skip
def test_what_is_refused(x, y, arguments, message):
    with pytest.raises(InvalidValue, match=message):
        dtw_distances(x, y, **arguments)
