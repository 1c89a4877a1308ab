"""Labels that walk over edges, against the linear system they solve."""

import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.fitting.nodes.propagation import Propagation, fit_propagation, propagate
from gradatim.fitting.nodes.view import NodeView, both_ways


def path(count):
    index = np.stack([np.arange(count - 1), np.arange(1, count)])
    return NodeView(np.zeros((count, 1)), both_ways(index, False))


def test_it_solves_the_linear_system():
    rng = np.random.default_rng(0)
    A = np.triu(rng.random((12, 12)) < 0.3, 1) * rng.uniform(0.5, 2, size=(12, 12))
    A = A + A.T
    A[5] = A[:, 5] = 0  # a node without edges
    target, source = np.nonzero(A)
    view = NodeView(np.zeros((12, 1)), np.stack([source, target]), A[target, source])
    rows, codes, prior, alpha = np.array([0, 3, 7]), np.array([0, 1, 1]), np.array([0.4, 0.6]), 0.6
    free = np.setdiff1d(np.arange(12), rows)
    degree = A.sum(1)
    P = np.divide(A, degree[:, None], where=degree[:, None] > 0, out=np.zeros_like(A))
    rest = np.where(degree > 0, 1 - alpha, 1.0)[:, None] * prior
    right = rest[free] + alpha * P[np.ix_(free, rows)] @ np.eye(2)[codes]
    expected = np.linalg.solve(np.eye(len(free)) - alpha * P[np.ix_(free, free)], right)
    found = propagate(view, rows, codes, prior, alpha)
    np.testing.assert_allclose(found[free], expected, atol=1e-8)
    np.testing.assert_allclose(found.sum(1), 1.0)
    np.testing.assert_array_equal(found[5], prior)


def test_the_nearer_label_wins():
    found = propagate(path(7), np.array([0, 6]), np.array([0, 1]), np.array([0.5, 0.5]), 0.95)
    assert (np.diff(found[:, 0]) < 0).all()
    assert found[3, 0] == pytest.approx(0.5)


def test_how_far_labels_go_is_chosen_and_kept():
    view = path(200)
    codes = (np.arange(0, 200, 2) >= 100).astype(int)
    fitted = fit_propagation(view, np.arange(0, 200, 2), codes, 2, 0)
    assert fitted.alpha == 0.95  # neighbours are alike throughout
    assert fit_propagation(view, np.arange(0, 200, 2), codes, 2, 0, {"alpha": 0.3}).alpha == 0.3
    again = Propagation.restore(*fitted.store())
    np.testing.assert_array_equal(again.outputs(view), fitted.outputs(view))


def test_labels_of_no_class_are_refused():
    facts, tensors = fit_propagation(path(40), np.arange(30), np.arange(30) % 2, 2, 0).store()
    with pytest.raises(InvalidValue, match="labels must be classes of nodes"):
        Propagation.restore(facts, tensors | {"codes": tensors["codes"] + 5})
    with pytest.raises(InvalidValue, match="alpha must be from 0 to below 1"):
        Propagation.restore(facts | {"alpha": 2.0}, tensors)
