"""A convolutional network made to train in minutes: whitened patches, few layers, early pooling."""

from collections import OrderedDict
from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue, require
from gradatim.models.chains import ImageChain
from gradatim.models.image_input import check_images
from gradatim.nn import initialize

BATCH_NORM_MOMENTUM = 0.4  # few epochs: running averages must follow quickly


class Scale(nn.Module):
    """Multiply by a constant."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor

    def forward(self, x: Tensor) -> Tensor:
        return x * self.factor


@takes_arrays
def whitening_filters(images: Tensor, size: int = 2, *, eps: float = 3e-5) -> tuple[Tensor, Tensor]:
    r"""Filters that turn patches into uncorrelated features of variance one, and their negatives.

    With the mean :math:`\mu` of all patches of ``size``×``size`` and the eigenvectors :math:`v_i` and
    eigenvalues :math:`\lambda_i` of their covariance, the features of a patch :math:`p` are
    :math:`\pm v_i^\top(p-\mu)/\sqrt{\lambda_i+\epsilon}`. A rectifier after both signs loses nothing.

    Args:
        images: Shape ``(N, C, H, W)``.
        size: Side of a patch.
        eps: :math:`\epsilon`, which keeps directions without variance quiet; for pixels in [0, 1].

    Returns:
        Weights, shape ``(2 C size², C, size, size)``, strongest direction first, and biases.

    Example:
        >>> weights, biases = whitening_filters(torch.rand(100, 3, 8, 8))
        >>> weights.shape, biases.shape
        (torch.Size([24, 3, 2, 2]), torch.Size([24]))
    """
    channels = images.shape[1]
    patches = images.unfold(2, size, 1).unfold(3, size, 1)  # (N, C, H', W', size, size)
    rows = patches.permute(0, 2, 3, 1, 4, 5).reshape(-1, channels * size**2).double()
    require(len(rows) > 1, "whitening_filters: images must hold two patches or more", len(rows))
    values, vectors = torch.linalg.eigh(torch.cov(rows.T))
    filters = (vectors / (values + eps).sqrt()).T.flip(0)  # one per row
    filters = torch.cat([filters, -filters])
    biases = -filters @ rows.mean(0)
    return filters.reshape(-1, channels, size, size).to(images.dtype), biases.to(images.dtype)


def _block(n_in: int, n_out: int) -> nn.Sequential:
    """Convolution, pool, norm, GELU, convolution, norm, GELU: the pool comes early to save work."""

    def norm() -> nn.Module:
        layer = nn.BatchNorm2d(n_out, momentum=BATCH_NORM_MOMENTUM)
        layer.weight.requires_grad_(False)  # the next layer has a scale of its own
        return layer

    convs = [nn.Conv2d(n, n_out, 3, padding=1, bias=False) for n in (n_in, n_out)]
    for conv in convs:
        nn.init.dirac_(conv.weight.data[: conv.in_channels])
    return nn.Sequential(
        *(convs[0], nn.MaxPool2d(2), norm(), nn.GELU()), *(convs[1], norm(), nn.GELU())
    )


class FastCNN(ImageChain):
    r"""A first layer that whitens, three blocks of two convolutions, a global maximum, a read-out.

    Convolutions start as copies of their inputs in the first channels (a partial identity), so that a
    signal passes from the first step on. Call :meth:`whiten` with training images before training; the
    first layer stays as it is from then on, and nothing needs gradients below the first block.

    Args:
        num_classes: Number of outputs.
        in_channels: Channels of the image.
        widths: Channels of the blocks.

    Example:
        >>> model = FastCNN(10, in_channels=1, widths=(16, 32, 32))
        >>> model.whiten(torch.rand(50, 1, 28, 28))
        >>> model(torch.rand(5, 1, 28, 28)).shape
        torch.Size([5, 10])

    Reference:
        Jordan, 94% on CIFAR-10 in 3.29 Seconds on a Single GPU, 2024. Here the first layer also centres the
        patches and is wholly frozen, and images of any size are pooled to one number a channel.
    """

    def __init__(
        self, num_classes: int = 10, *, in_channels: int = 3, widths: Sequence[int] = (64, 256, 256)
    ) -> None:
        widths = tuple(int(width) for width in widths)
        if not widths or min(widths) < 1:
            raise InvalidValue(
                f"FastCNN: widths must be positive, got {widths}. Try (64, 256, 256)."
            )
        first = 8 * in_channels
        readout = nn.Linear(widths[-1], num_classes, bias=False)
        initialize(readout, "lecun")
        super().__init__(
            OrderedDict(
                whitening=nn.Conv2d(in_channels, first, 2),
                gelu=nn.GELU(),
                **{f"block{i}": _block(*p) for i, p in enumerate(pairwise((first, *widths)), 1)},
                pool=nn.AdaptiveMaxPool2d(1),
                flatten=nn.Flatten(),
                readout=readout,
                scale=Scale(1 / 9),
            )
        )
        self.num_classes, self.in_channels, self.widths = num_classes, in_channels, widths

    @takes_arrays
    def whiten(self, images: Tensor) -> None:
        """Set the first layer from ``images``, shape ``(N, in_channels, H, W)``, and freeze it."""
        check_images("FastCNN.whiten", images, self.in_channels)
        layer = self.get_submodule("whitening")
        with torch.no_grad():
            for own, found in zip(layer.parameters(), whitening_filters(images), strict=True):
                own.copy_(found)
        layer.requires_grad_(False)
