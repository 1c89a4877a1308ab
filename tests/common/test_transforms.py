r"""What every public module does under ``torch.func`` and when its gradient is differentiated again.

Each is made a function :math:`g: \mathbb{R}^2 \to \mathbb{R}^2`: two directions in its parameters and inputs in, two
weighted sums of its outputs out. So every transform costs a few passes, however large the module is.
"""

import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call, hessian, jacfwd, jacrev, vmap

from gradatim.nn import Recurrent
from gradatim.randomness import seeded

from .recurrences import RECURRENCES
from .test_modules import CASES, run
from .test_precision import cast

EVERY = CASES | RECURRENCES
POINT = torch.tensor([0.3, -0.2], dtype=torch.float64)
LARGEST = 5_000  # entries of a parameter that moves
SIGNS = "states of signs have no derivative, and settle until nothing changes"
HEAVY = "eleven million weights; its blocks are those of CifarResNet"
# (module, law): why it does not hold there
EXCEPTIONS: dict[tuple[str, str], str] = {
    (name, law): SIGNS
    for name in ("Hopfield", "DenseMemory")
    for law in ("first", "second", "vmap")
}
LEFT_OUT = {"ResNet": HEAVY}
pytestmark = pytest.mark.filterwarnings(
    "ignore:There is a performance drop",  # of PyTorch's own kernels under vmap
    "ignore:.*torch.jit.script.*:DeprecationWarning",  # what jvp of PyTorch itself imports
)


class Run(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, inputs):
        return [torch.view_as_real(p) if p.is_complex() else p for p in run(self.module, inputs)]


def law(name):
    marks = {
        module: pytest.mark.xfail(reason=reason, strict=True)
        for (module, which), reason in EXCEPTIONS.items()
        if which == name
    }
    cases = [
        pytest.param(key, marks=marks.get(key, ()), id=key) for key in EVERY if key not in LEFT_OUT
    ]
    return pytest.mark.parametrize("name", cases)


def move(value, along, place):
    """``value`` plus the two directions ``along``, by as much as ``place`` says."""
    if isinstance(value, tuple):
        return tuple(move(a, b, place) for a, b in zip(value, along, strict=True))
    if along is None:
        return value
    return value + torch.tensordot(place.to(along.dtype), along, 1)


def directions(value):
    if isinstance(value, tuple):
        return tuple(directions(item) for item in value)
    if not (value.is_floating_point() or value.is_complex()) or value.numel() > LARGEST:
        return None
    return 0.01 * torch.randn(2, *value.shape, dtype=value.dtype)


def make(name):
    with seeded(0):
        module = Run(EVERY[name].build().double().eval())
    with seeded(100):
        inputs = cast(EVERY[name].inputs(), torch.float64)
    parameters = {key: value.detach() for key, value in module.named_parameters()}
    with seeded(7), torch.no_grad():
        moves = {key: directions(value) for key, value in parameters.items()}
        along = directions(inputs)
        weights = [torch.randn(2, *part.shape).double() for part in module(inputs)]

    def g(place: Tensor) -> Tensor:
        there = {key: move(value, moves[key], place) for key, value in parameters.items()}
        outputs = functional_call(module, there, (move(inputs, along, place),))
        parts = [(w * part).flatten(1).sum(1) for w, part in zip(weights, outputs, strict=True)]
        return torch.stack(parts).sum(0)

    return module, g


def differences(function):
    """The Jacobian by central differences."""
    steps = 1e-6 * torch.eye(2, dtype=torch.float64)
    return torch.stack([(function(POINT + d) - function(POINT - d)) / 2e-6 for d in steps], -1)


def slope(g):
    """The gradient of the first output, by an ordinary backward pass."""

    def of(place, create_graph=False):
        place = place if place.requires_grad else place.clone().requires_grad_()
        value = g(place)[0]
        if not value.requires_grad:  # nothing moves
            return torch.zeros(2, dtype=torch.float64)
        return torch.autograd.grad(value, place, create_graph=create_graph)[0]

    return of


def check(actual, expected, tolerance=1e-4):
    scale = expected.abs().max().item()
    torch.testing.assert_close(actual, expected, rtol=tolerance, atol=tolerance * scale + 1e-7)


@law("first")
def test_forward_and_reverse_give_the_derivative(name):
    _, g = make(name)
    reverse = jacrev(g)(POINT)
    check(reverse, differences(g))
    check(jacfwd(g)(POINT), reverse, 1e-9)
    check(slope(g)(POINT), reverse[0], 1e-9)


@law("second")
def test_the_gradient_has_a_gradient(name):
    module, g = make(name)
    expected = differences(slope(g))
    place = POINT.clone().requires_grad_()
    gradient = slope(g)(place, create_graph=True)
    if gradient.requires_grad:
        rows = [torch.autograd.grad(part, place, retain_graph=True)[0] for part in gradient]
        check(torch.stack(rows), expected)
    if not any(isinstance(part, nn.LayerNorm) for part in module.modules()):
        check(jacrev(jacrev(lambda e: g(e)[0]))(POINT), expected)
        check(hessian(lambda e: g(e)[0])(POINT), expected)


@law("vmap")
def test_a_batch_of_models_and_inputs_is_each_alone(name):
    _, g = make(name)
    places = torch.stack([POINT, -POINT, 2 * POINT])
    alone = torch.stack([g(place) for place in places])
    check(vmap(g)(places), alone, 1e-9)
    with torch.no_grad():
        check(vmap(g)(places), alone, 1e-9)


def test_layer_norm_of_pytorch_is_still_wrong_under_nested_transforms():
    with seeded(0):
        x, v, w = (torch.randn(3, 4).double() for _ in range(3))

    def value(e):
        return (nn.functional.layer_norm(x + e[0] * v, (4,), 1 + e[1] * w[0]) * w).sum()

    right = torch.autograd.functional.hessian(value, POINT)
    assert not torch.allclose(hessian(value)(POINT), right), "ask the law of all models now"


def test_lengths_may_be_batched():
    layer, x = Recurrent("gru", 2, 3).double(), torch.randn(2, 4, 5, 2).double()
    lengths = torch.tensor([[5, 2, 0, 1], [3, 3, 5, 4]])
    together = vmap(lambda x, n: layer(x, n)[0])(x, lengths)
    torch.testing.assert_close(together[1], layer(x[1], lengths[1])[0])
