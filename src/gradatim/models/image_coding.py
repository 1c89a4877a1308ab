"""From an image to a row of numbers by convolutions that halve it, and back by ones that double it."""

from collections.abc import Sequence
from itertools import pairwise

from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue, require
from gradatim.models.chains import ImageChain
from gradatim.models.sizes import check_counts
from gradatim.nn import activation as build_activation
from gradatim.nn import default_scheme, initialize


class ImageEncoder(ImageChain):
    """Halve the image at every 4×4 convolution of stride 2, then one dense layer.

    Args:
        image_size: Height and width, a multiple of 2 to the number of widths.
        output_dim: Numbers that come out.
        in_channels: Channels of the image.
        widths: Channels after each convolution.
        activation: Name of the nonlinearity.

    Example:
        >>> import torch
        >>> ImageEncoder(28, 10)(torch.rand(5, 1, 28, 28)).shape
        torch.Size([5, 10])
    """

    def __init__(
        self,
        image_size: int,
        output_dim: int,
        *,
        in_channels: int = 1,
        widths: Sequence[int] = (32, 64),
        activation: str = "relu",
    ) -> None:
        widths, side = _bottom("ImageEncoder", image_size, widths)
        check_counts("ImageEncoder", output_dim=output_dim, in_channels=in_channels)
        layers: list[nn.Module] = []
        for n_in, n_out in pairwise((in_channels, *widths)):
            layers += [nn.Conv2d(n_in, n_out, 4, stride=2, padding=1), build_activation(activation)]
        super().__init__(*layers, nn.Flatten(), nn.Linear(widths[-1] * side * side, output_dim))
        self.image_size, self.output_dim, self.in_channels = image_size, output_dim, in_channels
        self.widths, self.activation = widths, activation
        initialize(self, default_scheme(activation))


class ImageDecoder(nn.Sequential):
    """One dense layer to a small map, then double it at every 4×4 transposed convolution of stride 2.

    Args:
        input_dim: Numbers that come in.
        image_size: Height and width, a multiple of 2 to the number of widths.
        out_channels: Channels of the image.
        widths: Channels before each convolution.
        activation: Name of the nonlinearity; none follows the last layer.

    Example:
        >>> import torch
        >>> ImageDecoder(10, 28)(torch.rand(5, 10)).shape
        torch.Size([5, 1, 28, 28])
    """

    def __init__(
        self,
        input_dim: int,
        image_size: int,
        *,
        out_channels: int = 1,
        widths: Sequence[int] = (64, 32),
        activation: str = "relu",
    ) -> None:
        widths, side = _bottom("ImageDecoder", image_size, widths)
        check_counts("ImageDecoder", input_dim=input_dim, out_channels=out_channels)
        layers: list[nn.Module] = [
            nn.Linear(input_dim, widths[0] * side * side),
            nn.Unflatten(1, (widths[0], side, side)),
        ]
        for n_in, n_out in pairwise((*widths, out_channels)):
            layers += [
                build_activation(activation),
                nn.ConvTranspose2d(n_in, n_out, 4, stride=2, padding=1),
            ]
        super().__init__(*layers)
        self.input_dim, self.image_size, self.out_channels = input_dim, image_size, out_channels
        self.widths, self.activation = widths, activation
        initialize(self, default_scheme(activation))

    @takes_arrays
    def forward(self, x: Tensor) -> Tensor:
        rule = f"ImageDecoder: x must have shape (B, {self.input_dim})"
        require(x.ndim == 2 and x.shape[1] == self.input_dim, rule, tuple(x.shape))
        return super().forward(x)  # (B, out_channels, H, W)


def _bottom(owner: str, image_size: int, widths: Sequence[int]) -> tuple[tuple[int, ...], int]:
    """The widths, and the side of the smallest map."""
    widths = tuple(int(width) for width in widths)
    if not widths or min(widths) < 1:
        raise InvalidValue(f"{owner}: widths must be one or more positive widths, got {widths}. Try (32, 64).")  # fmt: skip
    factor = 2 ** len(widths)
    rule = f"{owner}: image_size must be a multiple of {factor}, for {len(widths)} widths"
    require(image_size >= factor and image_size % factor == 0, rule, image_size, "Pad the images.")
    return widths, image_size // factor
