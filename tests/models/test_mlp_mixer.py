import re

import pytest
import torch
from torch import nn

from gradatim.models import MLPMixer, build, describe, rebuild
from gradatim.models.mlp_mixer import MixerBlock, PatchTokens


def test_tokens_are_linear_maps_of_patches():
    tokens = PatchTokens(2, 3, 5).double()
    x = torch.randn(4, 2, 6, 9, dtype=torch.float64)
    weight, bias = tokens.embed.weight.reshape(5, -1), tokens.embed.bias
    patches = [
        x[:, :, 3 * r : 3 * r + 3, 3 * c : 3 * c + 3].reshape(4, -1)
        for r in range(2)
        for c in range(3)
    ]
    expected = torch.stack([patch @ weight.T + bias for patch in patches], dim=1)
    torch.testing.assert_close(tokens(x), expected)


def test_block_equation_token_by_token_and_channel_by_channel():
    block = MixerBlock(3, 4, token_dim=5, channel_dim=6, dropout=0.0).double()
    x = torch.randn(2, 3, 4, dtype=torch.float64)
    normed = block.token_norm(x)
    u = x.clone()
    for channel in range(4):
        u[:, :, channel] += block.token_mixing(normed[:, :, channel])
    normed, y = block.channel_norm(u), u.clone()
    for token in range(3):
        y[:, token] += block.channel_mixing(normed[:, token])
    torch.testing.assert_close(block(x), y)


def test_block_is_the_identity_at_zero_weights():
    block = MixerBlock(3, 4, token_dim=5, channel_dim=6, dropout=0.0)
    for parameter in block.parameters():
        nn.init.zeros_(parameter)
    x = torch.randn(2, 3, 4)
    torch.testing.assert_close(block(x), x)


def test_without_token_mixing_patches_may_be_permuted():
    model = MLPMixer(4, 2, 1, 3, dim=8, num_layers=2)
    swapped = (x := torch.randn(5, 1, 4, 4)).clone()
    swapped[..., :2, :2], swapped[..., 2:, 2:] = x[..., 2:, 2:], x[..., :2, :2]
    assert not torch.allclose(model(x), model(swapped), atol=1e-4)
    for name, parameter in model.named_parameters():
        if "token_mixing.2" in name:
            nn.init.zeros_(parameter)
    torch.testing.assert_close(model(x), model(swapped))


def test_is_the_chain_of_its_stages():
    model = MLPMixer(8, 4, 3, 10, dim=8, num_layers=2)
    x = h = torch.randn(2, 3, 8, 8)
    names = []
    for name, stage in model.stages():
        h, names = stage(h), [*names, name]
    torch.testing.assert_close(model(x), h)
    assert names == ["tokens", "block0", "block1", "norm", "mean", "readout"]


def test_gradient_reaches_every_parameter():
    model = MLPMixer(4, 2, 1, 3, dim=8, num_layers=2)
    model(torch.randn(5, 1, 4, 4)).square().sum().backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in model.parameters())


def test_dropout_acts_in_training_only():
    model = MLPMixer(4, 2, 1, 3, dim=8, dropout=0.5)
    x = torch.randn(5, 1, 4, 4)
    assert not torch.equal(model(x), model(x))
    model.eval()
    assert torch.equal(model(x), model(x))


def test_describe_rebuilds_it():
    model = build("mlp_mixer", 8, 2, 1, 10, dim=8, num_layers=1)
    again = rebuild(describe(model))
    assert describe(again) == describe(model)
    again.load_state_dict(model.state_dict())
    x = torch.randn(3, 1, 8, 8)
    assert torch.equal(again(x), model(x))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"patch_size": 3},
            "MLPMixer: patch_size must divide image_size=8, got 3. Try one of [1, 2, 4, 8].",
        ),
        (
            {"patch_size": 2, "dropout": 1.0},
            "MLPMixer: dropout must be in [0, 1), got 1.0. Try dropout=0.1.",
        ),
    ],
)
def test_refuses_by_message(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        MLPMixer(image_size=8, in_channels=1, output_dim=2, **arguments)


def test_refuses_images_of_another_shape():
    message = "MLPMixer: x must have shape (B, 1, 8, 8), got (2, 8, 8). Reshape the images."
    with pytest.raises(ValueError, match=re.escape(message)):
        MLPMixer(8, 2, 1, 10)(torch.zeros(2, 8, 8))
