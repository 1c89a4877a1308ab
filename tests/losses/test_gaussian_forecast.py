import pytest
import torch
from scipy.stats import norm

from gradatim.losses import gaussian_likelihood


def test_it_is_the_likelihood():
    generator = torch.Generator().manual_seed(0)
    y, mean = torch.randn(2, 5, 3, generator=generator, dtype=torch.float64)
    scale = torch.rand(5, 3, generator=generator, dtype=torch.float64) + 0.1
    expected = -norm.logpdf(y.numpy(), mean.numpy(), scale.numpy()).mean()
    loss = gaussian_likelihood(torch.stack([mean, scale], -1), y)
    assert loss.item() == pytest.approx(expected, rel=1e-12)


def test_the_best_scale_is_the_spread():
    y = torch.randn(5000, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    scales = torch.linspace(0.5, 2, 151, dtype=torch.float64)
    losses = [
        gaussian_likelihood(torch.stack([torch.zeros_like(y), s.expand_as(y)], -1), y).item()
        for s in scales
    ]
    assert scales[int(torch.tensor(losses).argmin())].item() == pytest.approx(
        y.square().mean().sqrt().item(), abs=0.01
    )


def test_the_gradient():
    output = torch.rand(4, 2, dtype=torch.float64).add(0.5).requires_grad_()
    assert torch.autograd.gradcheck(lambda z: gaussian_likelihood(z, torch.zeros(4)), (output,))
