import pytest
import torch

from gradatim.errors import GradatimError
from gradatim.generative import kernel_distance
from gradatim.randomness import seeded


def slow(x, y, degree):
    def k(a, b):
        return (sum(float(p) * float(q) for p, q in zip(a, b, strict=True)) / len(a) + 1) ** degree

    def own(rows):
        n = len(rows)
        return sum(k(rows[i], rows[j]) for i in range(n) for j in range(n) if i != j) / n / (n - 1)

    return own(x) + own(y) - 2 * sum(k(a, b) for a in x for b in y) / len(x) / len(y)


@pytest.mark.parametrize("degree", [1, 3])
def test_it_is_the_equation(degree):
    with seeded(0):
        x, y = torch.randn(6, 3), torch.randn(5, 3) + 1
    assert float(kernel_distance(x, y, degree=degree)) == pytest.approx(
        slow(x, y, degree), rel=1e-6
    )


def test_with_a_straight_kernel_it_is_the_squared_distance_of_the_means_without_bias():
    with seeded(0):
        x, y = torch.randn(400, 100, 2) + 0.5, torch.randn(400, 100, 2)
    means = torch.stack([kernel_distance(a, b, degree=1) for a, b in zip(x, y, strict=True)])
    assert float(means.mean()) == pytest.approx((0.5**2 * 2) / 2, abs=0.01)


def test_its_mean_is_zero_for_one_distribution_however_few_the_rows():
    with seeded(0):
        found = torch.stack(
            [kernel_distance(torch.randn(5, 2), torch.randn(5, 2)) for _ in range(600)]
        )
    assert abs(float(found.mean())) < 4 * float(found.std()) / 600**0.5
    assert (found < 0).any()


def test_weights_leave_out_pairs_of_a_row_with_itself():
    x, y = torch.tensor([[0.0], [1.0], [3.0]]).double(), torch.tensor([[0.0], [2.0]]).double()
    w = torch.tensor([0.5, 0.25, 0.25]).double()
    pairs = [(i, j) for i in range(3) for j in range(3) if i != j]
    total = sum(w[i] * w[j] for i, j in pairs)
    own = sum(w[i] * w[j] * (x[i] @ x[j] + 1) for i, j in pairs) / total
    cross = (w[:, None] * (x @ y.T + 1)).sum(0).mean()
    assert float(kernel_distance(x, y, w, degree=1)) == pytest.approx(float(own + 1 - 2 * cross))


def test_what_does_not_fit_is_one_sentence():
    with pytest.raises(GradatimError, match="x and y must be at least two rows"):
        kernel_distance(torch.zeros(1, 2), torch.zeros(3, 2))
    with pytest.raises(GradatimError, match="degree must be at least 1, got 0"):
        kernel_distance(torch.zeros(3, 2), torch.zeros(3, 2), degree=0)
