r"""How many weights meet in a unit: the fans that initial variances are made of.

:math:`n_{in}` counts the weights that reach one output unit, :math:`n_{out}` the weights that leave
one input unit, both away from the border. With kernel size :math:`k`, stride :math:`s`, channels
:math:`c` and :math:`g` groups (products over the spatial axes),

.. math::
    \text{dense: } n_{in}=c_{in},\; n_{out}=c_{out} \qquad
    \text{convolution: } n_{in}=\frac{c_{in}}{g}\prod k,\; n_{out}=\frac{c_{out}}{g}\prod\frac{k}{s}
    \qquad
    \text{transposed: } n_{in}=\frac{c_{in}}{g}\prod\frac{k}{s},\; n_{out}=\frac{c_{out}}{g}\prod k

PyTorch's ``nn.init`` sees only the weight's shape: it agrees for dense layers and for ordinary
convolutions of one group and stride one, and swaps or inflates the fans in the other cases.
"""

from math import prod
from typing import NamedTuple

from torch import Tensor, nn
from torch.nn.modules.conv import _ConvNd, _ConvTransposeNd

from gradatim.errors import InvalidType


class Fans(NamedTuple):
    """Weights that reach one output unit, and weights that leave one input unit."""

    fan_in: float
    fan_out: float


def fans(module: nn.Module) -> Fans:
    """Count the fans of a dense or convolutional layer.

    Args:
        module: Layer with a ``weight`` of two or more axes; one that is neither dense nor a
            convolution is read as ``(out, in, *kernel)``.

    Example:
        >>> fans(nn.Conv2d(8, 16, kernel_size=3, groups=4))
        Fans(fan_in=18.0, fan_out=36.0)
        >>> fans(nn.ConvTranspose2d(8, 16, kernel_size=4, stride=2))
        Fans(fan_in=32.0, fan_out=256.0)
    """
    weight = getattr(module, "weight", None)
    if not isinstance(weight, Tensor) or weight.ndim < 2:
        raise InvalidType(
            f"fans: module must be a layer with a weight of two or more axes, got {module!r}. "
            "Try nn.Linear or nn.Conv2d."
        )
    taps = float(prod(weight.shape[2:]))
    if not isinstance(module, _ConvNd):
        return Fans(weight.shape[1] * taps, weight.shape[0] * taps)
    c_in, c_out = module.in_channels // module.groups, module.out_channels // module.groups
    strided = taps / prod(module.stride)
    if isinstance(module, _ConvTransposeNd):
        return Fans(c_in * strided, c_out * taps)
    return Fans(c_in * taps, c_out * strided)
