import re

import pytest
import torch
import torch.nn.functional as F

from gradatim.models import UNet, build, describe, rebuild


def test_two_levels_by_hand():
    model = UNet(1, 2, widths=(2, 3)).double()
    w = dict(model.named_parameters())

    def pair(x, name):
        for k in (0, 2):
            x = F.conv2d(x, w[f"{name}.{k}.weight"], w[f"{name}.{k}.bias"], padding=1).clamp(min=0)
        return x

    x = torch.randn(2, 1, 4, 6, dtype=torch.float64)
    top = pair(x, "down.0")
    bottom = pair(F.max_pool2d(top, 2), "down.1")
    risen = torch.zeros(2, 2, 4, 6, dtype=torch.float64)
    for i in range(2):
        for j in range(2):  # every coarse pixel fills its own 2×2 square
            kernel = w["rise.0.weight"][:, :, i, j]
            risen[:, :, i::2, j::2] = torch.einsum("io,bihw->bohw", kernel, bottom)
    risen += w["rise.0.bias"].view(1, -1, 1, 1)
    h = pair(torch.cat([top, risen], 1), "up.0")
    expected = torch.einsum("oi,bihw->bohw", w["readout.weight"][..., 0, 0], h)
    torch.testing.assert_close(model(x), expected + w["readout.bias"].view(1, -1, 1, 1))


def test_without_shortcuts_all_passes_through_the_bottom():
    model = UNet(1, 2, widths=(2, 3), has_shortcuts=False).double()
    x = torch.randn(1, 1, 4, 4, dtype=torch.float64)
    bottom = model.down[1](F.max_pool2d(model.down[0](x), 2))
    torch.testing.assert_close(model(x), model.readout(model.up[0](model.rise[0](bottom))))
    cut = UNet(1, 2, widths=(2, 3)).double()
    with torch.no_grad():  # a net whose shortcuts weigh nothing is the same function
        cut.load_state_dict(model.state_dict() | {"up.0.0.weight": F.pad(model.up[0][0].weight, [0, 0, 0, 0, 2, 0])})  # fmt: skip
    torch.testing.assert_close(cut(x), model(x))


def test_bilinear_upsampling_keeps_what_is_flat():
    model = UNet(1, 2, widths=(2, 3), upsampling="bilinear").double()
    flat = torch.tensor([1.0, -2.0, 3.0], dtype=torch.float64).view(1, 3, 1, 1).expand(1, 3, 2, 3)
    risen = model.rise[0](flat)
    assert risen.shape == (1, 2, 4, 6)
    torch.testing.assert_close(risen, risen[:, :, :1, :1].expand_as(risen))
    ramp = torch.zeros(1, 3, 1, 2, dtype=torch.float64)
    ramp[:, :, :, 1] = 4.0
    steps = model.rise[0](ramp)[0, :, 0].diff(dim=-1)
    torch.testing.assert_close(steps[:, 0] * 2, steps[:, 1])  # 0, 1, 3, 4
    torch.testing.assert_close(steps[:, 2] * 2, steps[:, 1])


@pytest.mark.parametrize("upsampling", ["transposed", "bilinear"])
@pytest.mark.parametrize("has_shortcuts", [True, False])
def test_every_variant_is_rebuilt(upsampling, has_shortcuts):
    model = UNet(1, 2, widths=(2, 3), upsampling=upsampling, has_shortcuts=has_shortcuts)
    again = rebuild(describe(model))
    again.load_state_dict(model.state_dict())
    x = torch.randn(2, 1, 4, 4)
    assert torch.equal(again(x), model(x))


def test_size_of_the_papers_net():
    """Two 3×3 convolutions a level, 2×2 up-convolutions, 1×1 read-out, all with biases."""
    widths, count, channels = (64, 128, 256, 512, 1024), 0, 1
    for n in widths:
        count += 9 * channels * n + n + 9 * n * n + n
        channels = n
    for n in reversed(widths[:-1]):
        count += 4 * 2 * n * n + n + 9 * 2 * n * n + n + 9 * n * n + n
    with torch.device("meta"):
        assert sum(p.numel() for p in UNet().parameters()) == count + 2 * 64 + 2 == 31_030_658


def test_gradient_reaches_every_parameter_and_description_rebuilds_it():
    model = build("unet", 3, 1, widths=(4, 6, 8), is_normalized=True)
    x = torch.randn(2, 3, 8, 8)
    model(x).square().sum().backward()
    assert all(
        p.grad is not None and p.grad.abs().sum() > 0
        for n, p in model.named_parameters()
        if not n.startswith("rise") or "weight" in n
    )
    again = rebuild(describe(model))
    again.load_state_dict(model.state_dict())
    assert torch.equal(again.eval()(x), model.eval()(x))


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda: UNet(upsampling="nearest"), "UNet: upsampling must be one of"),
        (lambda: UNet(widths=(4,)), "UNet: widths must be two or more positive widths, got (4,)."),
        (
            lambda: UNet(widths=(4, 4, 4))(torch.zeros(1, 1, 30, 28)),
            "UNet: height and width must be multiples of 4, got 30 × 28. Pad the images.",
        ),
        (lambda: UNet(3, widths=(4, 4))(torch.zeros(1, 1, 4, 4)), "UNet: x must have shape (B, 3,"),
    ],
)
def test_refuses_by_message(action, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        action()
