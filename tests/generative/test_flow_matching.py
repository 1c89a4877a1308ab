import pytest
import torch
from torch import nn

from gradatim.errors import InvalidType, InvalidValue
from gradatim.generative import FlowMatching, FlowObjective
from gradatim.models import TimeMLP
from gradatim.randomness import seeded
from gradatim.training import Trainer

from .gaussian_data import MEAN, SPREAD


class Best(nn.Module):
    """E[ε − x₀ | x_τ] of data from N(MEAN, SPREAD²)."""

    sample_shape, num_classes = (1,), None

    def __init__(self):
        super().__init__()
        self.anything = nn.Parameter(torch.zeros((), dtype=torch.float64))

    def forward(self, x, time):
        t = time[:, None]
        variance = (1 - t) ** 2 * SPREAD**2 + t**2
        gap = (x - (1 - t) * MEAN) / variance
        return t * gap - (MEAN + (1 - t) * SPREAD**2 * gap)


@pytest.mark.parametrize("method", ["euler", "heun"])
def test_the_best_velocity_gives_the_data_back(method):
    generator = torch.Generator().manual_seed(0)
    drawn = FlowMatching(Best()).sample(20_000, method=method, steps=100, generator=generator)
    assert abs(drawn.mean() - MEAN) < 0.02
    assert abs(drawn.std() / SPREAD - 1) < 0.03


def test_heun_is_of_second_order():
    flow, errors = FlowMatching(Best()), {}
    noise = torch.randn(50, 1, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    exact = MEAN + SPREAD * noise
    for method in ("euler", "heun"):
        for steps in (20, 80):
            generator = torch.Generator().manual_seed(0)
            drawn = flow.sample(50, method=method, steps=steps, generator=generator)
            errors[method, steps] = (drawn - exact).abs().max().item()
    assert 3 < errors["euler", 20] / errors["euler", 80] < 5
    assert errors["heun", 20] / errors["heun", 80] > 8


def test_nothing_beats_the_best_velocity():
    """The loss of the best answer is the mean variance of ε − x₀ given x, by numbers of one's own."""
    x = torch.full((200_000, 1), MEAN, dtype=torch.float64)
    noise = torch.randn(len(x), 1, generator=torch.Generator().manual_seed(0), dtype=x.dtype)
    x = x + SPREAD * noise
    with seeded(0):
        best = FlowObjective()(FlowMatching(Best()), (x, x)).item()
    times = (torch.arange(10_000, dtype=torch.float64) + 0.5) / 10_000
    variance = (1 - times) ** 2 * SPREAD**2 + times**2
    left = (1 + SPREAD**2 - ((times - (1 - times) * SPREAD**2) ** 2 / variance)).mean().item()
    assert best == pytest.approx(left, rel=0.01)


def test_it_learns_with_classes():
    with seeded(0):
        flow = FlowMatching(TimeMLP(1, 2, hidden_dim=16, num_layers=1))
        y = torch.arange(256) % 2
        x = 2.0 * y[:, None] - 1
    trainer = Trainer(flow, objective=FlowObjective(), epochs=60, batch_size=64, lr=1e-2)
    trainer.fit((x, y))
    for label in (0, 1):
        drawn = flow.sample(
            100, label=label, guidance=0.5, generator=torch.Generator().manual_seed(0)
        )
        assert abs(drawn.mean() - (2 * label - 1)) < 0.4


def test_what_is_wrong_is_said():
    flow = FlowMatching(TimeMLP(2, 3, hidden_dim=8))
    with pytest.raises(InvalidValue, match="method must be one of heun, euler, got 'hein'"):
        flow.sample(3, method="hein")
    with pytest.raises(InvalidValue, match="steps must be a whole number from 1, got 0"):
        flow.sample(3, steps=0)
    with pytest.raises(InvalidValue, match="label must be given with guidance"):
        flow.sample(3, guidance=1.0)
    with pytest.raises(InvalidValue, match="sample_shape must be given"):
        FlowMatching(nn.Linear(2, 2))
    with pytest.raises(
        InvalidType, match="FlowObjective: model must be a FlowMatching, got Linear"
    ):
        FlowObjective()(nn.Linear(2, 2), (torch.zeros(2, 2),))
    with pytest.raises(InvalidValue, match=r"label_dropout must be in \[0, 1\), got -1"):
        FlowObjective(label_dropout=-1)
    with pytest.raises(InvalidValue, match="guidance must be 0 for a model without classes"):
        FlowMatching(TimeMLP(2)).sample(3, guidance=1.0)
