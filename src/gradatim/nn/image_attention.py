"""Self-attention between the places of an image, to stand among convolutions."""

from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.nn.attention import MultiHeadAttention


class ImageSelfAttention(nn.Module):
    r"""Let every place of the maps look at every other one.

    .. math::
        t_{ij} = (x_{1ij}, \dots, x_{Cij}), \qquad y = x + \operatorname{MultiHead}(\operatorname{LN}(t))

    A convolution reaches as far as its kernel; this reaches all places at once, by what they hold and not by where they
    are, at a cost that grows with the square of their number. So it stands where maps are small.

    Args:
        channels: :math:`C`, number of maps.
        num_heads: Heads, which must divide ``channels``.

    Example:
        >>> import torch
        >>> ImageSelfAttention(8, num_heads=2)(torch.randn(2, 8, 5, 5)).shape
        torch.Size([2, 8, 5, 5])

    Reference:
        Wang et al., Non-local Neural Networks, 2018, with the heads and the norm of a Transformer's block.
    """

    def __init__(self, channels: int, *, num_heads: int = 1) -> None:
        super().__init__()
        self.channels, self.num_heads = channels, num_heads
        self.norm, self.attention = nn.LayerNorm(channels), MultiHeadAttention(channels, num_heads)

    @takes_arrays
    def forward(self, x: Tensor) -> Tensor:
        tokens = x.flatten(2).transpose(1, 2)  # (B, HW, C)
        found = self.attention(self.norm(tokens))
        return x + found.transpose(1, 2).unflatten(2, x.shape[2:])  # (B, C, H, W)
