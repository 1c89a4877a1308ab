"""The dense connection: a layer's output beside its input."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays


class DenseConnection(nn.Module):
    r"""Hand on the input together with what a layer makes of it.

    .. math:: F(x) = [x,\, H(x)]

    In a chain of such connections every layer reads all upstream outputs,
    :math:`x_{\ell+1} = H_{\ell+1}([x, x_1, \ldots, x_\ell])`.

    Args:
        layer: :math:`H`; its output must agree with its input in all but dimension 1, the features of
            ``(B, d)`` and the channels of ``(B, C, H, W)``.

    Example:
        >>> DenseConnection(nn.Linear(3, 2))(torch.ones(5, 3)).shape
        torch.Size([5, 5])

    Reference:
        Huang et al., Densely Connected Convolutional Networks, 2017, eq. 2.
    """

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    @takes_arrays
    def forward(self, x: Tensor) -> Tensor:
        return torch.cat((x, self.layer(x)), dim=1)
