"""Backpropagation worked out by hand, number by number, and found again by the machine.

Small nets whose gradients fit on a sheet of paper. Each number that a hand calculation gives is a claim;
the machine's side is the backward recursion over stages, which knows nothing of the formulas.
"""

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.backprop import (
    Trace,
    backpropagate,
    check_gradients,
    computation_graph,
    delta_recursion,
    jacobian,
)
from gradatim.models import MLP
from gradatim.nn import initialize
from gradatim.reports import Report

COVERS = ("C1",)
KEYWORDS = "backpropagation, chain rule, co-state, backward recursion, computation graph, vector-Jacobian product VJP, gradient check, worked example, computational graph"
if TYPE_CHECKING:
    from matplotlib.figure import Figure

FLOAT = torch.float64


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    depth: int = 10
    width: int = 32
    batch: int = 64


QUICK = Settings(depth=6, width=16)


def run(settings: Settings) -> Report:
    """Check each hand calculation, then the recursion on a net too large for paper."""
    report = Report(
        title="Backpropagation by hand",
        summary="The backward recursion gives every number of three hand calculations, and the gradients "
        "of autograd on a net too large for paper.",
    )
    _chain_rule(report)
    _one_unit(report)
    _hidden_layer(report)
    _deep_chain(report, settings)
    return report


def _half_squared_error(output: Tensor, y: Tensor) -> Tensor:
    return (output - y).square().sum() / 2


def _net(*values: list) -> nn.Sequential:
    """Linear, sigmoid, linear, with the given weights and biases."""
    W0, b0, W1, b1 = (torch.tensor(value, dtype=FLOAT) for value in values)
    layers = nn.Linear(W0.shape[1], len(W0)), nn.Sigmoid(), nn.Linear(W1.shape[1], len(W1))
    model = nn.Sequential(*layers).double()
    with torch.no_grad():
        for parameter, value in zip(model.parameters(), (W0, b0, W1, b1), strict=True):
            parameter.copy_(value)
    return model


def _show(report: Report, title: str, trace: Trace) -> None:
    table = trace.table().astype(object)
    rows = table.where(table.notna(), "").to_numpy().tolist()
    report.table(title, columns=list(table.columns), rows=rows)


def _chain_rule(report: Report) -> None:
    report.text("The chain rule alone: (2x + 3)² has slope 2(2x + 3) · 2 = 8x + 12.")
    for x, expected in [(-2.0, -4.0), (0.0, 12.0), (1.0, 20.0)]:
        measured = jacobian(lambda x: (2 * x + 3) ** 2, torch.tensor(x)).item()
        name = f"slope of (2x + 3)² at x = {x:g}"
        report.claim(name, measured, equals=expected)


def _one_unit(report: Report) -> None:
    report.text(
        "A net of one sigmoid unit and one linear unit: input x = 1, target t = 0.5, weights w₁ = 0.4, "
        "b₁ = 0.3, w₂ = 0.5, b₂ = 0.1, loss E = ½(t − y)². Forward, a = w₁x + b₁, h = σ(a), y = w₂h + b₂. "
        "Backward, δ₂ = y − t and δ₁ = δ₂ w₂ h(1 − h); the gradients are δ₂h and δ₂ for w₂ and b₂, δ₁x and "
        "δ₁ for w₁ and b₁. A step of gradient descent has learning rate 0.1."
    )
    model, one = _net([[0.4]], [0.3], [[0.5]], [0.1]), torch.ones(1, 1, dtype=FLOAT)
    trace = backpropagate(model, _half_squared_error, one, one / 2)
    a, h, y = (stage.output.item() for stage in trace.stages)
    delta_1, p_h, delta_2 = (stage.costate.item() for stage in trace.stages)
    gradient = {name: value.item() for name, value in trace.gradients.items()}
    new = {name: p.item() - 0.1 * gradient[name] for name, p in model.named_parameters()}
    for name, expected, measured in [
        ("net input a", 0.7, a),
        ("hidden value h", 0.66818777, h),
        ("output y", 0.43409389, y),
        ("loss E", 0.00217181, trace.loss.item()),
        ("output error δ₂ = ∂E/∂b₂", -0.06590611, delta_2),
        ("∂E/∂w₂ = δ₂h", -0.04403766, gradient["2.weight"]),
        ("slope of the sigmoid h(1−h)", 0.22171287, delta_1 / p_h),
        ("hidden error δ₁ = ∂E/∂w₁ = ∂E/∂b₁", -0.00730612, gradient["0.weight"]),
        ("w₂ after a step", 0.50440377, new["2.weight"]),
        ("b₂ after a step", 0.10659061, new["2.bias"]),
        ("w₁ after a step", 0.40073061, new["0.weight"]),
        ("b₁ after a step", 0.30073061, new["0.bias"]),
    ]:
        holds = abs(measured - expected) < 6e-9
        report.claim(name, expected=f"{expected:.8f}", measured=f"{measured:.8f}", holds=holds)
    _show(report, "One sigmoid unit, one linear unit", trace)
    report.figure(
        "one-unit-chain",
        trace.figure(),
        caption="The chain of stages: values flow down, gradients of the loss flow up.",
    )
    report.figure(
        "one-unit-graph",
        _one_unit_graph(),
        caption="The same net as autograd recorded it: name and operation, value, gradient of the loss.",
    )


def _one_unit_graph() -> "Figure":
    values = {"w₁": 0.4, "b₁": 0.3, "w₂": 0.5, "b₂": 0.1}
    named = {n: torch.tensor(v, dtype=FLOAT, requires_grad=True) for n, v in values.items()}
    w1_x = named["w₁"] * 1.0
    a = w1_x + named["b₁"]
    h = torch.sigmoid(a)
    w2_h = named["w₂"] * h
    y = w2_h + named["b₂"]
    error = y - 0.5
    square = error**2
    steps = {"w₁x": w1_x, "a": a, "h": h, "w₂h": w2_h, "y": y, "y − t": error, "(y − t)²": square}
    return computation_graph(square / 2, named | steps).figure()


def _hidden_layer(report: Report) -> None:
    report.text(
        "A hidden layer of two sigmoid units and two outputs, x₁ = σ(W₀x₀ + b₀), x₂ = W₁x₁ + b₁, at "
        "x₀ = (1, 2) with W₀ = ((1, −½), (½, −¼)), b₀ = 0, W₁ = ((1, 2), (3, −1)). The net inputs vanish, "
        "so that x₁ = (½, ½) and every number below is a fraction. Backward, p₁ = W₁ᵀp₂ and "
        "δ = p₁ ⊙ x₁ ⊙ (1 − x₁); the gradients are p₂x₁ᵀ, p₂, δx₀ᵀ and δ."
    )
    W0, W1 = [[1.0, -0.5], [0.5, -0.25]], [[1.0, 2.0], [3.0, -1.0]]
    x, y = torch.tensor([[1.0, 2.0]], dtype=FLOAT), torch.tensor([[1.0, 0.0]], dtype=FLOAT)
    squared = backpropagate(_net(W0, [0.0, 0.0], W1, [0.5, 0.0]), _half_squared_error, x, y)
    _match(
        report,
        "squared error ½‖x₂ − y‖², p₂ = x₂ − y",
        squared,
        {
            "p₂": [[1.0, 1.0]],
            "p₁": [[4.0, 1.0]],
            "W₁": [[0.5, 0.5], [0.5, 0.5]],
            "b₁": [1.0, 1.0],
            "W₀": [[1.0, 2.0], [0.25, 0.5]],
            "b₀": [1.0, 0.25],
        },
    )
    # This bias makes the outputs (log 3, 0), whose softmax is (3/4, 1/4).
    entropy_net = _net(W0, [0.0, 0.0], W1, [log(3.0) - 1.5, -1.0])
    _match(
        report,
        "cross-entropy, p₂ = softmax(x₂) − y",
        backpropagate(entropy_net, F.cross_entropy, x, y),
        {
            "p₂": [[-0.25, 0.25]],
            "p₁": [[0.5, -0.75]],
            "W₁": [[-0.125, -0.125], [0.125, 0.125]],
            "b₁": [-0.25, 0.25],
            "W₀": [[0.125, 0.25], [-0.1875, -0.375]],
            "b₀": [0.125, -0.1875],
        },
    )
    points, targets = torch.cat([x, -x, 2 * x]), torch.cat([y, y, 1 - y])
    model = _net(W0, [0.0, 0.0], W1, [0.5, 0.0])
    whole = backpropagate(model, _half_squared_error, points, targets)
    parts = [
        backpropagate(model, _half_squared_error, points[i : i + 1], targets[i : i + 1])
        for i in range(len(points))
    ]
    error = max(
        _distance(torch.stack([part.gradients[name] for part in parts]).sum(0), gradient)
        for name, gradient in whole.gradients.items()
    )
    report.claim("the gradient over three points is the sum of their gradients", error, below=1e-12)
    _show(report, "A hidden layer, squared error", squared)


def _match(report: Report, case: str, trace: Trace, expected: dict[str, list]) -> None:
    keys = {"W₁": "2.weight", "b₁": "2.bias", "W₀": "0.weight", "b₀": "0.bias"}
    found = {"p₂": trace.stages[2].costate, "p₁": trace.stages[1].costate}
    found |= {symbol: trace.gradients[key] for symbol, key in keys.items()}
    for symbol, value in expected.items():
        name = symbol if symbol.startswith("p") else f"∂E/∂{symbol}"
        holds = torch.allclose(found[symbol], torch.tensor(value, dtype=FLOAT), rtol=0, atol=1e-12)
        measured = str(
            [[round(v, 6) for v in row] for row in torch.atleast_2d(found[symbol]).tolist()]
        )
        shown = str(value if isinstance(value[0], list) else [value])
        report.claim(f"{case}: {name}", expected=shown, measured=measured, holds=holds)


def _deep_chain(report: Report, settings: Settings) -> None:
    report.text(
        "A net too large for paper. The same recursion, one stage at a time, is compared with autograd, with "
        "the textbook formulas for dense layers and with differences of the loss."
    )
    generator = torch.Generator().manual_seed(settings.seed)
    sizes = (8, *[settings.width] * settings.depth, 4)
    model = MLP(sizes, activation="sigmoid")
    initialize(model, "xavier", generator=generator).double()
    x = torch.randn(settings.batch, sizes[0], generator=generator, dtype=FLOAT)
    y = torch.randn(settings.batch, sizes[-1], generator=generator, dtype=FLOAT)
    trace = backpropagate(model, _half_squared_error, x, y)
    _compare(report, model, trace, x, y)
    first, last = trace.gradients["0.weight"], trace.gradients[f"{2 * settings.depth}.weight"]
    ratio = float(last.norm() / first.norm())
    report.claim(
        "gradients of sigmoid layers shrink towards the input", ratio, "{} times", above=100
    )
    report.figure(
        "deep-chain",
        trace.figure(),
        caption=f"{settings.depth} sigmoid layers: each multiplies the co-state by a slope of at most ¼, "
        "so that the gradient fades on its way up.",
    )


def _compare(report: Report, model: MLP, trace: Trace, x: Tensor, y: Tensor) -> None:
    named = dict(model.named_parameters())
    pulled = torch.autograd.grad(_half_squared_error(model(x), y), list(named.values()))
    error = max(_distance(trace.gradients[n], g) for n, g in zip(named, pulled, strict=True))
    report.claim("recursion equals autograd", error, below=1e-12)
    weights = [p.detach() for n, p in named.items() if n.endswith("weight")]
    biases = [p.detach() for n, p in named.items() if n.endswith("bias")]
    chain = delta_recursion(weights, biases, x, y, activation="sigmoid")
    by_hand = [
        g for pair in zip(chain.weight_gradients, chain.bias_gradients, strict=True) for g in pair
    ]
    error = max(_distance(trace.gradients[n], g) for n, g in zip(named, by_hand, strict=True))
    report.claim("recursion equals δ-rules", error, below=1e-12)

    def energy(weight: Tensor) -> Tensor:
        output = torch.func.functional_call(model, {last: weight}, (x,))
        return _half_squared_error(output, y)

    last = [name for name in named if name.endswith("weight")][-1]
    point = {"weight": named[last]}
    check = check_gradients(
        energy, point, gradients={"weight": trace.gradients[last]}, max_entries=50
    )
    worst = check.worst.relative_error if check.worst else 0.0
    report.claim("recursion equals differences", expected="< 1e-5", measured=worst, holds=check)
    wrong = check_gradients(
        energy, point, gradients={"weight": 1.001 * trace.gradients[last]}, max_entries=50
    )
    report.claim(
        "differences find a gradient that is 0.1 % wrong",
        "right" if wrong else "wrong",
        equals="wrong",
    )


def _distance(a: Tensor, b: Tensor) -> float:
    return float((a - b).norm() / b.norm())
