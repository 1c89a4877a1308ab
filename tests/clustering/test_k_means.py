import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sklearn.cluster import KMeans

from gradatim.clustering import k_means
from gradatim.errors import InvalidValue

NUMBERS = st.floats(-1e3, 1e3, allow_nan=False).map(lambda x: round(x, 2))


@st.composite
def starts(draw):
    """Rows, ties among them, and some of them as centers."""
    shape = draw(st.tuples(st.integers(1, 12), st.integers(1, 3)))
    x = draw(arrays.arrays(np.float64, shape, elements=NUMBERS))
    rows = draw(st.lists(st.integers(0, shape[0] - 1), min_size=1, max_size=shape[0], unique=True))
    return torch.from_numpy(x), torch.from_numpy(x[rows])


def slow_step(x, centers, labels):
    """Means, nearest centers and inertia by loops over plain numbers."""
    centers = [list(c) for c in centers]
    for k in range(len(centers)):
        members = [row for row, z in zip(x, labels, strict=True) if z == k]
        if members:
            centers[k] = [sum(column) / len(members) for column in zip(*members, strict=True)]
    away = [[sum((a - b) ** 2 for a, b in zip(row, c, strict=True)) for c in centers] for row in x]
    return centers, [row.index(min(row)) for row in away], sum(min(row) for row in away)


def test_a_step_is_what_loops_give():
    x = torch.randn(30, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    state = k_means.init(x, x[:4])
    for _ in range(4):
        centers, labels, inertia = slow_step(
            x.tolist(), state.centers.tolist(), state.labels.tolist()
        )
        moved = sum(a != b for a, b in zip(labels, state.labels.tolist(), strict=True))
        before = state.centers
        state, info = k_means.step(x, state)
        torch.testing.assert_close(state.centers, torch.tensor(centers, dtype=torch.float64))
        assert state.labels.tolist() == labels
        assert float(state.inertia) == pytest.approx(inertia)
        assert info.moved == moved
        assert float(info.shift) == pytest.approx(
            max(np.linalg.norm(state.centers - before, axis=1))
        )


@given(starts())
def test_the_inertia_never_rises_and_there_is_an_end(start):
    x, centers = start
    states = k_means.descend(x, centers, max_steps=1000)
    inertias = [float(state.inertia) for state in states]
    assert all(b <= a + 1e-9 * (1 + a) for a, b in itertools.pairwise(inertias))
    assert len(states) <= 1000
    end, info = k_means.step(x, states[-1])
    assert info.moved == 0
    assert torch.equal(end.labels, states[-1].labels)


@given(starts())
def test_no_partition_comes_back(start):
    parts = [tuple(state.labels.tolist()) for state in k_means.descend(*start)]
    changes = [a for a, b in itertools.pairwise(parts) if a != b]
    assert len(set(changes)) == len(changes)


@pytest.mark.parametrize("seed", range(5))
def test_labels_are_those_of_scikit_learn_from_the_same_start(seed):
    x = np.random.default_rng(seed).normal(size=(300, 4))
    theirs = KMeans(5, init=x[:5], n_init=1, tol=0, algorithm="lloyd").fit(x)
    ours = k_means.descend(x, x[:5])[-1]
    assert ours.labels.tolist() == theirs.labels_.tolist()
    np.testing.assert_allclose(ours.centers, theirs.cluster_centers_, atol=1e-12)
    assert float(ours.inertia) == pytest.approx(theirs.inertia_)


def test_a_center_without_rows_stays():
    states = k_means.descend([[0.0], [1.0]], [[0.5], [99.0]])
    assert states[-1].centers.flatten().tolist() == [0.5, 99.0]


def test_single_precision_stays():
    state = k_means.init(torch.rand(9, 2), torch.rand(2, 2).double())
    assert state.centers.dtype == state.inertia.dtype == torch.float32


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: k_means.init(torch.ones(3), torch.ones(1, 1)), r"k_means.init: x must be real of shape \(N, d\) with d from 1, got shape \(3,\)"),
        (lambda: k_means.init([[float("nan")]], [[0.0]]), "x must be finite, got NaN or infinity"),
        (lambda: k_means.init([[0.0]], [[0.0], [1.0]]), r"centers must be finite, of shape \(K, 1\) with K from 1 to 1, got shape \(2, 1\)"),
        (lambda: k_means.init([[0.0]], [[float("inf")]]), "centers must be finite"),
        (lambda: k_means.descend([[0.0]], [[0.0]], max_steps=-1), "max_steps must be at least 0, got -1"),
    ],
)  # fmt: skip
def test_errors(call, message):
    with pytest.raises(InvalidValue, match=message):
        call()
