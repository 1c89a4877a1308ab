import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.timeseries import dtw_distances, nearest_by_dtw

from .test_dtw import batches


@settings(max_examples=60, deadline=None)
@given(batches(), st.integers(1, 4), st.booleans())
def test_the_nearest_are_those_of_the_whole_table(case, k, rounded):
    x, n, y, m, band = case
    if rounded:  # many equal distances
        x, y = x.round(), y.round()
    k = min(k, len(y))
    table = dtw_distances(x, y, band=band, query_lengths=n, reference_lengths=m)
    found = nearest_by_dtw(x, y, num_neighbours=k, band=band, query_lengths=n, reference_lengths=m)
    assert torch.equal(found.indices, table.argsort(dim=1, stable=True)[:, :k])
    assert torch.equal(found.distances, table.sort(dim=1).values[:, :k])


def waves(num_samples, generator):
    t = torch.linspace(0, 6, 60)
    phase = torch.rand(num_samples, 1, generator=generator)
    noise = 0.05 * torch.randn(num_samples, 60, generator=generator)
    level = torch.arange(num_samples)[:, None] % 5
    return torch.sin(t + phase) + level + noise


def test_bounds_spare_most_of_the_work():
    generator = torch.Generator().manual_seed(0)
    x, y = waves(40, generator), waves(200, generator)
    found = nearest_by_dtw(x, y, band=0.1)
    assert found.warped < 0.3
    assert torch.equal(found.indices[:, 0], dtw_distances(x, y, band=0.1).argmin(1))


def test_blocks_of_queries_change_nothing(monkeypatch):
    generator = torch.Generator().manual_seed(0)
    x, y = waves(11, generator), waves(30, generator)
    whole = nearest_by_dtw(x, y, num_neighbours=2)
    monkeypatch.setattr("gradatim.timeseries.dtw_neighbours.PAIRS", 70)
    parts = nearest_by_dtw(x, y, num_neighbours=2)
    assert torch.equal(parts.indices, whole.indices)
    assert torch.equal(parts.distances, whole.distances)
    assert 0 < parts.warped < 1


@pytest.mark.parametrize("k", [0, 4])
def test_more_neighbours_than_references_are_refused(k):
    sentence = f"nearest_by_dtw: num_neighbours must be from 1 to the 3 references, got {k}"
    with pytest.raises(InvalidValue, match=sentence):
        nearest_by_dtw(torch.zeros(2, 5), torch.zeros(3, 5), num_neighbours=k)
