"""Universal approximation as an instrument: how close networks of a given size come to a function."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from gradatim.errors import InvalidValue, choose
from gradatim.models import MLP
from gradatim.nn import ACTIVATIONS, initialize
from gradatim.nn import activation as build_activation
from gradatim.nn.initialization import RELU_FAMILY, default_scheme
from gradatim.randomness import seeded
from gradatim.theory import levenberg_marquardt as lm
from gradatim.theory.stacked_mlp import outputs_and_jacobian
from gradatim.threads import limit_threads

FIT_POINTS = {1: 128, 2: 24}  # per axis
TEST_POINTS = {1: 2049, 2: 129}
RIDGE = 1e-4


@dataclass(frozen=True)
class Approximation:
    """The best network found for one size and activation, and how far it is from the function.

    Args:
        width: Units in each hidden layer.
        depth: Number of hidden layers.
        activation: Name of the activation.
        num_parameters: Weights and biases.
        sup_error: Largest absolute difference on the test grid.
        l2_error: Root mean squared difference on the test grid.
        restart_errors: Sup-error of every restart, best first.
        model: The network, in float64.
    """

    width: int
    depth: int
    activation: str
    num_parameters: int
    sup_error: float
    l2_error: float
    restart_errors: tuple[float, ...] = field(repr=False)
    model: MLP = field(repr=False)


def approximate(
    f: Callable[[Tensor], Tensor],
    widths: Sequence[int],
    *,
    depths: Sequence[int] = (1,),
    activations: Sequence[str] = ("tanh",),
    domain: Sequence[tuple[float, float]] = ((-1.0, 1.0),),
    restarts: int = 4,
    steps: int = 100,
    seed: int = 0,
) -> list[Approximation]:
    r"""Fit networks of every width, depth and activation to a function on a box.

    .. math:: \lVert F - f \rVert_\infty = \sup_{x \in K} |F(x) - f(x)|, \qquad
        F(x) = \sum_{j=1}^{m} \alpha_j\, g(w_j^\top x + b_j) + c \text{ for one hidden layer}

    The theorem promises that some weights come close; this finds weights, by Levenberg-Marquardt on
    the mean squared difference from several random starts, all restarts in one computation. What it
    reports is therefore an upper bound on the best possible error.

    Args:
        f: The function: tensors of points ``(N, d)`` to ``(N,)`` or ``(N, 1)``, in float64.
        widths: Units per hidden layer, each tried.
        depths: Numbers of hidden layers, each tried.
        activations: Names of :math:`g`, each tried.
        domain: :math:`K`, one pair ``(low, high)`` per input; one or two inputs.
        restarts: Random starts; the one with the smallest sup-error is reported.
        steps: Levenberg-Marquardt steps.
        seed: Of the random starts.

    Returns:
        One record for each combination, activations outermost, then depths, then widths.

    Example:
        >>> line, net = approximate(torch.sin, [8], activations=("identity", "tanh"), domain=[(-3, 3)])
        >>> line.sup_error > 0.5, net.sup_error < 1e-3
        (True, True)
    """
    box = _check_box(domain)
    for activation in activations:
        choose("approximate", "activations", activation, ACTIVATIONS)
    if min(min(counts, default=0) for counts in (widths, depths, (restarts, steps))) < 1:
        raise InvalidValue(
            "approximate: widths, depths, restarts and steps must be positive, got "
            f"widths={tuple(widths)}, depths={tuple(depths)}, restarts={restarts}, steps={steps}."
        )
    fit_x, test_x = (_grid(len(box), points[len(box)]) for points in (FIT_POINTS, TEST_POINTS))
    fit_y, test_y = (_values(f, _to_box(x, box)) for x in (fit_x, test_x))
    results = []
    with limit_threads(1):
        for activation in activations:
            for depth in depths:
                for width in widths:
                    sizes = (len(box), *[width] * depth, 1)
                    model, params = _fit(
                        sizes, activation, fit_x, fit_y, restarts=restarts, steps=steps, seed=seed
                    )
                    results.append(_measure(model, params, test_x, test_y, box))
    return results


def _check_box(domain: Sequence[tuple[float, float]]) -> Tensor:
    box = torch.tensor([tuple(pair) for pair in domain], dtype=torch.float64)
    if box.ndim != 2 or len(box) not in FIT_POINTS or not (box[:, 0] < box[:, 1]).all():
        raise InvalidValue(
            "approximate: domain must be one or two pairs (low, high) with low < high, "
            f"got {domain!r}. Try [(-1, 1)]."
        )
    return box


def _grid(dim: int, num_points: int) -> Tensor:
    axis = torch.linspace(-1.0, 1.0, num_points, dtype=torch.float64)
    return torch.cartesian_prod(*[axis] * dim).reshape(-1, dim)


def _to_box(x: Tensor, box: Tensor) -> Tensor:
    """From [-1, 1]^d, where all fitting is done, to the box."""
    low, high = box.T
    return (low + high) / 2 + x * (high - low) / 2


def _values(f: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    y = torch.as_tensor(f(x)).detach()
    if y.numel() != len(x) or not y.isfinite().all():
        raise InvalidValue(
            "approximate: f must map points of shape (N, d) to N finite values, got "
            f"{tuple(x.shape)} to {tuple(y.shape)}."
        )
    return y.reshape(-1).to(torch.float64)


def _fit(
    sizes: tuple[int, ...],
    activation: str,
    x: Tensor,
    y: Tensor,
    *,
    restarts: int,
    steps: int,
    seed: int,
) -> tuple[MLP, Tensor]:
    """A network and the parameters ``(restarts, p)`` that were found for it."""
    generator, phi = torch.Generator().manual_seed(seed), build_activation(activation).double()
    with seeded(0):  # every weight is drawn again, from the generator
        model = MLP(sizes, activation=activation).double()
    starts = []
    for _ in range(restarts):
        _spread(model, activation, generator)
        _solve_readout(model, x, y)
        starts.append(torch.cat([p.detach().flatten() for p in _dense_parameters(model)]))

    def stacked(params: Tensor) -> tuple[Tensor, Tensor]:
        return outputs_and_jacobian(params, sizes, phi, x)

    state = lm.init(torch.stack(starts), stacked, y)
    for _ in range(steps):
        state, _ = lm.step(state, stacked, y)
        if lm.is_stuck(state):
            break
    return model, state.params


def _dense(model: MLP) -> list[nn.Linear]:
    return [module for module in model if isinstance(module, nn.Linear)]


def _dense_parameters(model: MLP) -> list[nn.Parameter]:
    return [parameter for module in _dense(model) for parameter in module.parameters()]


@torch.no_grad()
def _spread(model: MLP, activation: str, generator: torch.Generator) -> None:
    """Random weights whose first layer switches everywhere in [-1, 1]^d, steeper where it is wide."""
    initialize(model, default_scheme(activation), generator=generator)
    dense = _dense(model)
    for module in dense[1:]:
        module.bias.normal_(std=0.3, generator=generator)
    weight = dense[0].weight
    width, dim = weight.shape
    weight.normal_(generator=generator)
    gain = 1.0 if activation in RELU_FAMILY else max(1.0, width / 2)
    weight.mul_(gain / weight.norm(dim=1, keepdim=True))
    # a Latin hypercube of points, one for each unit to switch at
    strata = torch.stack([torch.randperm(width, generator=generator) for _ in range(dim)], dim=1)
    centre = (strata + torch.rand(width, dim, generator=generator)) * (2.0 / width) - 1.0
    dense[0].bias.copy_(-(weight * centre).sum(dim=1))


@torch.no_grad()
def _solve_readout(model: MLP, x: Tensor, y: Tensor) -> None:
    """Set the last layer to the ridge solution for the hidden units as they are."""
    units, readout = nn.Sequential(*list(model)[:-1])(x), _dense(model)[-1]
    units = torch.cat((units, torch.ones_like(units[:, :1])), dim=1)
    matrix = units.T @ units / len(x) + RIDGE * torch.eye(units.shape[1], dtype=units.dtype)
    solution = torch.linalg.solve(matrix, units.T @ y / len(x))
    readout.weight.copy_(solution[None, :-1])
    readout.bias.copy_(solution[-1:])


@torch.no_grad()
def _measure(
    model: MLP, params: Tensor, test_x: Tensor, test_y: Tensor, box: Tensor
) -> Approximation:
    differences = []
    for replica in params:
        nn.utils.vector_to_parameters(replica, _dense_parameters(model))
        differences.append((model(test_x).squeeze(1) - test_y).abs())
    sup = torch.stack([difference.max() for difference in differences])
    best = int(sup.argmin())
    nn.utils.vector_to_parameters(params[best], _dense_parameters(model))
    _rescale_input(_dense(model)[0], box)
    return Approximation(
        width=model.sizes[1],
        depth=len(model.sizes) - 2,
        activation=model.activation,
        num_parameters=params.shape[1],
        sup_error=float(sup[best]),
        l2_error=float(differences[best].square().mean().sqrt()),
        restart_errors=tuple(sup.sort().values.tolist()),
        model=model,
    )


def _rescale_input(first: nn.Linear, box: Tensor) -> None:
    """Let a first layer that reads [-1, 1]^d read the box instead."""
    low, high = box.T
    first.weight.div_((high - low) / 2)
    first.bias.sub_(first.weight @ ((low + high) / 2))
