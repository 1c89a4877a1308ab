"""The experiments on the landscape of a loss hold, in versions of a few seconds."""

import math

import pytest
import torch

from gradatim import experiments
from gradatim.experiments.theory.flat_minima import Seen, log_ratio
from gradatim.experiments.theory.hessian_spectrum import (
    gauss_newton_part,
    largest_gap,
    whole_hessian,
)
from gradatim.experiments.theory.loss_landscape import (
    STEPS,
    barrier,
    curved_down,
    matched,
    rescaled,
)
from gradatim.instruments import network_objective
from gradatim.losses import cross_entropy
from gradatim.models import MLP

PICTURES = {
    "hessian-spectrum": "spectrum",
    "loss-landscape": "landscape",
    "flat-minima": "flatness",
}


@pytest.mark.parametrize("name", PICTURES)
def test_every_claim_holds(name):
    report = experiments.run(name, quick=True, overrides={"seed": "1"})
    assert [claim.name for claim in report.claims if not claim.holds] == []
    assert len(report.claims) >= 9
    assert [picture.name for picture in report.pictures] == [PICTURES[name]]


def test_the_gauss_newton_part_of_a_linear_classifier_is_its_hessian():
    torch.manual_seed(0)
    model = MLP((3, 4)).double()
    x, y = torch.randn(11, 3).double(), torch.randint(4, (11,))
    h, theta = network_objective(model, cross_entropy, x, y)
    exact = torch.autograd.functional.hessian(h, theta)
    torch.testing.assert_close(whole_hessian(h, theta), exact)
    torch.testing.assert_close(gauss_newton_part(model, x), exact)


def test_the_largest_gap():
    assert largest_gap(torch.tensor([9.0, 8.0, 7.0, 0.5, 0.4, 0.3, 0.2]), 5) == 3


def test_a_wave_bends_down_half_of_the_time():
    line = torch.linspace(0, 4 * math.pi, 401).sin()
    assert curved_down(line) == pytest.approx(0.5, abs=0.01)
    assert curved_down(torch.linspace(-1, 1, 9) ** 2) == 0.0


def test_a_wall_counts_from_the_straight_line():
    assert barrier(1 + 2 * STEPS) == pytest.approx(0.0, abs=1e-6)
    assert barrier(1 + 2 * STEPS + 4 * STEPS * (1 - STEPS)) == pytest.approx(1.0, abs=1e-5)


def test_rescaling_and_matching_keep_the_function():
    torch.manual_seed(0)
    model, other = MLP((5, 7, 3)).double(), MLP((5, 7, 3)).double()
    x = torch.randn(9, 5).double()
    torch.testing.assert_close(rescaled(model, 4.0)(x), model(x))
    torch.testing.assert_close(matched(model, other)(x), other(x))


def test_matching_finds_a_shuffled_twin():
    torch.manual_seed(0)
    model, twin = MLP((5, 7, 3)), MLP((5, 7, 3))
    order = torch.randperm(7)
    with torch.no_grad():
        twin[0].weight.copy_(model[0].weight[order])
        twin[0].bias.copy_(model[0].bias[order])
        twin[2].weight.copy_(model[2].weight[:, order])
        twin[2].bias.copy_(model[2].bias)
    for a, b in zip(matched(model, twin).parameters(), model.parameters(), strict=True):
        torch.testing.assert_close(a, b)


def test_ratios_are_geometric():
    a, b = ([Seen(top, 1.0, 1.0, 0.0, 0.0) for top in tops] for tops in ((2.0, 8.0), (1.0, 1.0)))
    assert log_ratio(a, b, lambda one: one.top).mean == pytest.approx(4.0)
