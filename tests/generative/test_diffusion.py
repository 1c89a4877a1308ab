import json

import pytest
import torch
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.generative import MODELS, Diffusion, diffuse
from gradatim.models import TimeMLP, TimeUNet, describe, rebuild

from .gaussian_data import MEAN, SPREAD, Best


def test_the_score_of_gaussian_data_is_known():
    model = Diffusion(Best())
    x = torch.linspace(-2, 2, 9, dtype=torch.float64)[:, None].requires_grad_()
    time = torch.full((9,), 0.3, dtype=torch.float64)
    share = model.noise_schedule.alpha_bar(time[:1])
    density = torch.distributions.Normal(share.sqrt() * MEAN, (share * SPREAD**2 + 1 - share).sqrt())  # fmt: skip
    slope = torch.autograd.grad(density.log_prob(x).sum(), x)[0]
    torch.testing.assert_close(model.score(x, time).detach(), slope)


@pytest.mark.parametrize("predict", ["noise", "x0", "v"])
def test_guesses_are_kept_within_the_clip_and_still_make_up_what_was_shown(predict):
    model = Diffusion(TimeMLP(2, hidden_dim=8), predict=predict, clip=0.5)
    with torch.no_grad():
        model.network.readout.bias.fill_(3.0)
    x, time = torch.randn(5, 2), torch.full((5,), 0.4)
    found = model.denoise(x, time)
    assert found.x0.abs().max() <= 0.5
    share = model.noise_schedule.alpha_bar(time)
    torch.testing.assert_close(diffuse(found.x0, found.noise, share), x)


def test_guidance_goes_on_beyond_the_class():
    class Votes(nn.Module):
        sample_shape, num_classes = (1,), 2

        def forward(self, x, time, label):
            return torch.tensor([1.0, 5.0, 2.0])[label][:, None]  # the last is no class

    model = Diffusion(Votes(), predict="x0")
    label, time = torch.tensor([0, 1]), torch.full((2,), 0.5)
    for w in (0.0, 1.0, 2.5):
        expected = torch.tensor([[(1 + w) * 1 - w * 2], [(1 + w) * 5 - w * 2]])
        found = model.denoise(torch.zeros(2, 1), time, label, guidance=w)
        torch.testing.assert_close(found.x0, expected)


@pytest.mark.parametrize("make", [lambda: TimeMLP(2, 3), lambda: TimeUNet(1, 4, widths=(4,))])
def test_it_is_described_and_rebuilt(make):
    model = Diffusion(make(), schedule="cosine", predict="v", num_steps=70, clip=1.0)
    description = json.loads(json.dumps(describe(model, beside=MODELS)))
    again = rebuild(description, beside=MODELS)
    again.load_state_dict(model.state_dict())
    assert (again.num_steps, again.predict, again.clip) == (70, "v", 1.0)
    assert torch.equal(again.noise_schedule.betas, model.noise_schedule.betas)
    assert again.sample_shape == model.sample_shape


def test_the_gradient_reaches_what_is_shown():
    model = Diffusion(TimeMLP(2, hidden_dim=4).double())
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.1 * torch.randn_like(weight))
    x = torch.randn(3, 2, dtype=torch.float64, requires_grad=True)
    time = torch.tensor([0.2, 0.5, 0.9], dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda x: tuple(model.denoise(x, time)), x)


def test_what_is_wrong_is_said():
    with pytest.raises(InvalidValue, match=r"Diffusion: predict must be one of .* got 'eps'"):
        Diffusion(TimeMLP(2), predict="eps")
    with pytest.raises(InvalidValue, match="Diffusion: clip must be more than 0 or None, got 0"):
        Diffusion(TimeMLP(2), clip=0)
    with pytest.raises(InvalidValue, match=r"Diffusion: sample_shape must be given .* got Linear"):
        Diffusion(nn.Linear(2, 2))
    with pytest.raises(InvalidValue, match=r"Diffusion: x must have shape \(B, 2\), got \(5, 3\)"):
        Diffusion(TimeMLP(2)).denoise(torch.zeros(5, 3), torch.ones(5))
    with pytest.raises(InvalidValue, match="guidance must be 0 for a model without classes, got 2"):
        Diffusion(TimeMLP(2)).denoise(torch.zeros(5, 2), torch.ones(5), guidance=2.0)
