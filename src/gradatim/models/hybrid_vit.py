"""The hybrid: convolutions make the tokens that a Transformer relates."""

from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue
from gradatim.models.image_input import check_images
from gradatim.models.vit import ClassTokenEncoder
from gradatim.nn import initialize

STRIDE = 4  # of the whole stem


class ConvolutionalStem(nn.Sequential):
    """Three 3 × 3 convolutions, two of them with stride 2; every place of the last map is a token."""

    def __init__(self, in_channels: int, dim: int) -> None:
        half = max(dim // 2, 1)
        super().__init__(
            nn.Conv2d(in_channels, half, 3, stride=2, padding=1, bias=False),
            nn.BatchNorm2d(half),
            nn.ReLU(),
            nn.Conv2d(half, dim, 3, stride=2, padding=1, bias=False),
            nn.BatchNorm2d(dim),
            nn.ReLU(),
            nn.Conv2d(dim, dim, 3, padding=1),
        )
        initialize(self, "he")

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x).flatten(2).transpose(1, 2)  # (B, tokens, dim)


class HybridViT(nn.Module):
    """A vision Transformer on the map of a small convolutional network instead of bare patches.

    Convolutions know what neighbours are and need few images to find edges; attention relates what they find across the
    image.

    Args:
        image_size: Height and width of the image; must be divisible by 4.
        num_classes: Number of outputs.
        in_channels: Channels of the image, shape ``(B, in_channels, image_size, image_size)``.
        dim: Width of a token.
        num_layers: Blocks.
        num_heads: Heads of each attention, which must divide ``dim``.
        dropout: Probability to drop attention weights and entries of the branches.
        last_drop: Probability to leave out the last block's branches in training; earlier ones less.

    Example:
        >>> import torch
        >>> HybridViT(8, 10)(torch.zeros(5, 1, 8, 8)).shape
        torch.Size([5, 10])

    Reference:
        Dosovitskiy et al., An Image is Worth 16x16 Words, 2021, section 3.1; Xiao et al., Early Convolutions Help
        Transformers See Better, 2021.
    """

    def __init__(
        self,
        image_size: int,
        num_classes: int,
        *,
        in_channels: int = 1,
        dim: int = 64,
        num_layers: int = 3,
        num_heads: int = 4,
        dropout: float = 0.0,
        last_drop: float = 0.0,
    ) -> None:
        super().__init__()
        if image_size < STRIDE or image_size % STRIDE:
            raise InvalidValue(
                f"HybridViT: image_size must be divisible by {STRIDE}, got {image_size}. "
                f"Try {max(round(image_size / STRIDE), 1) * STRIDE}."
            )
        self.image_size, self.num_classes, self.in_channels = image_size, num_classes, in_channels
        self.dim, self.num_layers, self.num_heads = dim, num_layers, num_heads
        self.dropout, self.last_drop = dropout, last_drop
        self.tokens = ConvolutionalStem(in_channels, dim)
        self.encoder = ClassTokenEncoder(
            (image_size // STRIDE) ** 2, dim, num_layers, num_heads, dropout=dropout, last_drop=last_drop
        )  # fmt: skip
        self.readout = nn.Linear(dim, num_classes)
        nn.init.zeros_(self.readout.weight)
        nn.init.zeros_(self.readout.bias)

    @takes_arrays
    def forward(self, x: Tensor) -> Tensor:
        check_images("HybridViT", x, self.in_channels, self.image_size)
        return self.readout(self.encoder(self.tokens(x)))  # (B, num_classes)
