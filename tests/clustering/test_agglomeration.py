import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage

from gradatim.clustering import LINKAGES, adjusted_rand, agglomerate, agglomeration
from gradatim.errors import InvalidValue


@pytest.mark.parametrize("name", LINKAGES)
@given(seed=st.integers(0, 10**6), rows=st.integers(2, 25), dim=st.integers(1, 4))
def test_merges_are_those_of_scipy(name, seed, rows, dim):
    x = np.random.default_rng(seed).normal(size=(rows, dim))
    np.testing.assert_allclose(agglomerate(x, name), linkage(x, name), rtol=1e-9)


@pytest.mark.parametrize("name", LINKAGES)
def test_no_merge_is_lower_than_one_before(name):
    x = np.random.default_rng(0).normal(size=(40, 2))
    heights = agglomerate(x, name)[:, 2]
    assert (heights.diff() >= -1e-12).all()


def distance(name, a, b):
    """Between two sets of rows, from its definition."""
    pairs = np.linalg.norm(a[:, None] - b[None], axis=2)
    if name == "ward":
        return np.sqrt(2 * len(a) * len(b) / (len(a) + len(b))) * np.linalg.norm(
            a.mean(0) - b.mean(0)
        )
    return {"single": pairs.min, "complete": pairs.max, "average": pairs.mean}[name]()


@pytest.mark.parametrize("name", LINKAGES)
def test_distances_are_those_of_the_definition(name):
    x = np.random.default_rng(1).normal(size=(12, 3))
    state, members = agglomeration.init(x, name), {k: [k] for k in range(12)}
    for number in range(12, 20):
        state, info = agglomeration.step(state)
        members[number] = members.pop(info.first) + members.pop(info.second)
        ids = state.ids.tolist()
        assert info.size == len(members[number]) == int(state.sizes[ids.index(number)])
        for i, a in enumerate(ids):
            for j, b in enumerate(ids[:i]):
                found = float(state.distances[i, j]) ** (0.5 if name == "ward" else 1.0)
                assert found == pytest.approx(distance(name, x[members[a]], x[members[b]]))


def test_half_the_square_of_a_height_of_ward_is_the_inertia_it_adds():
    x = np.random.default_rng(2).normal(size=(30, 3))
    merges = agglomerate(x, "ward")
    assert float((merges[:, 2] ** 2).sum() / 2) == pytest.approx(((x - x.mean(0)) ** 2).sum())


def test_fifty_points_in_three_clusters_are_cut_near_15_by_ward():
    """The dendrogram of the notes names no linkage: of these points Ward alone has its last two merges on both sides of 15."""
    rng = np.random.default_rng(0)
    centers = np.array([[0.0, 0.0], [5.0, 5.0], [0.0, 8.0]])
    truth = np.arange(50) % 3
    x = centers[truth] + rng.normal(size=(50, 2))
    heights = {name: agglomerate(x, name)[:, 2].numpy() for name in LINKAGES}
    assert heights["ward"][-3] < 15 < heights["ward"][-2]
    assert all(heights[name][-1] < 15 for name in ("single", "complete", "average"))
    parts = fcluster(agglomerate(x, "ward").numpy(), 15, "distance")
    assert adjusted_rand(torch.from_numpy(parts), torch.from_numpy(truth)) == 1.0


def test_one_row_has_no_merges():
    assert agglomerate([[1.0, 2.0]]).shape == (0, 4)
    with pytest.raises(
        InvalidValue, match=r"agglomeration.step: state must have two clusters at least, got 1"
    ):
        agglomeration.step(agglomeration.init([[1.0]]))


def test_errors():
    with pytest.raises(
        InvalidValue,
        match=r"agglomeration.init: linkage must be one of .*, got 'wards'. Try 'ward'",
    ):
        agglomerate([[1.0], [2.0]], "wards")
