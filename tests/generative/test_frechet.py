import math

import pytest
import torch
from scipy import linalg

from gradatim.errors import GradatimError
from gradatim.generative import frechet_distance
from gradatim.randomness import seeded


def clouds(n=60, m=50, d=4):
    with seeded(0):
        return torch.randn(n, d).double() @ torch.randn(d, d).double(), torch.randn(
            m, d
        ).double() + 1


def test_it_is_the_equation_with_a_general_matrix_square_root():
    x, y = clouds()
    cov_x, cov_y = torch.cov(x.T).numpy(), torch.cov(y.T).numpy()
    root = linalg.sqrtm(cov_x @ cov_y).real
    expected = ((x.mean(0) - y.mean(0)) ** 2).sum().item() + (cov_x + cov_y - 2 * root).trace()
    assert float(frechet_distance(x, y)) == pytest.approx(expected, rel=1e-9)


def test_on_a_line_it_is_that_of_two_means_and_deviations():
    x, y = clouds(d=1)
    expected = (x.mean() - y.mean()) ** 2 + (x.std() - y.std()) ** 2
    assert float(frechet_distance(x, y)) == pytest.approx(float(expected), rel=1e-9)


def test_of_large_samples_it_is_that_of_the_gaussians():
    with seeded(1):
        x, y = torch.randn(200_000, 2), torch.randn(200_000, 2) * torch.tensor([2.0, 1.0]) + 1
    assert float(frechet_distance(x, y)) == pytest.approx(2 + 1, abs=0.05)


def test_it_is_symmetric_zero_for_itself_and_blind_to_rotations():
    x, y = clouds()
    turn = torch.linalg.qr(torch.randn(4, 4, generator=torch.Generator().manual_seed(1)).double())[
        0
    ]
    distance = float(frechet_distance(x, y))
    assert float(frechet_distance(y, x)) == pytest.approx(distance)
    assert float(frechet_distance(x @ turn, y @ turn)) == pytest.approx(distance)
    assert float(frechet_distance(x, x)) == pytest.approx(0, abs=1e-9)


def test_whole_weights_are_repeated_rows_up_to_the_correction_of_the_variance():
    x, y = (
        torch.tensor([[0.0], [1.0], [1.0], [4.0]]).double(),
        torch.tensor([[0.0], [2.0]]).double(),
    )
    weighted = frechet_distance(x[[0, 1, 3]], y, torch.tensor([1.0, 2.0, 1.0]))
    mean, spread = 1.5, (1.5**2 + 2 * 0.5**2 + 2.5**2) / 4 / (1 - (1 + 4 + 1) / 16)
    expected = (mean - 1) ** 2 + (math.sqrt(spread) - math.sqrt(2)) ** 2
    assert float(weighted) == pytest.approx(expected)


def test_sets_of_weights_give_a_distance_each():
    x, y = clouds()
    weights = torch.rand(3, len(x), generator=torch.Generator().manual_seed(0)).double()
    each = torch.stack([frechet_distance(x, y, w) for w in weights])
    torch.testing.assert_close(frechet_distance(x, y, weights), each)


@pytest.mark.parametrize("bad", [torch.zeros(1, 4), torch.zeros(5, 3), torch.zeros(5)])
def test_what_does_not_fit_is_one_sentence(bad):
    with pytest.raises(
        GradatimError, match="x and y must be at least two rows each of the same numbers, got"
    ):
        frechet_distance(clouds()[0], bad)
