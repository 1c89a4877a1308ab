from itertools import pairwise

import pytest
import torch
from torch import nn

from gradatim.errors import InvalidType, InvalidValue
from gradatim.generative import (
    Diffusion,
    LookBack,
    NoiseSchedule,
    Place,
    ancestral_step,
    ddim_step,
    multistep_step,
    posterior_mean,
    posterior_variance,
    sample,
    sampling_path,
)
from gradatim.models import TimeMLP, TimeUNet

from .gaussian_data import MEAN, SPREAD, Best

SAMPLERS = ("ancestral", "ddim", "dpm")


def seed(value=0):
    return torch.Generator().manual_seed(value)


@pytest.mark.parametrize("schedule", ["linear", "cosine"])
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_the_best_network_gives_the_data_back(sampler, schedule):
    model = Diffusion(Best(schedule=schedule), schedule=schedule)
    drawn = sample(model, 20_000, sampler=sampler, steps=200, generator=seed())
    assert abs(drawn.mean() - MEAN) < 0.02
    assert abs(drawn.std() / SPREAD - 1) < 0.03


def exact(model, x):
    """Where the flow of Gaussian data ends: a straight map from the noise."""
    share = model.noise_schedule.alpha_bar(torch.ones((), dtype=torch.float64))
    return MEAN + SPREAD * (x - share.sqrt() * MEAN) / (share * SPREAD**2 + 1 - share).sqrt()


def test_the_second_order_solver_is_nearer_to_the_flow_than_the_first():
    model = Diffusion(Best())
    errors = {}
    for sampler in ("ddim", "dpm"):
        for steps in (10, 20, 40):
            path = list(sampling_path(model, 50, sampler=sampler, steps=steps, generator=seed()))
            gap = path[-1].x - exact(model, path[0].x)
            errors[sampler, steps] = gap.square().mean().sqrt().item()
    for steps in (10, 20, 40):
        assert errors["dpm", steps] < errors["ddim", steps] / 2
    assert errors["ddim", 10] / errors["ddim", 40] > 2.5


def test_the_order_of_the_multistep_step_is_two():
    """On the flow of Gaussian data between two inner levels, started with an exact look back."""

    def best_x0(x, place):
        share = place.alpha_bar
        return MEAN + share**0.5 * SPREAD**2 * (x - share**0.5 * MEAN) / (share * SPREAD**2 + 1 - share)  # fmt: skip

    def flow(place):  # the path through 1 standard deviation above the mean
        share = place.alpha_bar
        return share**0.5 * MEAN + (share * SPREAD**2 + 1 - share) ** 0.5

    def at(half_log_snr):
        return Place(torch.nn.functional.logsigmoid(torch.tensor(2.0 * half_log_snr, dtype=torch.float64)).item())  # fmt: skip

    errors = []
    for steps in (40, 80, 160):
        grid = [at(v) for v in torch.linspace(-1, 2, steps + 1).tolist()]
        before = at(-1 - 3 / steps)
        start = torch.tensor(flow(before), dtype=torch.float64)
        back = LookBack(best_x0(start, before), before.half_log_snr)
        x = torch.tensor(flow(grid[0]), dtype=torch.float64)
        for here, there in pairwise(grid):
            x0 = best_x0(x, here)
            x, back = multistep_step(x, x0, here, there, back), LookBack(x0, here.half_log_snr)
        errors.append(abs(x.item() - flow(grid[-1])))
    assert 3.2 < errors[0] / errors[1] < 5
    assert 3.2 < errors[1] / errors[2] < 5


def test_an_ancestral_step_is_a_draw_of_the_posterior():
    schedule = NoiseSchedule("linear", 20)
    logs = schedule.log_alpha_bar(torch.tensor([0.5, 0.45], dtype=torch.float64))
    here, there = (Place(v) for v in logs.tolist())
    x, x0, noise = torch.randn(3, 4, dtype=torch.float64)
    now, before = logs.exp()
    expected = posterior_mean(x0, x, now, before) + posterior_variance(now, before).sqrt() * noise
    torch.testing.assert_close(ancestral_step(x, x0, noise, here, there), expected)


def test_without_a_look_back_both_flows_take_the_same_step():
    here, there = Place(-1.5), Place(-0.8)
    x, x0 = torch.randn(2, 4, dtype=torch.float64)
    noise = (x - here.alpha_bar**0.5 * x0) / here.spread
    torch.testing.assert_close(multistep_step(x, x0, here, there), ddim_step(x0, noise, there))


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_path_has_all_its_steps(sampler):
    model = Diffusion(TimeMLP(2, hidden_dim=8), num_steps=50)
    path = list(sampling_path(model, 3, sampler=sampler, steps=5, generator=seed()))
    assert [step.time for step in path] == sorted((step.time for step in path), reverse=True)
    assert len(path) == 6
    assert torch.equal(path[-1].x, sample(model, 3, sampler=sampler, steps=5, generator=seed()))
    assert not path[-1].x.is_inference()


def test_many_rows_are_what_they_are_one_by_one():
    """They are evaluated in pieces; a piece more changes nothing."""
    model = Diffusion(TimeMLP(2, 3, hidden_dim=8), num_steps=50)
    with torch.no_grad():
        model.network.readout.weight.normal_()
    label = torch.arange(300) % 3
    drawn = sample(model, 300, steps=3, label=label, generator=seed())
    noise = torch.randn(300, 2, generator=seed())
    assert drawn.shape == noise.shape
    first = next(sampling_path(model, 300, steps=3, label=label, generator=seed()))
    assert torch.equal(first.x, noise)


def test_the_mode_and_the_hooks_of_the_model_stay():
    model = Diffusion(TimeUNet(1, 8, widths=(4, 8), num_blocks=1, dropout=0.5), num_steps=20)
    model.network.down[0].eval()
    sample(model, 2, steps=2, generator=seed())
    assert model.training
    assert not model.network.down[0].training
    assert not model._forward_pre_hooks


def test_a_label_chooses_the_class():
    class Named(nn.Module):
        sample_shape, num_classes = (1,), 3

        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.zeros(()))

        def forward(self, x, time, label):
            return label[:, None].to(x.dtype) * torch.ones_like(x)

    model = Diffusion(Named(), predict="x0")
    assert sample(model, 2, steps=3, label=1).flatten().tolist() == [1, 1]
    assert sample(model, 2, steps=3, label=[0, 2]).flatten().tolist() == [0, 2]
    assert sample(model, 2, steps=3).flatten().tolist() == [3, 3]  # none
    assert sample(model, 2, steps=3, label=1, guidance=1.0).flatten().tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"num_samples": 0}, "sample: num_samples must be a whole number from 1, got 0"),
        ({"sampler": "dim"}, "sample: sampler must be one of .*ddim.*, got 'dim'"),
        ({"steps": 0}, "sample: steps must be a whole number from 1, got 0"),
        ({"label": 3}, "sample: label must be classes from 0 to 2, got 3"),
        ({"label": [0, 1]}, r"sample: label must be one class, or one for each of 4 samples, got .*\(2,\)"),
        ({"label": 0.5}, "sample: label must be one class"),
        ({"guidance": 1.0}, "sample: label must be given with guidance, got none"),
        ({"guidance": -1.0, "label": 0}, "sample: guidance must be at least 0, got -1"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(arguments, sentence):
    model = Diffusion(TimeMLP(2, 3, hidden_dim=8), num_steps=10)
    with pytest.raises(InvalidValue, match=sentence):
        sample(model, **({"num_samples": 4} | arguments))


def test_a_model_without_classes_is_not_guided():
    model = Diffusion(TimeMLP(2, hidden_dim=8), num_steps=10)
    sentence = "^sample: guidance must be 0 for a model without classes, got 2.0. Train one with num_classes.$"  # fmt: skip
    with pytest.raises(InvalidValue, match=sentence):
        sample(model, 4, guidance=2.0)
    with pytest.raises(InvalidValue, match="label must be left out for a model without classes"):
        sample(model, 4, label=1)
    with pytest.raises(InvalidType, match="sample: model must be a Diffusion, got Linear"):
        sample(nn.Linear(2, 2), 4)
