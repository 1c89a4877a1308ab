import re

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from gradatim.instruments import grad_cam, occlusion_map
from gradatim.models import CifarResNet, HybridViT, MLPMixer, MobileNetV2, ViT
from gradatim.models.mlp_mixer import PatchTokens
from gradatim.training import Trainer


def test_equals_class_activation_maps_for_means_and_a_readout():
    """With means and a linear readout the gradient of a map is its weight over the number of places."""
    torch.manual_seed(0)
    conv, readout = nn.Conv2d(3, 5, 3, padding=1), nn.Linear(5, 4)
    model = nn.Sequential(conv, nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), readout).double()
    x, y = torch.randn(6, 3, 8, 8, dtype=torch.float64), torch.tensor([0, 1, 2, 3, 0, 1])
    maps = F.relu(conv(x))
    expected = torch.stack([sum(readout.weight[y[b], k] * maps[b, k] for k in range(5)) for b in range(6)])  # fmt: skip
    torch.testing.assert_close(64 * grad_cam(model, x, y), expected.clamp(min=0).detach())
    torch.testing.assert_close(grad_cam(model, x, y, layer="1"), grad_cam(model, x, y))


def test_weights_are_mean_gradients_by_finite_differences():
    torch.manual_seed(1)
    front = nn.Sequential(nn.Conv2d(1, 3, 3), nn.Tanh())
    back = nn.Sequential(nn.Conv2d(3, 2, 2), nn.Tanh(), nn.Flatten(), nn.Linear(18, 2))
    model = nn.Sequential(front, back).double()
    x = torch.randn(1, 1, 6, 6, dtype=torch.float64)
    with torch.no_grad():
        maps, eps = front(x), 1e-6
        weights = torch.zeros(3, dtype=torch.float64)
        for k in range(3):
            for i in range(4):
                for j in range(4):
                    moved = maps.clone()
                    moved[0, k, i, j] += eps
                    weights[k] += (back(moved) - back(maps))[0, 1] / eps / 16
        seen = torch.einsum("k,khw->hw", weights, maps[0]).clamp(min=0)
    expected = F.interpolate(seen[None, None], size=(6, 6), mode="bilinear")[0]
    found = grad_cam(model, x, torch.tensor([1]), layer="0")
    torch.testing.assert_close(found, expected, atol=1e-6, rtol=1e-4)


def spots(count, side=16, seed=0):
    """A bright square somewhere on noise: class 1; noise alone: class 0."""
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 0.3, (count, 1, side, side)).astype(np.float32)
    y = np.arange(count) % 2
    places = rng.integers(0, side // 4, (count, 2)) * 4
    for k in np.flatnonzero(y):
        i, j = places[k]
        x[k, 0, i : i + 4, j : j + 4] += 2.0
    return torch.from_numpy(x), torch.from_numpy(y), places


def test_finds_the_object_where_hiding_does():
    torch.manual_seed(0)
    x, y, _ = spots(256)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2),
    )  # fmt: skip
    Trainer(model, lr=1e-2, epochs=12, batch_size=32, progress=False).fit((x, y))
    fresh, labels, places = spots(40, seed=1)
    rows = (labels == 1).nonzero()[:, 0]
    assert (model(fresh).argmax(1) == labels).float().mean() > 0.95
    for method in (grad_cam, occlusion_map):
        seen = method(model, fresh[rows], labels[rows])
        inside = torch.stack([seen[n, i : i + 4, j : j + 4].mean() for n, (i, j) in enumerate(places[rows])])  # fmt: skip
        assert (inside > 2 * seen.mean((1, 2))).float().mean() > 0.9


class Front(nn.Module):
    """Tokens behind a class token, or alone."""

    def __init__(self, has_token):
        super().__init__()
        self.has_token = has_token

    def forward(self, tokens):
        front = torch.full_like(tokens[:, :1], 9.0)
        return torch.cat([front, tokens], 1) if self.has_token else tokens.clone()


class Mean(nn.Module):
    def forward(self, tokens):
        return tokens.mean(1)


@pytest.mark.parametrize("has_token", [False, True])
def test_tokens_are_laid_out_as_their_patches(has_token):
    """With means of tokens and a linear readout, the map is that of the patches, row by row."""
    torch.manual_seed(0)
    patches, readout = PatchTokens(1, 4, 6), nn.Linear(6, 2)
    model = nn.Sequential(patches, Front(has_token), Mean(), readout).double()
    x, y = torch.randn(3, 1, 12, 12, dtype=torch.float64), torch.tensor([0, 1, 1])
    seen = (patches(x) @ readout.weight[y][:, :, None])[..., 0].clamp(min=0) / (9 + has_token)
    expected = F.interpolate(seen.reshape(3, 1, 3, 3), size=(12, 12), mode="bilinear")[:, 0]
    torch.testing.assert_close(grad_cam(model, x, y), expected.detach())


def test_of_a_vision_transformer_it_takes_what_the_last_class_token_looks_at():
    torch.manual_seed(0)
    model = ViT(16, 4, 3, num_layers=3)
    nn.init.normal_(model.readout.weight)
    x, y = torch.randn(2, 1, 16, 16), torch.tensor([0, 2])
    layer = "encoder.blocks.blocks.2.attention_shortcut.norm"
    torch.testing.assert_close(grad_cam(model, x, y), grad_cam(model, x, y, layer=layer))
    assert grad_cam(model, x, y).max() > 0


@pytest.mark.parametrize(
    "build",
    [
        lambda: MobileNetV2(3, width=0.25, in_channels=1),
        lambda: CifarResNet(8, 3, in_channels=1),
        lambda: ViT(32, 8, 3),
        lambda: HybridViT(32, 3),
        lambda: MLPMixer(32, 8, 1, 3),
    ],
)
def test_every_architecture_has_places_and_stays_as_it_was(build):
    torch.manual_seed(0)
    model = build().train()
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.2) if parameter.ndim > 1 else None
        parameter.requires_grad_(False)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    seen = grad_cam(model, torch.randn(2, 1, 32, 32), torch.tensor([0, 2]))
    assert seen.shape == (2, 32, 32)
    assert seen.isfinite().all()
    assert (seen >= 0).all()
    assert (seen > 0).any()
    assert model.training
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())
    assert not any(module._forward_hooks for module in model.modules())


def test_refuses_by_message():
    model = nn.Sequential(nn.Flatten(), nn.Linear(4, 2))
    x, y = torch.zeros(1, 1, 2, 2), torch.tensor([0])
    with pytest.raises(ValueError, match=re.escape("grad_cam: model must have an output with places")):  # fmt: skip
        grad_cam(model, x, y)
    with pytest.raises(ValueError, match="grad_cam: layer must have an output with places"):
        grad_cam(model, x, y, layer="1")
    with pytest.raises(ValueError, match=re.escape("grad_cam: layer must be one of 0, 1, got 'stem'")):  # fmt: skip
        grad_cam(model, x, y, layer="stem")
