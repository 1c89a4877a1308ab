import math

import torch
from hypothesis import given, settings

from gradatim.timeseries import dtw_distances
from gradatim.timeseries.dtw_bounds import lb_keogh, lb_kim
from gradatim.timeseries.series_batch import SeriesBatch

from .test_dtw import batches, width


@settings(max_examples=80, deadline=None)
@given(batches())
def test_bounds_never_exceed_the_distance(case):
    x, n, y, m, band = case
    distances = dtw_distances(x, y, band=band, query_lengths=n, reference_lengths=m) + 1e-9
    assert (lb_kim(SeriesBatch(x, n), SeriesBatch(y, m)) <= distances).all()
    assert (lb_keogh(SeriesBatch(x, n), SeriesBatch(y, m), band) <= distances).all()


@settings(max_examples=30, deadline=None)
@given(batches())
def test_keoghs_bound_by_loops(case):
    x, n, y, m, band = case
    w = max(width(a, b, band) for a in n.tolist() for b in m.tolist())
    found = lb_keogh(SeriesBatch(x, n), SeriesBatch(y, m), band)
    for a in range(len(x)):
        for b in range(len(y)):
            total = 0.0
            for i in range(n[a]):
                near = y[b, max(0, i - w) : min(m[b], i + w + 1)]
                for c in range(x.shape[2]):
                    value, column = x[a, i, c], near[:, c]
                    total += max(0.0, (value - column.max()).item(), (column.min() - value).item()) ** 2  # fmt: skip
            assert math.isclose(found[a, b].item(), math.sqrt(total), rel_tol=1e-9, abs_tol=1e-12)


def test_without_a_band_keoghs_bound_is_the_distance():
    x, y = torch.randn(3, 20, 2).double(), torch.randn(4, 20, 2).double()
    n, m = torch.full((3,), 20), torch.full((4,), 20)
    bound = lb_keogh(SeriesBatch(x, n), SeriesBatch(y, m), 0.0)
    torch.testing.assert_close(bound, dtw_distances(x, y, band=0.0))


def test_parts_of_the_queries_are_bounded_alike(monkeypatch):
    x, n = torch.randn(9, 6, 2), torch.full((9,), 6)
    batch = SeriesBatch(x, n)
    whole = lb_keogh(batch, batch, 0.3)
    monkeypatch.setattr("gradatim.timeseries.dtw_bounds.NUMBERS", 250)
    assert torch.equal(lb_keogh(batch, batch, 0.3), whole)
