import math

import pytest
import torch

from gradatim.clustering import find_clusters, k_means, k_means_plus_plus
from gradatim.errors import InvalidValue


def test_the_second_row_is_drawn_by_its_squared_distance():
    x = torch.tensor([[0.0], [1.0], [3.0]])
    counts = torch.zeros(3, 3)
    g = torch.Generator().manual_seed(0)
    for _ in range(3000):
        first, second = k_means_plus_plus(x, 2, generator=g).flatten().tolist()
        counts[[0.0, 1.0, 3.0].index(first), [0.0, 1.0, 3.0].index(second)] += 1
    expected = torch.tensor([[0, 1, 9], [1, 0, 4], [9, 4, 0.0]])
    expected = expected / expected.sum(1, keepdim=True)
    torch.testing.assert_close(counts / counts.sum(1, keepdim=True), expected, atol=0.05, rtol=0)
    torch.testing.assert_close(counts.sum(1) / 3000, torch.full((3,), 1 / 3), atol=0.04, rtol=0)


def test_the_inertia_is_as_good_as_is_promised():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(120, 2, generator=g) + 8 * torch.randn(6, 2, generator=g).repeat(20, 1)
    best = find_clusters(x, 6).inertia
    drawn = [float(k_means.init(x, k_means_plus_plus(x, 6, generator=g)).inertia) for _ in range(50)]  # fmt: skip
    assert sum(drawn) / 50 <= 8 * (math.log(6) + 2) * best


def test_rows_that_are_equal_can_be_drawn():
    assert k_means_plus_plus(torch.ones(4, 2), 3).tolist() == [[1.0, 1.0]] * 3


@pytest.mark.parametrize(("count", "message"), [(0, "num_clusters must be a whole number from 1, got 0"), (2.5, "num_clusters must be a whole number from 1, got 2.5"), (5, "num_clusters must be at most the number of rows, 4, got 5")])  # fmt: skip
def test_errors(count, message):
    with pytest.raises(InvalidValue, match=f"k_means_plus_plus: {message}"):
        k_means_plus_plus(torch.ones(4, 2), count)
