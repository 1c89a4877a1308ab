"""The experiments on wide networks hold, in versions of a few seconds."""

import math

import numpy as np
import pytest
import torch
from scipy import integrate, stats

from gradatim import experiments
from gradatim.experiments.theory._order_and_chaos import (
    correlations,
    fixed_variance,
    slope_at_one,
)
from gradatim.experiments.theory._wide_networks import safe_rate, slope_interval, sphere_rows
from gradatim.experiments.theory.lazy_versus_rich import build_network, draw_parity
from gradatim.experiments.theory.nngp import Settings, hidden_kernels, linear_kurtosis
from gradatim.models import MLP

PICTURES = {
    "ntk-constancy": "constancy",
    "infinite-width": "infinite-width",
    "lazy-versus-rich": "regimes",
    "nngp": "process",
}


@pytest.mark.parametrize("name", PICTURES)
def test_every_claim_holds(name):
    report = experiments.run(name, quick=True, overrides={"seed": "1"})
    assert [claim.name for claim in report.claims if not claim.holds] == []
    assert len(report.claims) >= 12
    assert [picture.name for picture in report.pictures] == [PICTURES[name]]


def test_slopes_of_every_column_and_their_interval():
    widths = (1, 2, 4)
    figures = [[3.0, 5.0], [1.5, 10.0], [0.75, 20.0]]  # powers -1 and 1
    found = slope_interval(widths, figures)
    assert found.mean == pytest.approx(0.0, abs=1e-12)
    reach = stats.t.ppf(0.975, 1) * np.std([-1, 1], ddof=1) / math.sqrt(2)
    assert (found.low, found.high) == pytest.approx((-reach, reach))


def test_rows_lie_on_the_sphere_and_the_rate_is_that_of_newton_on_one_row():
    x = sphere_rows(5, 4, torch.Generator().manual_seed(0))
    torch.testing.assert_close(x.square().sum(1), torch.full((5,), 4.0))
    # (f - y)² with f = w: one step of η = ½ ends at y; K = 1
    assert safe_rate(torch.ones(1, 1)) == 0.5


def test_twins_start_as_nothing_and_scale_with_alpha():
    torch.manual_seed(0)
    model = build_network(6, 10, 3.0)
    assert isinstance(model, MLP)
    assert model(torch.randn(7, 6)).abs().max().item() < 1e-6
    first, last = (p.detach() for p in model.parameters() if p.ndim == 2)
    torch.manual_seed(0)
    other = build_network(6, 10, 12.0)
    for a, b in zip((first, last), (p for p in other.parameters() if p.ndim == 2), strict=True):
        torch.testing.assert_close(2 * a, b.detach())


def test_parity_is_a_product_of_two_signs():
    x, y = draw_parity(50, 5, torch.Generator().manual_seed(0))
    assert set(x.unique().tolist()) == set(y.unique().tolist()) == {-1.0, 1.0}
    assert torch.equal(y, x[:, 0] * x[:, 1])


def test_one_linear_unit_between_gives_the_kurtosis_of_a_product_of_two_gaussians():
    """E(uv)⁴/(E(uv)²)² = 9."""
    settings = Settings(networks=40_000, hidden_layers=1)
    found = linear_kurtosis(1, settings, torch.Generator().manual_seed(0))
    assert found.exact == pytest.approx(6.0)
    assert abs(found.measured - 6.0) < 5 * found.error


def test_kernels_of_hidden_layers_have_the_mean_of_the_process():
    """Two ReLU layers of weights N(0, 2/m) keep E f² = 2‖x‖²/d at any width."""
    x = torch.tensor([[1.0, 2.0, -1.0]])
    kernels = hidden_kernels(x, 20, 4000, "relu", torch.Generator().manual_seed(0))
    error = kernels.std().item() / math.sqrt(4000)
    assert kernels.mean().item() == pytest.approx(2 * 6 / 3, abs=4 * error)


@pytest.mark.parametrize(("weights", "biases"), [(1.2, 0.1), (3.0, 0.05)])
def test_the_fixed_point_and_its_slope_against_scipy(weights, biases):
    pair = [torch.tensor(value).double() for value in (weights, biases)]
    q = fixed_variance(*pair).item()

    def mean(f):
        return integrate.quad(lambda z: stats.norm.pdf(z) * f(math.sqrt(q) * z), -9, 9)[0]

    assert q == pytest.approx(weights * mean(lambda u: np.tanh(u) ** 2) + biases, abs=1e-6)
    slope = weights * mean(lambda u: (1 - np.tanh(u) ** 2) ** 2)
    assert slope_at_one(*pair).item() == pytest.approx(slope, abs=1e-6)


def test_the_map_keeps_equal_signals_equal_and_has_slope_chi_there():
    q = fixed_variance(torch.tensor(2.0).double(), torch.tensor(0.1).double()).item()
    assert correlations("tanh", 2.0, 0.1, q, 1.0, 3) == pytest.approx([1.0] * 4, abs=1e-6)
    near = correlations("tanh", 2.0, 0.1, q, 1 - 1e-3, 1)[1]
    chi = slope_at_one(torch.tensor(2.0).double(), torch.tensor(0.1).double()).item()
    assert (1 - near) / 1e-3 == pytest.approx(chi, rel=0.01)
