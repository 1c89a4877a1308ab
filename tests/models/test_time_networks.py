"""Networks that are told time and class: what they begin as, what they hear, what they refuse."""

import pytest
import torch
import torch.nn.functional as F

from gradatim.errors import InvalidValue
from gradatim.models import TimeMLP, TimeUNet, build
from gradatim.nn import sinusoidal_positions, time_embedding
from gradatim.randomness import seeded


def shaken(model):
    with seeded(3), torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.2 * torch.randn_like(weight))
    return model.double().eval()


NETWORKS = {
    "points": (lambda **more: TimeMLP(3, hidden_dim=8, condition_dim=6, **more), (5, 3)),
    "images": (lambda **more: TimeUNet(2, 7, widths=(4, 8), num_blocks=1, condition_dim=6, **more), (5, 2, 7, 7)),
}  # fmt: skip
each = pytest.mark.parametrize("name", list(NETWORKS))


@each
def test_it_begins_as_zero(name):
    make, shape = NETWORKS[name]
    assert not make()(torch.randn(shape), torch.rand(5)).any()


@each
def test_it_hears_time_and_class(name):
    make, shape = NETWORKS[name]
    model = shaken(make(num_classes=3))
    x = torch.randn(shape, dtype=torch.float64)[:1].repeat(5, *[1] * (len(shape) - 1))
    time = torch.tensor([0.1, 0.1, 0.9, 0.1, 0.1], dtype=torch.float64)
    out = model(x, time, torch.tensor([0, 0, 0, 2, 3]))
    torch.testing.assert_close(out[0], out[1])
    for other in (2, 3, 4):
        assert not torch.allclose(out[0], out[other], atol=1e-3)
    torch.testing.assert_close(model(x, time)[4], out[4])  # no class is the class after the last


def test_the_dense_network_by_hand():
    model = shaken(TimeMLP(3, 2, hidden_dim=8, num_layers=2, condition_dim=6))
    x, time, label = torch.randn(4, 3).double(), torch.rand(4).double(), torch.tensor([0, 1, 2, 0])
    angles = 1000 * time[:, None] * 10 ** (-8 * torch.arange(3).double() / 6).double()
    waves = torch.zeros(4, 6).double()
    waves[:, ::2], waves[:, 1::2] = angles.sin(), angles.cos()
    part = model.condition
    c = part.time[2](F.silu(part.time[0](waves))) + part.label.weight[label]
    c = c * c.sigmoid()
    h = x @ model.first.weight.T + model.first.bias
    for block in model.blocks:
        change = block.first(F.layer_norm(h, (8,), block.norm.weight, block.norm.bias))
        change = change + c @ block.condition.weight.T + block.condition.bias
        h = h + block.second(change * change.sigmoid())
    out = F.layer_norm(h, (8,), model.norm.weight, model.norm.bias)
    expected = out @ model.readout.weight.T + model.readout.bias
    torch.testing.assert_close(model(x, time, label), expected)


def test_times_are_encoded_as_positions():
    time = torch.arange(5) / 1000
    torch.testing.assert_close(time_embedding(time, 8), sinusoidal_positions(5, 8), atol=1e-5, rtol=0)  # fmt: skip
    time = torch.rand(3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda t: time_embedding(t, 4), time)


@pytest.mark.parametrize(("size", "patch", "widths"), [(28, 2, (4, 8)), (7, 1, (4, 8)), (5, 4, (4,)), (9, 2, (4, 4, 8))])  # fmt: skip
def test_any_size_comes_back(size, patch, widths):
    model = TimeUNet(1, size, patch=patch, widths=widths, num_blocks=1, condition_dim=6)
    assert model(torch.randn(2, 1, size, size), torch.rand(2)).shape == (2, 1, size, size)


def test_pixels_stand_where_they_stood():
    """Entrance and exit alone, with kernels that pass the pixels on."""
    model = TimeUNet(1, 4, widths=(4,), num_blocks=1, condition_dim=6)
    x = torch.randn(2, 1, 4, 4)
    patches = F.pixel_unshuffle(x, 2)
    assert torch.equal(F.pixel_shuffle(patches, 2), x)
    with torch.no_grad():
        model.readout.bias.copy_(torch.arange(4.0))
    out = model(x, torch.rand(2))
    assert out[0, 0, :2, :2].tolist() == [[0, 1], [2, 3]]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: TimeMLP(0), "TimeMLP: dim must be at least 1, got 0"),
        (lambda: TimeMLP(2, 0), "TimeMLP: num_classes must be at least 1 or None, got 0"),
        (lambda: TimeMLP(2, dropout=1.0), r"TimeMLP: dropout must be in \[0, 1\), got 1"),
        (lambda: TimeUNet(widths=()), r"TimeUNet: widths must be one or more positive widths, got \(\)"),
        (lambda: TimeUNet(patch=0), "TimeUNet: patch must be at least 1, got 0"),
        (lambda: TimeUNet(dropout=-0.1), r"TimeUNet: dropout must be in \[0, 1\)"),
        (lambda: TimeUNet(condition_dim=5), "TimeUNet: condition_dim must be even and positive, got 5. Try 6"),
        (lambda: TimeMLP(2)(torch.zeros(5, 3), torch.rand(5)), r"TimeMLP: x must have shape \(B, 2\)"),
        (lambda: TimeMLP(2)(torch.zeros(5, 2), torch.rand(5, 1)), r"TimeMLP: time must have shape \(B,\)"),
        (lambda: TimeMLP(2)(torch.zeros(1, 2), torch.rand(1), torch.zeros(1)), "TimeMLP: label must be None"),
        (lambda: TimeUNet()(torch.zeros(5, 1, 8, 8), torch.rand(5)), r"TimeUNet: x must have shape \(B, 1, 28, 28\)"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(make, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        make()


def test_they_are_built_by_name():
    assert isinstance(build("time_mlp", 2), TimeMLP)
    assert isinstance(build("time_unet", 1, 8, widths=(4,)), TimeUNet)
