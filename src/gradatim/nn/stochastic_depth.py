r"""Stochastic depth: residual branches that are sometimes left out.

.. math:: h_\ell = h_{\ell-1} + \frac{b_\ell}{1-d_\ell}\,F_\ell(h_{\ell-1}), \qquad
    b_\ell\sim\operatorname{Bernoulli}(1-d_\ell)

In training a network of random depth learns; at test time every branch takes part. The division keeps
the expectation. The paper scales at test time instead, and draws one :math:`b_\ell` for the whole
batch; that is ``mode="batch"``. With ``mode="row"`` every sample has its own depth.
"""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue, choose

MODES = ("row", "batch")


def drop_branch(
    branch: Tensor, *, drop: float, mode: str = "row", generator: torch.Generator | None = None
) -> Tensor:
    """Zero a branch for some rows, or for all, and scale up what remains.

    Args:
        branch: Output of the residual branch, shape ``(B, ...)``.
        drop: Probability to leave it out.
        mode: ``"row"``: each sample for itself; ``"batch"``: all together.
        generator: Source of randomness; PyTorch's own by default.

    Example:
        >>> out = drop_branch(torch.ones(1000, 2), drop=0.5)
        >>> sorted(set(out.flatten().tolist())), bool((out[:, 0] == out[:, 1]).all())
        ([0.0, 2.0], True)
    """
    choose("drop_branch", "mode", mode, MODES)
    if not 0.0 <= drop < 1.0:
        raise InvalidValue(f"drop_branch: drop must be in [0, 1), got {drop}. Try drop=0.2.")
    if drop == 0.0:
        return branch
    shape = (len(branch) if mode == "row" else 1, *[1] * (branch.ndim - 1))
    survives = branch.new_full(shape, 1.0 - drop).bernoulli(generator=generator)
    return branch * (survives / (1.0 - drop))


class StochasticDepth(nn.Module):
    r"""A residual connection around ``branch`` that is sometimes bare.

    Args:
        branch: :math:`F`, a module that keeps the shape.
        drop: :math:`d`, the probability to leave the branch out in training.
        mode: ``"row"`` or ``"batch"``.

    Example:
        >>> block = StochasticDepth(nn.Linear(3, 3), drop=0.2).eval()
        >>> x = torch.ones(2, 3)
        >>> torch.equal(block(x), x + block.branch(x))
        True

    Reference:
        Huang et al., Deep Networks with Stochastic Depth, 2016.
    """

    def __init__(self, branch: nn.Module, *, drop: float, mode: str = "row") -> None:
        super().__init__()
        drop_branch(torch.zeros(0), drop=drop, mode=mode)
        self.branch, self.drop, self.mode = branch, drop, mode

    @takes_arrays
    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            return x + self.branch(x)
        return x + drop_branch(self.branch(x), drop=self.drop, mode=self.mode)

    def extra_repr(self) -> str:
        return f"drop={self.drop}, mode={self.mode!r}"


def linear_drop_rates(num_layers: int, last: float = 0.5) -> list[float]:
    r"""Drop rates that grow with depth, since early features serve all later layers.

    .. math:: d_\ell = \frac{\ell}{L}\,d_L

    Args:
        num_layers: :math:`L`.
        last: :math:`d_L`.

    Example:
        >>> linear_drop_rates(4, 0.5)
        [0.125, 0.25, 0.375, 0.5]
    """
    return [last * layer / num_layers for layer in range(1, num_layers + 1)]
