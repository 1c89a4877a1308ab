r"""Threshold logic: the McCulloch-Pitts neuron and layered networks of it."""

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import choose, require

# name: sign of every weight, and threshold for n inputs
_GATES = {
    "or": (1.0, lambda n: 0.5),
    "and": (1.0, lambda n: n - 0.5),
    "nor": (-1.0, lambda n: -0.5),
    "nand": (-1.0, lambda n: 0.5 - n),
}


class ThresholdUnit(nn.Module):
    r"""A neuron that fires when its weighted input reaches a threshold.

    .. math:: f(x) = 1 \;\text{if}\; w^\top x \ge \theta \;\text{else}\; 0

    McCulloch and Pitts take :math:`w_i = \pm 1` (excitatory or inhibitory); any weight is accepted. The
    same unit written with a bias has :math:`b = -\theta`.

    Args:
        weights: :math:`w`, shape ``(n,)``.
        threshold: :math:`\theta`.

    Example:
        >>> both = ThresholdUnit([1, 1], threshold=1.5)
        >>> both(binary_inputs(2))
        tensor([0., 0., 0., 1.])

    Reference:
        McCulloch and Pitts, A logical calculus of the ideas immanent in nervous activity, 1943.
    """

    weights: Tensor
    threshold: Tensor

    def __init__(self, weights: Sequence[float] | Tensor, threshold: float) -> None:
        super().__init__()
        self.register_buffer("weights", torch.as_tensor(weights, dtype=torch.get_default_dtype()))
        self.register_buffer("threshold", torch.as_tensor(threshold, dtype=self.weights.dtype))
        rule = "ThresholdUnit: weights must have shape (n,)"
        require(self.weights.ndim == 1 and len(self.weights) != 0, rule, tuple(self.weights.shape))

    @takes_arrays
    def net_input(self, x: Tensor) -> Tensor:
        r"""The activation :math:`a = w^\top x - \theta`; the unit fires where it is not negative."""
        return x.to(self.weights.dtype) @ self.weights - self.threshold

    def forward(self, x: Tensor) -> Tensor:
        return (self.net_input(x) >= 0).to(self.weights.dtype)  # (..., n) -> (...)

    def extra_repr(self) -> str:
        return f"weights={self.weights.tolist()}, threshold={float(self.threshold):g}"


class ThresholdNetwork(nn.Module):
    r"""Layers of threshold units, each layer reading the one before.

    .. math:: h_0 = x, \qquad h_\ell = 1\{ W_\ell h_{\ell-1} \ge \theta_\ell \}

    Args:
        layers: Pairs :math:`(W_\ell, \theta_\ell)` of shapes ``(m, n)`` and ``(m,)``. A weight of zero
            is no connection.

    Example:
        >>> xor = ThresholdNetwork.from_units([[gate("or"), gate("nand")], [gate("and")]])
        >>> xor(binary_inputs(2)).T
        tensor([[0., 1., 1., 0.]])
    """

    def __init__(self, layers: Sequence[tuple[Tensor, Tensor]]) -> None:
        super().__init__()
        shapes = [(tuple(weights.shape), tuple(thresholds.shape)) for weights, thresholds in layers]
        fits = shapes and all(len(w) == 2 and t == w[:1] for w, t in shapes)
        rule = "ThresholdNetwork: layers must be pairs of shapes (m, n) and (m,)"
        require(fits, rule, shapes, "Give one pair for each layer.")
        for (above, _), (below, _) in pairwise(shapes):
            rule = "ThresholdNetwork: layers must fit"
            got = f"{above[0]} units before a layer that reads {below[1]}"
            require(below[1] == above[0], rule, got)
        self.depth = len(layers)
        for index, (weights, thresholds) in enumerate(layers):
            self.register_buffer(f"weights_{index}", weights.to(torch.get_default_dtype()))
            self.register_buffer(f"thresholds_{index}", thresholds.to(torch.get_default_dtype()))

    @classmethod
    def from_units(cls, layers: Sequence[Sequence[ThresholdUnit]]) -> "ThresholdNetwork":
        """Build a network from single units, one list for each layer."""
        return cls(
            [
                (torch.stack([u.weights for u in units]), torch.stack([u.threshold for u in units]))
                for units in layers
            ]
        )

    @property
    def layers(self) -> list[tuple[Tensor, Tensor]]:
        """The pairs of weights and thresholds, from input to output."""
        return [
            (self.get_buffer(f"weights_{index}"), self.get_buffer(f"thresholds_{index}"))
            for index in range(self.depth)
        ]

    @takes_arrays
    def activity(self, x: Tensor) -> list[Tensor]:
        """The states of all layers, inputs first."""
        states = [x.to(self.layers[0][0].dtype)]
        for weights, thresholds in self.layers:
            fires = states[-1] @ weights.T >= thresholds  # (..., m)
            states.append(fires.to(weights.dtype))
        return states

    def forward(self, x: Tensor) -> Tensor:
        return self.activity(x)[-1]  # (..., n) -> (..., m)


def gate(name: str, num_inputs: int = 2) -> ThresholdUnit:
    r"""A logic gate as one threshold unit.

    ===== ============ ==================
    name  every weight threshold
    ===== ============ ==================
    or    1            :math:`1/2`
    and   1            :math:`n - 1/2`
    nor   -1           :math:`-1/2`
    nand  -1           :math:`1/2 - n`
    not   -1           :math:`-1/2`
    ===== ============ ==================

    Args:
        name: ``"or"``, ``"and"``, ``"nor"``, ``"nand"`` or ``"not"``.
        num_inputs: :math:`n`; ``"not"`` takes one input whatever is given.

    Example:
        >>> gate("nand")(binary_inputs(2))
        tensor([1., 1., 1., 0.])
    """
    choose("gate", "name", name, [*_GATES, "not"])
    if name == "not":
        return ThresholdUnit([-1.0], -0.5)
    require(num_inputs >= 1, "gate: num_inputs must be at least 1", num_inputs)
    sign, threshold = _GATES[name]
    return ThresholdUnit([sign] * num_inputs, threshold(num_inputs))


def binary_inputs(n: int) -> Tensor:
    """All :math:`2^n` inputs of ``n`` bits in counting order, the first input most significant.

    Args:
        n: Number of bits.

    Example:
        >>> binary_inputs(2)
        tensor([[0., 0.],
                [0., 1.],
                [1., 0.],
                [1., 1.]])
    """
    require(1 <= n <= 24, "binary_inputs: n must be from 1 to 24", n)
    places = torch.arange(n - 1, -1, -1)
    return ((torch.arange(2**n)[:, None] >> places) & 1).to(torch.get_default_dtype())
