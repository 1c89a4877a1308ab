from math import sqrt

import pytest
import torch

from gradatim.theory import (
    barron_bound,
    barron_constant,
    barron_network,
    gaussian_bump,
    sample_ball,
)


@pytest.mark.parametrize("dim", [1, 2, 3, 10])
def test_constant_is_the_mean_length_of_a_normal_vector(dim):
    lengths = torch.randn(400_000, dim, generator=torch.Generator().manual_seed(0)).norm(dim=1)
    assert barron_constant(dim) == pytest.approx(lengths.mean().item(), rel=0.01)
    assert barron_constant(dim) <= sqrt(dim)


def test_constant_in_three_dimensions_in_closed_form():
    assert barron_constant(3) == pytest.approx(2 * sqrt(2 / torch.pi))


@pytest.mark.parametrize("dim", [1, 4])
def test_mean_of_many_units_is_the_bump(dim):
    generator = torch.Generator().manual_seed(0)
    x = sample_ball(50, dim, radius=1.5, generator=generator)
    net = barron_network(200_000, dim, radius=1.5, generator=generator)
    difference = (net(x)[:, 0] - gaussian_bump(x)).detach()
    # four standard errors of a mean of terms no larger than 2 r C
    assert difference.abs().max() < 4 * 2 * 1.5 * barron_constant(dim) / sqrt(200_000)


@pytest.mark.parametrize("dim", [2, 10])
def test_squared_error_falls_as_one_over_m_and_keeps_the_bound(dim):
    generator = torch.Generator().manual_seed(1)
    x = sample_ball(500, dim, radius=1.0, generator=generator)

    def mean_squared_error(m):
        nets = (barron_network(m, dim, generator=generator) for _ in range(200))
        with torch.no_grad():
            errors = [(net(x)[:, 0] - gaussian_bump(x)).square().mean() for net in nets]
        return torch.stack(errors).mean().item()

    few, many = mean_squared_error(4), mean_squared_error(64)
    assert few / many == pytest.approx(16, rel=0.3)
    assert few <= barron_bound(4, dim, 1.0)
    assert many <= barron_bound(64, dim, 1.0)


def test_no_unit_exceeds_its_share_of_the_bound():
    net = barron_network(500, 3, radius=2.0, generator=torch.Generator().manual_seed(0))
    assert net[2].weight.abs().max() * 500 <= 2 * 2.0 * barron_constant(3) + 1e-6


def test_ball_is_uniform():
    x = sample_ball(100_000, 3, radius=2.0, generator=torch.Generator().manual_seed(0))
    share = (x.norm(dim=1) < 1.0).double().mean().item()
    assert share == pytest.approx(1 / 8, abs=0.005)
    assert x.mean(dim=0).abs().max() < 0.02


def test_equal_generators_give_equal_networks():
    one, two = (barron_network(5, 2, generator=torch.Generator().manual_seed(3)) for _ in range(2))
    assert all(torch.equal(p, q) for p, q in zip(one.parameters(), two.parameters(), strict=True))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: barron_network(0, 2), "barron_network: num_units must be positive, got 0"),
        (lambda: barron_network(2, 2, radius=-1.0), "barron_network: radius must be positive"),
        (lambda: barron_constant(0), "barron_constant: dim must be positive, got 0"),
        (lambda: barron_bound(0, 2, 1.0), "barron_bound: num_units must be positive"),
        (lambda: sample_ball(0, 2), "sample_ball: num_samples must be positive"),
    ],
)
def test_refuses(call, message):
    with pytest.raises(ValueError, match=message):
        call()
