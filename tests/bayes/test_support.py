import math

import pytest
import torch
from torch.distributions import constraints

from gradatim.bayes import sample
from gradatim.bayes.support import Space
from gradatim.errors import GradatimError, InvalidValue

START = {
    "mu": torch.tensor([[0.5, -1.0], [2.0, 0.1]]).double(),
    "sigma": torch.tensor([0.3, 2.0]).double(),
    "share": torch.tensor([[0.2], [0.9]]).double(),
    "weights": torch.tensor([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]]).double(),
    "rho": torch.tensor([-0.5, 0.5]).double(),
}
SUPPORT = {
    "sigma": "positive",
    "share": "unit",
    "weights": "simplex",
    "rho": constraints.interval(-1, 1),
}


def test_there_and_back():
    space = Space(START, SUPPORT)
    assert space.start.shape == (2, 2 + 1 + 1 + 2 + 1)  # a simplex of three has two real numbers
    found, _ = space.values(space.start)
    for name, value in START.items():
        torch.testing.assert_close(found[name], value)


def test_the_jacobian_is_that_of_autograd():
    """The logarithm of the determinant of ∂θ/∂u, a simplex without its last entry, which the others fix."""
    space = Space(START, SUPPORT)

    def flat(u):
        found, _ = space.values(u[None])
        found["weights"] = found["weights"][:, :-1]
        return torch.cat([value.flatten() for value in found.values()])

    _, log_jacobian = space.values(space.start)
    for row, expected in zip(space.start, log_jacobian, strict=True):
        jacobian = torch.autograd.functional.jacobian(flat, row)
        torch.testing.assert_close(torch.linalg.slogdet(jacobian).logabsdet, expected)


def test_all_numbers_need_no_map():
    space = Space(torch.zeros(3, 2), None)

    def log_density(x):
        return -x.sum(1)

    assert space.density(log_density, is_batched=True) is log_density
    assert space.values(space.start)[1] is None


def test_draws_have_their_shapes_and_supports():
    def log_density(v):
        peak = (v["mu"] - 1).square().sum(1) + v["sigma"] + 3 * v["rho"].square()
        return -peak + v["weights"].log().sum(1) + v["share"].log().sum(1)

    trace = sample(log_density, START, support=SUPPORT, draws=30, warmup=30, seed=1)
    shapes = {name: tuple(value.shape) for name, value in trace.draws.items()}
    assert shapes == {"mu": (2, 30, 2), "sigma": (2, 30), "share": (2, 30, 1), "weights": (2, 30, 3), "rho": (2, 30)}  # fmt: skip
    assert (trace.draws["sigma"] > 0).all()
    assert (trace.draws["rho"].abs() < 1).all()
    torch.testing.assert_close(trace.draws["weights"].sum(-1), torch.ones(2, 30).double())
    assert trace.draws["mu"].dtype == torch.float64


def test_densities_on_their_supports_have_the_right_moments():
    """A gamma, a beta and a Dirichlet variable, whose means and variances are known."""

    def log_density(v):
        gamma = 2 * v["g"].log() - 1.5 * v["g"]  # Gamma(3, 1.5)
        beta = 1 * v["b"].log() + 3 * (-v["b"]).log1p()  # Beta(2, 4)
        dirichlet = (torch.tensor([1.0, 2.0, 3.0]) * v["d"].log()).sum(1)  # Dirichlet(2, 3, 4)
        return gamma + beta + dirichlet

    start = {"g": torch.ones(32), "b": torch.full((32,), 0.5), "d": torch.full((32, 3), 1 / 3)}
    trace = sample(log_density, start, support={"g": "positive", "b": "unit", "d": "simplex"}, sampler="hmc", draws=200, warmup=200)  # fmt: skip
    table = trace.summary()
    means = [3 / 1.5, 2 / 6, 2 / 9, 3 / 9, 4 / 9]
    variances = [3 / 1.5**2, 8 / 36 / 7, 14 / 81 / 10, 18 / 81 / 10, 20 / 81 / 10]
    for row, mean, variance in zip(table.index, means, variances, strict=True):
        error = math.sqrt(variance / table["ess_bulk"][row])
        assert table["mean"][row] == pytest.approx(mean, abs=4 * error)
        assert table["sd"][row] ** 2 == pytest.approx(variance, rel=0.15)


def test_a_support_alone_is_that_of_a_tensor_alone():
    trace = sample(lambda x: -x.sum(1), torch.ones(16, 1), support="positive", sampler="hmc", draws=200, warmup=150)  # fmt: skip
    assert trace.draws.shape == (16, 200, 1)
    assert float(trace.draws.mean()) == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize(
    ("start", "support", "message"),
    [
        ({"a": torch.ones(2), "b": torch.ones(3)}, None, r"a row per chain, equally many of every name, got {'a': 2, 'b': 3}"),
        (torch.ones(3), None, r"shape \(chains, d\), got shape \(3,\). Try start\[None\]"),
        (torch.tensor(1.0), None, "must have a row per chain"),
        ({}, None, "must have a row per chain"),
        ({"a": torch.ones(2)}, {"b": "positive"}, r"support must name values of start \(a\), got 'b'"),
        ({"a": torch.ones(2)}, {"a": "positiv"}, "support of a must be one of positive, .* got 'positiv'. Try 'positive'."),
        ({"a": torch.ones(2)}, {"a": 3}, "support of a must be a word or a constraint of torch.distributions, got a int"),
        ({"a": torch.tensor([1.0, -2.0])}, {"a": "positive"}, "start of a must lie in its support, positive, got -2 to 1"),
        ({"a": torch.tensor([[0.5, 0.6]])}, {"a": "simplex"}, "start of a must lie in its support, simplex"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(start, support, message):
    with pytest.raises(GradatimError, match=message):
        Space(start, support)
    with pytest.raises((InvalidValue, TypeError), match=message):
        sample(lambda x: x, start, support=support)
