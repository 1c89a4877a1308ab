"""Keep the nodes of a graph apart."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays


class PairNorm(nn.Module):
    r"""Hold the total distance between nodes, which averaging over neighbours makes smaller in every layer.

    .. math:: \tilde x_i = x_i - \frac1N\sum_j x_j, \qquad
        y_i = s\,\tilde x_i \Big/ \sqrt{\tfrac1N\textstyle\sum_j\lVert\tilde x_j\rVert^2}

    so that :math:`\sum_{i,j}\lVert y_i - y_j\rVert^2 = 2N^2s^2` in every layer.

    Args:
        scale: :math:`s`.

    Example:
        >>> PairNorm()(torch.tensor([[0.0, 0.0], [2.0, 0.0]]))
        tensor([[-1.,  0.],
                [ 1.,  0.]])

    Reference:
        Zhao and Akoglu, PairNorm: Tackling Oversmoothing in GNNs, 2020.
    """

    def __init__(self, scale: float = 1.0) -> None:
        super().__init__()
        self.scale = scale

    @takes_arrays
    def forward(self, x: Tensor) -> Tensor:
        centred = x - x.mean(0, keepdim=True)
        spread = centred.square().sum(1).mean().sqrt()
        return self.scale * centred / torch.clamp(spread, min=torch.finfo(x.dtype).tiny)
