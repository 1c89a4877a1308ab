"""The vision Transformer: an image as a sequence of patches."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.models.image_input import check_images, count_patches
from gradatim.models.mlp_mixer import PatchTokens
from gradatim.models.transformer import TransformerEncoder
from gradatim.nn.positions import LearnedPositions

# As large as embedded patches, where the paper has 0.02: a short training would hardly notice smaller ones.
POSITION_STD = 0.3


class ClassTokenEncoder(nn.Module):
    r"""Put a learned token in front of others, let all look at each other, and return what it has become.

    .. math:: h_0 = [c;\, x_1;\dots;x_N] + P, \qquad h_\ell = \operatorname{block}_\ell(h_{\ell-1}), \qquad
        y = \operatorname{LN}(h_L)_1

    Args:
        num_tokens: :math:`N`.
        dim: Width of a token.
        num_layers: Blocks, pre-norm with GELU.
        num_heads: Heads of each attention, which must divide ``dim``.
        dropout: Probability to drop attention weights and entries of the branches.
        last_drop: Probability to leave out the last block's branches in training: stochastic depth.

    Example:
        >>> ClassTokenEncoder(9, 8, 2, 2)(torch.randn(3, 9, 8)).shape
        torch.Size([3, 8])
    """

    def __init__(
        self,
        num_tokens: int,
        dim: int,
        num_layers: int,
        num_heads: int,
        *,
        dropout: float = 0.0,
        last_drop: float = 0.0,
    ) -> None:
        super().__init__()
        self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.place = LearnedPositions(num_tokens + 1, dim)
        nn.init.normal_(self.place.table, std=POSITION_STD)
        self.blocks = TransformerEncoder(
            dim, num_layers, num_heads, dropout=dropout, last_drop=last_drop
        )

    @takes_arrays
    def forward(self, tokens: Tensor) -> Tensor:
        front = self.class_token.expand(tokens.shape[0], -1, -1)
        return self.blocks(self.place(torch.cat([front, tokens], 1)))[:, 0]  # (B, dim)


class ViT(nn.Module):
    r"""Cut an image into patches, embed each, add a class token, and classify what it gathers.

    Nothing but positions says which patches are neighbours, so it needs more images than a convolutional network, or
    stronger augmentation, or a teacher: :class:`~gradatim.training.Distillation`.

    Args:
        image_size: Height and width of the image.
        patch_size: Height and width of a patch; must divide ``image_size``.
        num_classes: Number of outputs.
        in_channels: Channels of the image, shape ``(B, in_channels, image_size, image_size)``.
        dim: Width of a token.
        num_layers: Blocks.
        num_heads: Heads of each attention, which must divide ``dim``.
        dropout: Probability to drop attention weights and entries of the branches.
        last_drop: Probability to leave out the last block's branches in training; earlier ones less.

    Example:
        >>> ViT(8, 2, 10)(torch.zeros(5, 1, 8, 8)).shape
        torch.Size([5, 10])

    Reference:
        Dosovitskiy et al., An Image is Worth 16x16 Words, 2021, eqs. 1 to 4. Positions start larger here.
    """

    def __init__(
        self,
        image_size: int,
        patch_size: int,
        num_classes: int,
        *,
        in_channels: int = 1,
        dim: int = 64,
        num_layers: int = 4,
        num_heads: int = 4,
        dropout: float = 0.0,
        last_drop: float = 0.0,
    ) -> None:
        super().__init__()
        num_tokens = count_patches("ViT", image_size, patch_size)
        self.image_size, self.patch_size, self.num_classes = image_size, patch_size, num_classes
        self.in_channels, self.dim, self.num_layers = in_channels, dim, num_layers
        self.num_heads, self.dropout, self.last_drop = num_heads, dropout, last_drop
        self.tokens = PatchTokens(in_channels, patch_size, dim)
        self.encoder = ClassTokenEncoder(
            num_tokens, dim, num_layers, num_heads, dropout=dropout, last_drop=last_drop
        )
        self.readout = nn.Linear(dim, num_classes)
        nn.init.zeros_(self.readout.weight)
        nn.init.zeros_(self.readout.bias)

    @takes_arrays
    def forward(self, x: Tensor) -> Tensor:
        check_images("ViT", x, self.in_channels, self.image_size)
        return self.readout(self.encoder(self.tokens(x)))  # (B, num_classes)
