r"""Initial weights that keep the variance of a signal from layer to layer.

With the fans :math:`n_{in}, n_{out}` of :func:`gradatim.nn.fans` and a gain :math:`g`, weights have
mean zero and variance

.. math::
    \text{LeCun, He: } \frac{g^2}{n_{in}} \qquad
    \text{Xavier (Glorot): } \frac{2g^2}{n_{in}+n_{out}}

drawn from a normal distribution, or from a uniform one on :math:`\pm\sqrt{3\,\mathrm{Var}}` where the
scheme's name ends in ``_uniform``. Orthogonal weights are :math:`g` times a matrix with orthonormal
rows or columns, one for each group of a convolution. Biases start at zero.

The gain undoes what the activation does to the second moment, :math:`g^{-2}=E[\phi(z)^2]` with
:math:`z\sim N(0,1)`. He's :math:`g^2=2` is that of ReLU, :math:`2/(1+a^2)` that of a leaky slope
:math:`a`; LeCun, Xavier and orthogonal take :math:`g=1` unless an activation is named.

Reference:
    LeCun et al., Efficient BackProp, 1998. Glorot and Bengio, 2010. He et al., Delving Deep into
    Rectifiers, 2015. Saxe et al., Exact solutions to the nonlinear dynamics of learning, 2013.
"""

from collections.abc import Callable
from functools import cache
from math import pi, sqrt
from typing import NamedTuple

import torch
from torch import Tensor, nn

from gradatim.errors import InvalidValue, choose
from gradatim.nn.activations import ACTIVATIONS
from gradatim.nn.activations import activation as build_activation
from gradatim.nn.fan_counts import Fans, fans

RELU_FAMILY = ("relu", "leaky_relu", "prelu", "elu", "gelu", "silu", "softplus")
_SLOPES = {"relu": 0.0, "leaky_relu": 0.01, "prelu": 0.25, "identity": 1.0}


class Scheme(NamedTuple):
    """Variance :math:`g^2/n`: which :math:`n`, which distribution, and whose gain by default."""

    fan: Callable[[Fans], float]
    distribution: str
    activation: str


def _into(n: Fans) -> float:
    return n.fan_in


def _mean(n: Fans) -> float:
    return (n.fan_in + n.fan_out) / 2


SCHEMES: dict[str, Scheme] = {
    "he": Scheme(_into, "normal", "relu"),
    "he_uniform": Scheme(_into, "uniform", "relu"),
    "xavier": Scheme(_mean, "normal", "identity"),
    "xavier_uniform": Scheme(_mean, "uniform", "identity"),
    "lecun": Scheme(_into, "normal", "identity"),
    "lecun_uniform": Scheme(_into, "uniform", "identity"),
    "orthogonal": Scheme(_into, "orthogonal", "identity"),
}


def default_scheme(activation: str) -> str:
    """He for the ReLU family, LeCun for SELU, Xavier otherwise.

    Args:
        activation: Name of the activation that follows the layer.

    Example:
        >>> default_scheme("tanh")
        'xavier'
    """
    if activation in RELU_FAMILY:
        return "he"
    return "lecun" if activation == "selu" else "xavier"


@cache
def _second_moment(activation: str) -> float:
    step = 1e-3
    z = torch.arange(
        -12.0 + step / 2, 12.0, step, dtype=torch.float64
    )  # midpoints: no node on a kink
    with torch.inference_mode():
        squared = build_activation(activation).double()(z).square()
    return float((squared * torch.exp(-z.square() / 2)).sum() * step / sqrt(2 * pi))


def gain(activation: str, *, slope: float | None = None) -> float:
    r"""Scale that keeps the second moment of the next pre-activation, :math:`g = E[\phi(z)^2]^{-1/2}`.

    ReLU gives :math:`\sqrt2`, a leaky slope :math:`a` gives :math:`\sqrt{2/(1+a^2)}`, SELU and
    identity give 1. ``nn.init.calculate_gain`` differs where it holds rules of thumb: 5/3 for tanh
    (here 1.5925), 3/4 for SELU, 1 for sigmoid (here 1.8462).

    Args:
        activation: Name of :math:`\phi`.
        slope: Negative slope :math:`a`, only for ``"leaky_relu"`` and ``"prelu"``; by default that of
            the module, 0.01 and 0.25.

    Example:
        >>> round(gain("relu") ** 2, 6), round(gain("leaky_relu", slope=1.0), 6)
        (2.0, 1.0)
    """
    choose("gain", "activation", activation, ACTIVATIONS)
    if slope is not None and activation not in ("leaky_relu", "prelu"):
        raise InvalidValue(
            f"gain: slope must be None unless activation is leaky_relu or prelu, got slope={slope} "
            f"with {activation!r}. Leave it out."
        )
    if activation in _SLOPES:
        return sqrt(2 / (1 + (_SLOPES[activation] if slope is None else slope) ** 2))
    return _second_moment(activation) ** -0.5


def _fill(
    weight: Tensor, std: float, distribution: str, groups: int, generator: torch.Generator | None
) -> None:
    with torch.no_grad():
        if distribution == "normal":
            weight.normal_(0.0, std, generator=generator)
        elif distribution == "uniform":
            weight.uniform_(-sqrt(3) * std, sqrt(3) * std, generator=generator)
        else:
            for block in weight.chunk(groups):
                nn.init.orthogonal_(block, gain=std, generator=generator)


def initialize(
    model: nn.Module,
    scheme: str,
    *,
    activation: str | None = None,
    slope: float | None = None,
    generator: torch.Generator | None = None,
) -> nn.Module:
    """Set every dense and convolutional weight of ``model`` by ``scheme`` and its biases to zero.

    Embeddings, norms and recurrent cells are left alone.

    Args:
        model: Any module; it is changed in place and returned.
        scheme: One of ``SCHEMES``.
        activation: Whose :func:`gain` to use; the scheme's own by default.
        slope: Negative slope of a leaky activation.
        generator: Source of randomness; PyTorch's own by default.

    Example:
        >>> layer = initialize(nn.Linear(1000, 500), "he", generator=torch.Generator().manual_seed(0))
        >>> round(layer.weight.var().item() * 1000, 1), layer.bias.abs().max().item()
        (2.0, 0.0)
    """
    rule = SCHEMES[choose("initialize", "scheme", scheme, SCHEMES)]
    scale = gain(activation or rule.activation, slope=slope)
    for module in model.modules():
        weight = getattr(module, "weight", None)
        if not isinstance(weight, nn.Parameter) or isinstance(
            module, nn.Embedding | nn.EmbeddingBag
        ):
            continue
        if weight.ndim < 2:
            continue
        std = scale if rule.distribution == "orthogonal" else scale / sqrt(rule.fan(fans(module)))
        _fill(weight, std, rule.distribution, getattr(module, "groups", 1), generator)
        bias = getattr(module, "bias", None)
        if isinstance(bias, Tensor):
            nn.init.zeros_(bias)
    return model
