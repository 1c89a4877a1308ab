"""The MLP-Mixer: image classification with nothing but dense layers."""

from collections import OrderedDict

from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue
from gradatim.models.image_input import count_patches
from gradatim.nn import initialize


class PatchTokens(nn.Module):
    """Cut images into square patches and embed each with one linear map."""

    def __init__(self, in_channels: int, patch_size: int, dim: int) -> None:
        super().__init__()
        self.embed = nn.Conv2d(in_channels, dim, kernel_size=patch_size, stride=patch_size)

    def forward(self, x: Tensor) -> Tensor:
        return self.embed(x).flatten(2).transpose(1, 2)  # (B, tokens, dim)


class TokenMean(nn.Module):
    """Average over the tokens."""

    def forward(self, x: Tensor) -> Tensor:
        return x.mean(dim=1)  # (B, dim)


def _two_layers(dim: int, hidden_dim: int, dropout: float) -> nn.Sequential:
    layers: list[nn.Module] = [nn.Linear(dim, hidden_dim), nn.GELU(), nn.Linear(hidden_dim, dim)]
    return nn.Sequential(*layers, nn.Dropout(dropout)) if dropout else nn.Sequential(*layers)


class MixerBlock(nn.Module):
    r"""Mix across tokens, then across channels.

    .. math:: U = X + M_1(\mathrm{LN}(X)^\top)^\top, \qquad Y = U + M_2(\mathrm{LN}(U))

    :math:`M_1` acts on each channel's row of tokens, :math:`M_2` on each token's row of channels; both
    are dense layer, GELU, dense layer.
    """

    def __init__(
        self, num_tokens: int, dim: int, *, token_dim: int, channel_dim: int, dropout: float
    ) -> None:
        super().__init__()
        self.token_norm, self.channel_norm = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.token_mixing = _two_layers(num_tokens, token_dim, dropout)
        self.channel_mixing = _two_layers(dim, channel_dim, dropout)

    def forward(self, x: Tensor) -> Tensor:
        tokens_last = self.token_norm(x).transpose(1, 2)  # (B, dim, tokens)
        x = x + self.token_mixing(tokens_last).transpose(1, 2)  # (B, tokens, dim)
        return x + self.channel_mixing(self.channel_norm(x))


class MLPMixer(nn.Sequential):
    r"""Patches, :math:`L` mixer blocks, layer norm, mean over tokens, linear read-out.

    Args:
        image_size: Height and width of the image.
        patch_size: Height and width of a patch; must divide ``image_size``.
        in_channels: Channels of the image, shape ``(B, in_channels, image_size, image_size)``.
        output_dim: Number of outputs.
        dim: Channels of a token.
        num_layers: Number of mixer blocks.
        token_dim: Hidden width of token mixing.
        channel_dim: Hidden width of channel mixing.
        dropout: Probability to *drop* an output of a mixing step.

    Example:
        >>> import torch
        >>> MLPMixer(8, 2, 1, 10, dim=16)(torch.zeros(5, 1, 8, 8)).shape
        torch.Size([5, 10])

    Reference:
        Tolstikhin et al., MLP-Mixer: An all-MLP Architecture for Vision, 2021, eq. 1.
    """

    def __init__(
        self,
        image_size: int,
        patch_size: int,
        in_channels: int,
        output_dim: int,
        *,
        dim: int = 64,
        num_layers: int = 4,
        token_dim: int = 32,
        channel_dim: int = 128,
        dropout: float = 0.0,
    ) -> None:
        num_tokens = count_patches("MLPMixer", image_size, patch_size)
        if not 0.0 <= dropout < 1.0:
            raise InvalidValue(
                f"MLPMixer: dropout must be in [0, 1), got {dropout}. Try dropout=0.1."
            )
        blocks = [
            MixerBlock(
                num_tokens, dim, token_dim=token_dim, channel_dim=channel_dim, dropout=dropout
            )
            for _ in range(num_layers)
        ]
        super().__init__(
            OrderedDict(
                tokens=PatchTokens(in_channels, patch_size, dim),
                **{f"block{i}": block for i, block in enumerate(blocks)},
                norm=nn.LayerNorm(dim),
                mean=TokenMean(),
                readout=nn.Linear(dim, output_dim),
            )
        )
        self.image_size, self.patch_size, self.in_channels = image_size, patch_size, in_channels
        self.output_dim, self.dim, self.num_layers = output_dim, dim, num_layers
        self.token_dim, self.channel_dim, self.dropout = token_dim, channel_dim, dropout
        initialize(self, "lecun")

    def stages(self) -> list[tuple[str, nn.Module]]:
        """The chain's links, in order, with their names."""
        return list(self.named_children())

    @takes_arrays
    def forward(self, x: Tensor) -> Tensor:
        expected = (self.in_channels, self.image_size, self.image_size)
        if x.shape[1:] != expected:
            raise InvalidValue(
                f"MLPMixer: x must have shape (B, {', '.join(map(str, expected))}), "
                f"got {tuple(x.shape)}. Reshape the images."
            )
        return super().forward(x)  # (B, output_dim)
