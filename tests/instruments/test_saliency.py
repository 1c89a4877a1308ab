import pytest
import torch
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.instruments import gradient_saliency, occlusion_map


class Corner(nn.Module):
    """Class 1 is as probable as the upper left pixel is bright."""

    def forward(self, x):
        z = 5 * x[:, 0, 0, 0]
        return torch.stack([torch.zeros_like(z), z], 1)


def test_gradient_is_where_the_model_looks():
    x = torch.rand(2, 3, 5, 5)
    maps = gradient_saliency(Corner(), x, torch.tensor([1, 1]))
    expected = torch.zeros(2, 5, 5)
    expected[:, 0, 0] = 5.0
    assert torch.equal(maps, expected)
    assert x.grad is None


def test_gradient_is_autograds():
    model = nn.Sequential(nn.Conv2d(2, 3, 3), nn.Tanh(), nn.Flatten(), nn.Linear(27, 4)).double()
    x, y = torch.randn(3, 2, 5, 5, dtype=torch.float64), torch.tensor([0, 3, 1])
    jacobian = torch.func.vmap(torch.func.jacrev(lambda image: model(image[None])[0]))(x)
    expected = torch.stack([jacobian[k, y[k]].abs().amax(0) for k in range(3)])
    assert torch.allclose(gradient_saliency(model, x, y), expected)


def test_hiding_the_corner_lowers_its_class():
    x = torch.zeros(1, 1, 6, 6)
    x[0, 0, 0, 0] = 1.0
    fallen = occlusion_map(Corner(), x, torch.tensor([1]), size=2, stride=2)[0]
    p, hidden = torch.sigmoid(torch.tensor([5.0, 5 / 36]))
    assert fallen[:2, :2].flatten() == pytest.approx(torch.full((4,), float(p - hidden)))
    assert fallen[2:].abs().max() < 1e-6


def test_every_pixel_is_hidden_by_some_patch():
    x = torch.rand(1, 1, 7, 7)
    assert torch.isfinite(occlusion_map(Corner(), x, torch.tensor([0]), size=3, stride=3)).all()


def test_patches_must_fit():
    with pytest.raises(InvalidValue, match="size must be from 1 to 4"):
        occlusion_map(Corner(), torch.zeros(1, 1, 4, 4), torch.tensor([0]), size=5)


def test_the_mode_is_kept():
    model = nn.Sequential(nn.Flatten(), nn.Dropout(), nn.Linear(16, 2)).train()
    occlusion_map(model, torch.rand(1, 1, 4, 4), torch.tensor([0]), size=2)
    gradient_saliency(model, torch.rand(1, 1, 4, 4), torch.tensor([0]))
    assert model.training
    assert model[1].training
