import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from gradatim.clustering import adjusted_rand
from gradatim.errors import InvalidValue


@pytest.mark.parametrize("seed", range(6))
def test_it_is_that_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(-2, 3, 40), rng.integers(0, 9, 40)
    assert adjusted_rand(a, b) == pytest.approx(adjusted_rand_score(a, b))


def test_pairs_counted_one_by_one():
    a, b = [0, 0, 1, 1, 2], [0, 0, 0, 1, 1]
    pairs = [(i, j) for i in range(5) for j in range(i)]
    both = sum(a[i] == a[j] and b[i] == b[j] for i, j in pairs)
    one, other = (sum(z[i] == z[j] for i, j in pairs) for z in (a, b))
    chance = one * other / len(pairs)
    assert adjusted_rand(a, b) == pytest.approx((both - chance) / ((one + other) / 2 - chance))


def test_chance_gives_zero_on_average():
    rng = np.random.default_rng(0)
    found = [adjusted_rand(rng.integers(0, 3, 30), rng.integers(0, 4, 30)) for _ in range(400)]
    assert abs(np.mean(found)) < 0.01


def test_one_row_and_one_part_agree():
    assert adjusted_rand([0], [3]) == adjusted_rand([1, 1, 1], [2, 2, 2]) == 1.0


def test_errors():
    with pytest.raises(
        InvalidValue,
        match=r"adjusted_rand: partitions must be of the same rows, shape \(N,\), got \(2,\) and \(3,\)",
    ):
        adjusted_rand([0, 1], [0, 1, 1])
