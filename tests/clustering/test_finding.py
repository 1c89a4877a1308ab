import numpy as np
import pytest
import torch
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_info

from gradatim.clustering import find_clusters, finding, k_means
from gradatim.errors import InvalidValue


def blobs(rows, seed=0):
    rng = np.random.default_rng(seed)
    return (
        rng.normal(size=(rows, 2)) + 9.0 * np.array([[0, 0], [1, 0], [0, 1]])[np.arange(rows) % 3]
    )


def test_it_is_the_best_of_scikit_learns_starts():
    x = blobs(90)
    theirs = KMeans(4, n_init=10, random_state=3).fit(x)
    ours = find_clusters(x, 4, seed=3)
    assert ours.labels.tolist() == theirs.labels_.tolist()
    assert ours.inertia == pytest.approx(theirs.inertia_)


def test_a_step_of_k_means_stays_where_it_is():
    x = blobs(60)
    found = find_clusters(x, 3)
    state, info = k_means.step(x, k_means.init(x, found.centers))
    assert info.moved == 0
    assert float(state.inertia) == pytest.approx(found.inertia)


def test_many_rows_begin_with_a_sample_and_end_with_all(monkeypatch):
    monkeypatch.setattr(finding, "LARGE", 50)
    x = blobs(600)
    found = find_clusters(x, 3)
    for k in range(3):
        own = found.labels.numpy() == found.labels[k].item()
        assert (own == (np.arange(600) % 3 == k)).all()
    np.testing.assert_allclose(np.sort(found.centers.numpy(), 0), np.sort([x[k::3].mean(0) for k in range(3)], 0), atol=1e-12)  # fmt: skip


def test_equal_rows_are_enough():
    assert find_clusters(torch.ones(5, 2), 3).inertia == 0.0


def test_threads_come_back():
    before = [pool["num_threads"] for pool in threadpool_info()]
    find_clusters(blobs(30), 2)
    after = [pool["num_threads"] for pool in threadpool_info()]
    assert after[: len(before)] == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_clusters": 0}, "num_clusters must be a whole number from 1, got 0"),
        ({"num_clusters": 2.5}, "num_clusters must be a whole number from 1, got 2.5"),
        ({"num_clusters": 7}, "num_clusters must be at most the number of rows, 6, got 7"),
        ({"num_clusters": 2, "num_starts": 0}, "num_starts must be a whole number from 1, got 0"),
        ({"num_clusters": 2, "seed": -1}, "seed must be a whole number from 0"),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(InvalidValue, match=f"find_clusters: {message}"):
        find_clusters(blobs(6), **arguments)
