"""The curve that gradient descent follows when its steps become infinitely small."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue
from gradatim.instruments.vector_objective import VectorObjective, value_and_gradient


@takes_arrays
def gradient_flow(
    function: VectorObjective, start: Tensor, *, time: float, steps: int = 100
) -> Tensor:
    r"""Integrate :math:`\dot\theta=-\nabla h(\theta)` by the classical Runge-Kutta method.

    Gradient descent with rate :math:`\eta` is Euler's method for it: after :math:`t/\eta` steps it is
    :math:`O(\eta)` away from :math:`\theta(t)`; this is :math:`O((t/\text{steps})^4)` away.

    Args:
        function: :math:`h`, a scalar function of a vector.
        start: :math:`\theta(0)`, shape ``(d,)``.
        time: :math:`t`.
        steps: Steps of the integration; each must be short against 2.8 / L.

    Returns:
        Points at equally spaced times from 0 to ``time``, shape ``(steps + 1, d)``.

    Example:
        >>> gradient_flow(lambda w: w.square().sum() / 2, torch.tensor([1.0]), time=1.0)[-1]
        tensor([0.3679])
    """
    if not time > 0 or steps < 1:
        raise InvalidValue(
            f"gradient_flow: time and steps must be positive, got {time} and {steps}. Try steps=100."
        )

    def slope(point: Tensor) -> Tensor:
        return -value_and_gradient(function, point)[1]

    dt, points = time / steps, [start.detach()]
    for _ in range(steps):
        theta = points[-1]
        k1 = slope(theta)
        k2 = slope(theta + dt / 2 * k1)
        k3 = slope(theta + dt / 2 * k2)
        k4 = slope(theta + dt * k3)
        points.append(theta + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
    return torch.stack(points)
