import math

import pytest
import torch

from gradatim.errors import GradatimError
from gradatim.generative import bayes_discriminator, game_value, jensen_shannon


def entropy(p):
    return -sum(float(v) * math.log(float(v)) for v in p if v > 0)


def densities():
    g = torch.Generator().manual_seed(0)
    return torch.rand(2, 9, generator=g).double().softmax(1)


def test_its_value_is_the_divergence_minus_log_2_and_no_other_has_more():
    p, q = densities()
    best = bayes_discriminator(p.log(), q.log())
    torch.testing.assert_close(best, p / (p + q))
    value = game_value(p, q, best)
    assert float(value) == pytest.approx(float(jensen_shannon(p, q)) - math.log(2))
    for seed in range(20):
        other = torch.rand(9, generator=torch.Generator().manual_seed(seed)).double()
        assert game_value(p, q, other) < value


def test_the_divergence_by_entropies():
    p, q = densities()
    expected = entropy((p + q) / 2) - entropy(p) / 2 - entropy(q) / 2
    assert float(jensen_shannon(p, q)) == pytest.approx(expected)
    assert float(jensen_shannon(p, p)) == pytest.approx(0, abs=1e-12)


def test_errors():
    p, q = densities()
    with pytest.raises(
        GradatimError, match="p and q must be two lists of equally many probabilities"
    ):
        jensen_shannon(p, q[:3])
    with pytest.raises(GradatimError, match="p and q must each sum to 1, got 2 and 1"):
        jensen_shannon(2 * p, q)
    with pytest.raises(GradatimError, match="d must have the shape of p"):
        game_value(p, q, p[:2])
