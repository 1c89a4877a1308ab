r"""MixUp: train between the samples.

.. math::
    \tilde x=\lambda x_i+(1-\lambda)x_j, \qquad \tilde y=\lambda y_i+(1-\lambda)y_j, \qquad
    \lambda\sim\operatorname{Beta}(\alpha,\alpha)
"""

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue


def beta_shares(count: int, alpha: float, *, generator: torch.Generator | None = None) -> Tensor:
    r"""Draw mixing shares :math:`\lambda\sim\operatorname{Beta}(\alpha,\alpha)`.

    Args:
        count: How many.
        alpha: :math:`\alpha>0`: small leaves samples almost alone, 1 is uniform.
        generator: Source of randomness; PyTorch's own by default.

    Example:
        >>> bool((beta_shares(100, 1.0) <= 1).all())
        True
    """
    if not alpha > 0:
        raise InvalidValue(f"mixup: alpha must be more than 0, got {alpha}. Try alpha=0.2.")
    seed = int(
        torch.randint(2**62, (), generator=generator)
    )  # PyTorch's own Beta takes no generator
    return torch.from_numpy(np.random.default_rng(seed).beta(alpha, alpha, count))


@takes_arrays
def mixup(
    x: Tensor,
    y: Tensor,
    *,
    alpha: float = 0.2,
    num_classes: int | None = None,
    generator: torch.Generator | None = None,
) -> tuple[Tensor, Tensor]:
    r"""Mix every sample of a batch with another one, each pair in its own proportion.

    The paper draws one :math:`\lambda` for the whole batch; one a row has the same law and less noise.

    Args:
        x: Inputs, shape ``(B, ...)``: arrays, images, series.
        y: Class indices ``(B,)`` with ``num_classes``, else numbers or class probabilities.
        alpha: :math:`\alpha`.
        num_classes: Number of classes, to turn indices into probabilities.
        generator: Source of randomness; PyTorch's own by default.

    Returns:
        Mixed inputs, and mixed targets: class probabilities ``(B, num_classes)`` for class indices.

    Example:
        >>> x, y = torch.eye(4), torch.tensor([0, 1, 2, 2])
        >>> mixed, odds = mixup(x, y, num_classes=3)
        >>> odds.shape, torch.allclose(odds.sum(1), torch.ones(4))
        (torch.Size([4, 3]), True)

    Reference:
        Zhang et al., mixup: Beyond Empirical Risk Minimization, 2018.
    """
    if num_classes is not None:
        y = F.one_hot(y.long(), num_classes).to(x.dtype)
    elif not y.is_floating_point():
        raise InvalidValue(
            "mixup: y must be numbers or probabilities, got class indices without num_classes. "
            f"Try num_classes={int(y.max()) + 1}."
        )
    share = beta_shares(len(x), alpha, generator=generator).to(x)
    partner = torch.randperm(len(x), generator=generator).to(x.device)

    def mix(values: Tensor) -> Tensor:
        weight = share.to(values.dtype).view(-1, *[1] * (values.ndim - 1))
        return values[partner].lerp(values, weight)

    return mix(x), mix(y)
