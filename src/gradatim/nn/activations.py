r"""Activation functions by name, and what is known of each; PyTorch's own modules wherever it has them.

==========  ===============================================  =====================================
name        :math:`\phi(z)`                                  :math:`\phi'(z)`
==========  ===============================================  =====================================
identity    :math:`z`                                        1
step        1 if :math:`z>0` else 0                          0
sign        1, 0 or −1                                       0
erf         :math:`\frac2{\sqrt\pi}\int_0^ze^{-t^2}dt`       :math:`2e^{-z^2}/\sqrt\pi`
sigmoid     :math:`\sigma(z)=1/(1+e^{-z})`                   :math:`\sigma(1-\sigma) \le 1/4`
tanh        :math:`2\sigma(2z)-1`                            :math:`1-\tanh^2 z \le 1`
relu        :math:`\max(0,z)`                                1 if :math:`z>0` else 0
leaky_relu  :math:`z` if :math:`z>0` else :math:`0.01z`      1 or 0.01
prelu       :math:`z` if :math:`z>0` else :math:`az`         1 or :math:`a`, which starts at 1/4
elu         :math:`z` if :math:`z>0` else :math:`e^z-1`      1 or :math:`e^z`
selu        :math:`\lambda z` or                             :math:`\lambda` or
            :math:`\lambda\alpha(e^z-1)`                     :math:`\lambda\alpha e^z`
gelu        :math:`z\,\Phi(z)`, Φ the normal CDF             :math:`\Phi(z)+z\,\Phi'(z)`
silu        :math:`z\,\sigma(z)`                             :math:`\sigma+z\sigma(1-\sigma)`
softplus    :math:`\log(1+e^z)`                              :math:`\sigma(z)`
==========  ===============================================  =====================================

with :math:`\lambda=1.0507`, :math:`\alpha=1.6733`. At a kink the derivative is the left one, as in
PyTorch; a step is 0 at 0 unless ``at_zero`` says otherwise.
"""

from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import NamedTuple

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import choose


class Step(nn.Module):
    r"""Threshold unit: 1 for :math:`z>0`, 0 for :math:`z<0`; its derivative is 0 everywhere.

    Because nothing flows back through it, a network of steps cannot be trained by gradients.

    Args:
        at_zero: Value at :math:`z=0`. Textbooks differ: ``0`` fires on :math:`z>0`, ``1`` on :math:`z\ge0`.

    Example:
        >>> Step()(torch.tensor([-2.0, 0.0, 3.0]))
        tensor([0., 0., 1.])
    """

    def __init__(self, *, at_zero: float = 0.0) -> None:
        super().__init__()
        self.at_zero = at_zero

    def forward(self, z: Tensor) -> Tensor:
        return torch.where(z == 0, self.at_zero, (torch.sign(z) + 1) / 2)

    def extra_repr(self) -> str:
        return f"at_zero={self.at_zero}"


class Sign(nn.Module):
    r"""Sign of the input, 0 at 0; its derivative is 0 everywhere.

    Example:
        >>> Sign()(torch.tensor([-2.0, 0.0, 3.0]))
        tensor([-1.,  0.,  1.])
    """

    def forward(self, z: Tensor) -> Tensor:
        return torch.sign(z)


class Erf(nn.Module):
    r"""The error function, for which averages over Gaussian inputs have a closed form.

    Example:
        >>> Erf()(torch.tensor([-3.0, 0.0, 0.5]))
        tensor([-1.0000,  0.0000,  0.5205])
    """

    def forward(self, z: Tensor) -> Tensor:
        return torch.erf(z)


ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {
    "relu": nn.ReLU,
    "tanh": nn.Tanh,
    "sigmoid": nn.Sigmoid,
    "leaky_relu": nn.LeakyReLU,
    "prelu": nn.PReLU,
    "elu": nn.ELU,
    "selu": nn.SELU,
    "gelu": nn.GELU,
    "silu": nn.SiLU,
    "softplus": nn.Softplus,
    "erf": Erf,
    "identity": nn.Identity,
    "step": Step,
    "sign": Sign,
}

# Infimum and supremum of the values, and the sides on which the derivative tends to 0.
_FACTS: dict[str, tuple[float, float, str]] = {
    "relu": (0.0, inf, "left"),
    "tanh": (-1.0, 1.0, "both"),
    "sigmoid": (0.0, 1.0, "both"),
    "leaky_relu": (-inf, inf, "none"),
    "prelu": (-inf, inf, "none"),
    "elu": (-1.0, inf, "left"),
    "selu": (-1.7580993408473766, inf, "left"),
    "gelu": (-0.16997120747990369, inf, "left"),
    "silu": (-0.27846454276107380, inf, "left"),
    "softplus": (0.0, inf, "left"),
    "erf": (-1.0, 1.0, "both"),
    "identity": (-inf, inf, "none"),
    "step": (0.0, 1.0, "both"),
    "sign": (-1.0, 1.0, "both"),
}
_ODD = ("erf", "identity", "sign", "tanh")


class ActivationFacts(NamedTuple):
    """One row of :func:`activation_table`.

    Args:
        name: Name of the activation.
        values: Its value at each point.
        derivatives: Its derivative at each point.
        range: Infimum and supremum of its values.
        is_zero_centred: Whether it is odd, so that symmetric inputs give outputs of mean zero.
        saturates: Where the derivative tends to zero: ``"none"``, ``"left"`` or ``"both"``.
    """

    name: str
    values: list[float]
    derivatives: list[float]
    range: tuple[float, float]
    is_zero_centred: bool
    saturates: str


def activation(name: str) -> nn.Module:
    """Build the activation called ``name``.

    Args:
        name: One of ``ACTIVATIONS``.

    Example:
        >>> activation("relu")
        ReLU()
    """
    return ACTIVATIONS[choose("activation", "name", name, ACTIVATIONS)]()


@takes_arrays
def value_and_derivative(function: Callable[[Tensor], Tensor], z: Tensor) -> tuple[Tensor, Tensor]:
    r"""Evaluate an element-wise function and its derivative, :math:`\phi(z)` and :math:`\phi'(z)`.

    Args:
        function: Element-wise function or module :math:`\phi`.
        z: Points of any shape, floating.

    Example:
        >>> value_and_derivative(torch.sigmoid, torch.tensor([0.0]))
        (tensor([0.5000]), tensor([0.2500]))
    """
    with torch.enable_grad():
        z = z.detach().clone().requires_grad_()
        value = function(z * 1.0)  # a copy: in-place activations may not overwrite a leaf
        (derivative,) = torch.autograd.grad(value.sum(), z)
    return value.detach(), derivative


def activation_table(
    points: Sequence[float] = (-5.0, -1.0, 0.0, 1.0, 5.0), *, names: Iterable[str] | None = None
) -> list[ActivationFacts]:
    """List values, derivatives, range, centring and saturation of activations, one record each.

    Args:
        points: Where to evaluate.
        names: Which activations; all by default.

    Returns:
        Records that ``pandas.DataFrame(activation_table())`` shows as a table.

    Example:
        >>> [row] = activation_table([0.0], names=["sigmoid"])
        >>> row.values, row.derivatives, row.range, row.saturates
        ([0.5], [0.25], (0.0, 1.0), 'both')
    """
    z = torch.tensor(list(points), dtype=torch.float64)
    records = []
    for name in ACTIVATIONS if names is None else names:
        value, derivative = value_and_derivative(activation(name).double(), z)
        low, high, saturates = _FACTS[name]
        records.append(
            ActivationFacts(
                name, value.tolist(), derivative.tolist(), (low, high), name in _ODD, saturates
            )
        )
    return records
