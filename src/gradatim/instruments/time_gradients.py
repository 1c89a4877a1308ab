"""How much of a gradient is left after it has gone back through time."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue
from gradatim.nn.activations import activation as build_activation
from gradatim.nn.activations import value_and_derivative
from gradatim.nn.cells.cell import State
from gradatim.nn.cells.elman import ElmanCell
from gradatim.nn.cells.lipschitz import LipschitzCell
from gradatim.nn.cells.lru import LRUCell
from gradatim.nn.recurrent import Recurrent


class TimeGradients(NamedTuple):
    r"""Gradients of the last step's loss against lag.

    Args:
        lags: :math:`t-k`, from 0 to the length of the sequence less 1.
        norms: :math:`\|\partial E_t/\partial h_k\|`, averaged over the batch, one per lag.
        bound: :math:`\|\partial E_t/\partial h_t\|\,\gamma^{t-k}`, or ``None`` where no :math:`\gamma` is known.
        gamma: :math:`\gamma`, the largest factor by which one step can multiply a gradient.
        spectral_norm: :math:`\|U\|_2` of the recurrent matrix.
        spectral_radius: Its largest :math:`|\lambda|`, which decides in the long run only.
    """

    lags: list[int]
    norms: list[float]
    bound: list[float] | None
    gamma: float | None
    spectral_norm: float | None
    spectral_radius: float | None


@takes_arrays
def gradient_through_time(
    model: Recurrent, x: Tensor, loss: Callable[[Tensor], Tensor] | None = None
) -> TimeGradients:
    r"""Measure how a gradient fades or grows on its way back through time.

    .. math::
        \frac{\partial E_t}{\partial h_k} = \frac{\partial E_t}{\partial h_t}
        \prod_{i=t}^{k+1} D_i U, \qquad
        \Bigl\|\frac{\partial E_t}{\partial h_k}\Bigr\| \le
        \Bigl\|\frac{\partial E_t}{\partial h_t}\Bigr\|\,\gamma^{t-k}, \qquad
        \gamma = \max_z|\phi'(z)|\;\|U\|_2

    for the Elman cell, with :math:`D_i = \mathrm{diag}(\phi'(a_i))`; for the linear recurrent unit
    :math:`\gamma = \max|\lambda|`, for the Lipschitz cell its bound. It is a bound: :math:`\gamma < 1` makes a gradient vanish,
    :math:`\gamma > 1` does not make it explode. For other cells only the measurement is given. All
    parts and layers of a state count.

    Args:
        model: Layers in one direction.
        x: Inputs, shape ``(B, T, input_dim)``; the gradient starts at the last step.
        loss: :math:`E_t` as a function of the last output ``(B, output_dim)``; half its squared norm by
            default.

    Returns:
        Norms against lag, and the bound where there is one.

    Example:
        >>> from functools import partial
        >>> rnn = Recurrent(partial(ElmanCell, activation="sigmoid"), 1, 8)
        >>> gradients = gradient_through_time(rnn, torch.randn(4, 11, 1))
        >>> gradients.norms[10] / gradients.norms[0] < 0.25**10
        True

    Reference:
        Pascanu et al., On the difficulty of training recurrent neural networks, 2013.
    """
    if model.is_bidirectional:
        raise InvalidValue(
            "gradient_through_time: model must run in one direction, got is_bidirectional=True. "
            "In both directions every state reaches the last output."
        )
    if x.ndim != 3 or 0 in x.shape:
        raise InvalidValue(
            f"gradient_through_time: x must be of shape (batch, time, {model.input_dim}), at least one "
            f"step, got {tuple(x.shape)}."
        )
    output, states = _states(model, x)
    error = 0.5 * output.square().sum() if loss is None else loss(output)
    parts = [part for state in states for part in state]
    gradients = torch.autograd.grad(error, parts)
    count = len(states[0])
    squares = [g.abs().square().sum(1) for g in gradients]  # each (B,)
    norms = [torch.stack(squares[k : k + count]).sum(0).sqrt().mean().item() for k in range(0, len(parts), count)][::-1]  # fmt: skip
    gamma, spectral_norm, spectral_radius = _factors(model)
    bound = None if gamma is None else [norms[0] * gamma**lag for lag in range(len(norms))]
    return TimeGradients(list(range(len(norms))), norms, bound, gamma, spectral_norm, spectral_radius)  # fmt: skip


def _states(model: Recurrent, x: Tensor) -> tuple[Tensor, list[list[Tensor]]]:
    """Run step by step; return the last output and, for every step, the parts of all layers' states."""
    initial = model.initial_state(len(x))
    layers: list[State] = [tuple(part[k] for part in initial) for k in range(model.num_layers)]
    states = []
    with torch.enable_grad():
        for y in x.unbind(1):
            for k, cell in enumerate(model.cells):
                layers[k], output = cell(layers[k], y)
                y = model.pass_on(k, output, y)
            states.append([part for state in layers for part in state])
    return y, states


def _factors(model: Recurrent) -> tuple[float | None, float | None, float | None]:
    r"""Return :math:`\gamma`, norm and radius of the recurrent matrix of a model with a single known cell."""
    if model.num_layers > 1 or model.layer_norm or model.residual:
        return None, None, None
    cell = model.cells[0]
    if isinstance(cell, LRUCell):
        radius = float(cell.eigenvalues().detach().abs().max())
        return radius, radius, radius
    if isinstance(cell, LipschitzCell):
        return cell.lipschitz_bound(), None, None
    if not isinstance(cell, ElmanCell):
        return None, None, None
    U = cell.recurrent.weight.detach().double()
    z = torch.linspace(-20, 20, 40_001, dtype=torch.float64)
    slope = float(
        value_and_derivative(build_activation(cell.activation).double(), z)[1].abs().max()
    )
    norm = float(torch.linalg.matrix_norm(U, 2))
    return slope * norm, norm, float(torch.linalg.eigvals(U).abs().max())
