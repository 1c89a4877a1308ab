"""The experiments on sampling hold, in versions of a few seconds."""

import pytest
import torch

from gradatim import experiments
from gradatim.experiments.bayes.leapfrog import euler, oscillator, volume
from gradatim.experiments.bayes.sgld_is_sampling import Settings, draw_data, predicted

PICTURES = {
    "leapfrog": ["leapfrog"],
    "hmc-versus-random-walk": ["cost"],
    "sgld-is-sampling": ["sgld"],
}


@pytest.mark.parametrize("name", PICTURES)
def test_every_claim_holds(name):
    report = experiments.run(name, quick=True, overrides={"seed": "1"})
    assert [claim.name for claim in report.claims if not claim.holds] == []
    assert len(report.claims) >= 10
    assert [picture.name for picture in report.pictures] == PICTURES[name]


def test_two_steps_of_euler_by_hand():
    end = euler(oscillator, torch.tensor([[1.0]]), torch.tensor([[0.0]]), step_size=0.5, num_steps=2)  # fmt: skip
    assert end.position.item() == pytest.approx(0.75)
    assert end.momentum.item() == pytest.approx(-1.0)
    grown = volume(euler, oscillator, type(end)(*(part.double() for part in end)), 0.5, 2)
    assert grown == pytest.approx(1.25**2, rel=1e-6)


def test_the_posterior_is_that_of_the_normal_equations():
    settings = Settings(rows=30)
    data = draw_data(settings)
    w = torch.linspace(0, 2, 3).double()[:, None]
    exact = -w[:, 0].square() / 2 - (data.y - w * data.x).square().sum(1)
    torch.testing.assert_close(data.log_density(w).diff(), exact.diff())
    every = torch.arange(30).expand(3, 30)
    torch.testing.assert_close(data.estimate(every)(w).diff(), exact.diff())


def test_the_predicted_variance_is_that_of_a_simulation_by_hand():
    settings = Settings(rows=30, batch_size=5)
    data, rate, g = draw_data(settings), 0.3, torch.Generator().manual_seed(0)
    w = torch.full((50_000,), data.mean).double()
    for _ in range(40):
        rows = torch.randint(30, (50_000, 5), generator=g)
        x, y = data.x[rows], data.y[rows]
        gradient = -w + 6 * (x * (y - w[:, None] * x)).sum(1) / 0.5
        w = w + rate / data.precision * gradient + (2 * rate / data.precision) ** 0.5 * torch.randn(50_000, generator=g)  # fmt: skip
    measured = float((w - data.mean).square().mean()) * data.precision
    assert measured == pytest.approx(predicted(data, settings, rate, has_batches=True), rel=0.06)
