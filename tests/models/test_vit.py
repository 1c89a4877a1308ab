"""Vision Transformers: patches by hand, order, another library's blocks, errors."""

import re

import pytest
import torch
from torch import nn

from gradatim.instruments import attention_maps
from gradatim.models import ClassTokenEncoder, HybridViT, ViT, describe, rebuild


def randomize(model, seed=0):
    generator = torch.Generator().manual_seed(seed)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.3, generator=generator)
    return model.double().eval()


def draw(*shape):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(1)).double()


def test_equals_patches_by_hand_and_pytorchs_encoder():
    model = randomize(ViT(6, 2, 3, in_channels=2, dim=8, num_layers=2, num_heads=2))
    x = draw(4, 2, 6, 6)
    state = model.state_dict()
    patches = [
        x[:, :, r : r + 2, c : c + 2].flatten(1) for r in range(0, 6, 2) for c in range(0, 6, 2)
    ]
    weight = state["tokens.embed.weight"].flatten(1)
    tokens = torch.stack([p @ weight.T + state["tokens.embed.bias"] for p in patches], 1)
    tokens = torch.cat([state["encoder.class_token"].expand(4, 1, 8), tokens], 1)
    h = tokens + state["encoder.place.table"]
    for layer in range(2):
        own = {
            k.removeprefix(f"encoder.blocks.blocks.{layer}."): v
            for k, v in state.items()
            if k.startswith(f"encoder.blocks.blocks.{layer}.")
        }
        block = nn.TransformerEncoderLayer(
            8, 2, 32, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        ).double()
        names = {
            "attention.project": "self_attn.in_proj_",
            "attention.merge": "self_attn.out_proj.",
            "feed_forward.widen": "linear1.",
            "feed_forward.narrow": "linear2.",
            "attention_shortcut.norm": "norm1.",
            "feed_forward_shortcut.norm": "norm2.",
        }
        theirs = {
            new + part: own[f"{old}.{part}"]
            for old, new in names.items()
            for part in ("weight", "bias")
        }
        block.load_state_dict(theirs)
        h = block.eval()(h)
    last = nn.functional.layer_norm(
        h, (8,), state["encoder.blocks.norm.weight"], state["encoder.blocks.norm.bias"]
    )
    expected = last[:, 0] @ state["readout.weight"].T + state["readout.bias"]
    torch.testing.assert_close(model(x), expected)


def test_only_positions_tell_where_a_patch_was():
    model = randomize(ClassTokenEncoder(9, 8, 2, 2))
    tokens = draw(2, 9, 8)
    shuffled = tokens[:, torch.tensor([3, 1, 8, 0, 5, 2, 7, 4, 6])]
    assert not torch.allclose(model(tokens), model(shuffled))
    nn.init.zeros_(model.place.table)
    torch.testing.assert_close(model(tokens), model(shuffled))


@pytest.mark.parametrize(
    "model",
    [ViT(8, 4, 3, in_channels=3, dim=8, num_layers=2, num_heads=2), HybridViT(8, 3, in_channels=3, dim=8, num_layers=2, num_heads=2)],
    ids=["vit", "hybrid"],
)  # fmt: skip
class TestBoth:
    def test_starts_undecided_and_every_parameter_learns(self, model):
        model.train()
        x = torch.rand(6, 3, 8, 8, generator=torch.Generator().manual_seed(0))
        assert (model(x) == 0).all()
        randomize(model).float().train()
        model(x).square().sum().backward()
        assert all(p.grad is not None and p.grad.abs().max() > 0 for p in model.parameters())

    def test_class_token_and_patches_are_recorded(self, model):
        maps = attention_maps(model.float(), torch.rand(2, 3, 8, 8))
        assert [m.shape for m in maps.values()] == [(2, 2, 5, 5)] * 2

    def test_is_rebuilt_from_its_description(self, model):
        again = rebuild(describe(model))
        assert {k: v.shape for k, v in again.state_dict().items()} == {
            k: v.shape for k, v in model.state_dict().items()
        }

    def test_refuses_other_images(self, model):
        message = f"{type(model).__name__}: x must have shape (B, 3, 8, 8), got (1, 3, 8, 9)."
        with pytest.raises(ValueError, match=re.escape(message)):
            model(torch.zeros(1, 3, 8, 9))


def test_stochastic_depth_acts_in_training_only():
    torch.manual_seed(0)
    model = randomize(ViT(8, 4, 3, last_drop=0.5))
    x = draw(40, 1, 8, 8)
    assert torch.equal(model(x), model(x))
    model.train()
    assert not torch.allclose(model(x), model(x))


def test_refuses_by_message():
    with pytest.raises(ValueError, match=re.escape("patch_size must divide image_size=8, got 3. Try one of [1, 2, 4, 8].")):  # fmt: skip
        ViT(8, 3, 10)
    with pytest.raises(ValueError, match=re.escape("image_size must be divisible by 4, got 30. Try 32.")):  # fmt: skip
        HybridViT(30, 10)
    with pytest.raises(ValueError, match="dim must be divisible by num_heads"):
        ViT(8, 4, 10, dim=10)
