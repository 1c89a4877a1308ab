import pytest
import torch
from sklearn.neighbors import NearestNeighbors

from gradatim.errors import GradatimError
from gradatim.generative import inside_manifold, precision_recall
from gradatim.randomness import seeded


@pytest.mark.parametrize(("d", "k"), [(2, 1), (2, 3), (20, 3)])
def test_balls_are_those_of_a_search_by_scikit_learn(d, k):
    with seeded(0):
        points, rows = torch.randn(40, d) * 1.5, torch.randn(50, d)
    reach = NearestNeighbors().fit(rows).kneighbors(rows, k + 1)[0][:, k]
    expected = (torch.cdist(points.double(), rows.double()) <= torch.from_numpy(reach) + 1e-9).any(
        1
    )
    assert torch.equal(inside_manifold(points, rows, num_neighbours=k), expected)
    assert 0 < int(expected.sum()) < 40


def test_blocks_change_nothing(monkeypatch):
    with seeded(0):
        points, rows = torch.randn(33, 3), torch.randn(21, 3)
    whole = inside_manifold(points, rows)
    monkeypatch.setattr("gradatim.generative.manifolds.BLOCK", 50)
    assert torch.equal(inside_manifold(points, rows), whole)


def test_a_generator_with_one_good_sample_is_precise_and_recalls_nothing():
    with seeded(0):
        real = torch.randn(300, 2)
        stuck = real[:1] + 1e-3 * torch.randn(300, 2)
        wide = 10 * torch.randn(300, 2)
    assert precision_recall(real, stuck).precision == 1.0
    assert precision_recall(real, stuck).recall < 0.05
    assert precision_recall(real, wide).precision < 0.2


def test_it_is_whole_for_the_data_themselves_and_swaps_with_the_sides():
    with seeded(0):
        real, other = torch.randn(50, 9), torch.randn(60, 9)
    assert precision_recall(real, real) == (1.0, 1.0)
    assert precision_recall(real, other) == precision_recall(other, real)[::-1]


def test_what_does_not_fit_is_one_sentence():
    with pytest.raises(GradatimError, match="points and rows must be rows of the same numbers"):
        inside_manifold(torch.zeros(3, 2), torch.zeros(3, 1))
    with pytest.raises(
        GradatimError,
        match="num_neighbours must be at least 1 and below the number of rows, got 3 of 3",
    ):
        precision_recall(torch.zeros(3, 2), torch.zeros(3, 2))
