"""Squeeze and excitation: the whole image decides how much each map counts."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require_whole
from gradatim.nn.initialization import initialize


class SqueezeExcitation(nn.Module):
    r"""Weigh the maps of a convolutional network by what all of the image holds.

    .. math::
        z_c = \frac{1}{HW}\sum_{ij} x_{cij}, \qquad s = \sigma(W_2\operatorname{ReLU}(W_1 z + b_1) + b_2), \qquad
        y_{cij} = s_c\, x_{cij}

    A convolution adds what is near; this multiplies by what is anywhere, at the cost of :math:`2C^2/r` weights.

    Args:
        channels: :math:`C`, number of maps.
        reduction: :math:`r`, by which the layer in the middle is narrower.

    Example:
        >>> SqueezeExcitation(8)(torch.ones(2, 8, 5, 5)).shape
        torch.Size([2, 8, 5, 5])

    Reference:
        Hu et al., Squeeze-and-Excitation Networks, 2018, eq. 2 to 4.
    """

    def __init__(self, channels: int, *, reduction: int = 4) -> None:
        super().__init__()
        require_whole("SqueezeExcitation", channels=channels, reduction=reduction)
        self.channels, self.reduction = channels, reduction
        width = max(channels // reduction, 1)
        self.squeeze, self.excite = nn.Linear(channels, width), nn.Linear(width, channels)
        initialize(self, "he")

    def weights(self, x: Tensor) -> Tensor:
        """The weights :math:`s` of the maps, shape ``(B, C)``, for ``x`` of shape ``(B, C, H, W)``."""
        return torch.sigmoid(self.excite(torch.relu(self.squeeze(x.mean((2, 3))))))

    @takes_arrays
    def forward(self, x: Tensor) -> Tensor:
        return x * self.weights(x)[:, :, None, None]  # (B, C, H, W)
