import numpy as np
import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.fitting.clusters.centers import Centers, fit_centers, nearest


def draw(rows, seed=0, dim=3):
    rng = np.random.default_rng(seed)
    sizes = rng.choice(3, rows, p=[0.5, 0.3, 0.2])
    return rng.normal(size=(rows, dim)) + 8.0 * np.eye(dim)[sizes]


def test_the_nearest_center_by_loops(monkeypatch):
    monkeypatch.setattr("gradatim.fitting.clusters.centers.BLOCK", 20)
    x, centers = draw(50), draw(4, seed=1)
    labels, distances = nearest(x, centers)
    slow = [[np.sqrt(((row - c) ** 2).sum()) for c in centers] for row in x]
    assert labels.tolist() == [row.index(min(row)) for row in slow]
    np.testing.assert_allclose(distances, [min(row) for row in slow])


def test_clusters_are_numbered_by_size():
    x = draw(300)
    labels, _, _ = fit_centers(x, 3, seed=0).assign(x)
    sizes = np.bincount(labels)
    assert (np.diff(sizes) < 0).all()


@pytest.mark.parametrize("dim", [3, 12])
def test_one_in_a_hundred_new_rows_is_far(dim):
    found = fit_centers(draw(2000, dim=dim), 3, seed=0)
    _, _, far = found.assign(draw(20_000, seed=1, dim=dim))
    assert 0.004 < far.mean() < 0.018


def test_what_lies_elsewhere_is_far():
    found = fit_centers(draw(300), 3, seed=0)
    _, _, far = found.assign(np.full((1, 3), 30.0))
    assert far.all()


@pytest.mark.parametrize(("rows", "count"), [(2, 1), (2, 2), (3, 3), (6, 5), (30, 30)])
def test_few_rows_are_enough(rows, count):
    found = fit_centers(draw(rows), count, seed=0)
    labels, distances, _ = found.assign(draw(rows))
    assert found.centers.shape == (count, 3)
    assert (found.reach > 0).all()
    assert np.isfinite(distances).all()
    assert len(np.unique(labels)) == count


def test_what_was_stored_comes_back_and_damage_is_refused():
    found = fit_centers(draw(40), 2, seed=0)
    facts, tensors = found.store()
    again = Centers.restore(facts, tensors)
    assert again.parameters == found.parameters == 8
    np.testing.assert_array_equal(again.centers, found.centers)
    for bad in (
        {"centers": torch.zeros(3, 3).double()},
        {"reach": torch.ones(2)},
        {"reach": torch.ones(0).double(), "centers": torch.ones(0, 3).double()},
    ):
        with pytest.raises(
            InvalidValue, match="load_model: every cluster must have a center and a reach"
        ):
            Centers.restore(facts, {**tensors, **bad})
    with pytest.raises(InvalidValue, match="kind must be k-means"):
        Centers.restore({"kind": "chain"}, tensors)
