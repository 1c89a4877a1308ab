import pytest
import torch
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.instruments import network_objective
from gradatim.losses import mse
from gradatim.models import MLP, LeNet
from gradatim.theory import filter_normalized, loss_line, loss_surface, sharpness


def network():
    torch.manual_seed(0)
    model = MLP((3, 8, 1)).double()
    X, y = torch.randn(20, 3).double(), torch.randn(20).double()
    return model, *network_objective(model, mse, X, y), X, y


def test_every_filter_has_the_length_of_its_weights():
    model = LeNet()
    direction = filter_normalized(model, generator=torch.Generator().manual_seed(0))
    copy = LeNet()
    nn.utils.vector_to_parameters(direction, copy.parameters())
    for drawn, p in zip(copy.parameters(), model.parameters(), strict=True):
        if p.ndim == 1:
            assert not drawn.any()
        else:
            torch.testing.assert_close(drawn.flatten(1).norm(dim=1), p.flatten(1).norm(dim=1))


def test_the_picture_does_not_depend_on_the_scale_of_relu_layers():
    """One layer ten times as large and the next ten times as small: the same function, and the same surface."""
    model, h, theta, X, y = network()
    scaled = MLP((3, 8, 1)).double()
    scaled.load_state_dict(model.state_dict())
    with torch.no_grad():
        scaled[0].weight *= 10
        scaled[0].bias *= 10
        scaled[2].weight /= 10
    other, there = network_objective(scaled, mse, X, y)
    values = []
    for m, function, point in ((model, h, theta), (scaled, other, there)):
        generator = torch.Generator().manual_seed(3)
        first, second = (filter_normalized(m, generator=generator) for _ in range(2))
        values.append(loss_surface(function, point, first, second, resolution=5).values)
    torch.testing.assert_close(*values)


def test_the_middle_of_the_surface_is_the_loss():
    model, h, theta, X, y = network()
    surface = loss_surface(h, theta, torch.randn_like(theta), torch.randn_like(theta), resolution=5, reach=0.3)  # fmt: skip
    assert surface.values[2, 2].item() == pytest.approx(mse(model(X), y).item())
    assert surface.steps.tolist() == pytest.approx([-0.3, -0.15, 0.0, 0.15, 0.3])


def test_a_line_of_a_parabola():
    steps = torch.linspace(-1, 2, 7).double()
    first, second = torch.randn(2, 4).double()
    found = loss_line(lambda w: (w**2).sum(), first, second, steps)
    expected = [((1 - t) * first + t * second).square().sum().item() for t in steps]
    assert found.tolist() == pytest.approx(expected)


@pytest.mark.parametrize("curvature", [0.5, 4.0])
def test_sharpness_of_parabolas_is_their_value_in_the_corner(curvature):
    point = torch.tensor([0.0, 0.0, 0.0]).double()
    found = sharpness(lambda w: curvature * (w**2).sum(), point, radius=0.2)
    assert found == pytest.approx(100 * curvature * 3 * 0.2**2)


def test_sharpness_counts_from_the_point():
    """h = 1 + 2(w − 3)² at 3: the box is 4ε wide."""
    found = sharpness(
        lambda w: 1 + 2 * (w - 3).square().sum(), torch.tensor([3.0]).double(), radius=0.1
    )
    assert found == pytest.approx(100 * 2 * 0.4**2 / 2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda h, w: sharpness(h, w, radius=0.0), "radius must be positive, got 0.0. Try 1e-2"),
        (lambda h, w: loss_surface(h, w, w, w, reach=-1.0), "reach must be positive, got -1.0"),
        (lambda h, w: loss_surface(h, w, w, w, resolution=0), "resolution must be a whole number from 1"),
        (lambda h, w: filter_normalized(nn.ReLU()), "model must have a trainable parameter, got none"),
    ],
)  # fmt: skip
def test_what_is_refused(call, words):
    with pytest.raises(InvalidValue, match=words):
        call(lambda w: w.square().sum(), torch.ones(2))
