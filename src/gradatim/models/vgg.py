"""VGG: depth from nothing but 3×3 convolutions."""

from collections import OrderedDict
from collections.abc import Sequence
from itertools import pairwise

from torch import nn

from gradatim.errors import InvalidValue
from gradatim.models.chains import ImageChain
from gradatim.models.dense_head import dense_head
from gradatim.nn import initialize


def _stage(channels: int, widths: Sequence[int], is_normalized: bool) -> nn.Sequential:
    """Convolutions of 3×3 that keep the size, then a 2×2 pool that halves it."""
    layers: list[nn.Module] = []
    for n_in, n_out in pairwise((channels, *widths)):
        layers.append(nn.Conv2d(n_in, n_out, 3, padding=1, bias=not is_normalized))
        if is_normalized:
            layers.append(nn.BatchNorm2d(n_out))
        layers.append(nn.ReLU())
    return nn.Sequential(*layers, nn.MaxPool2d(2))


class VGG(ImageChain):
    r"""Stages of 3×3 convolutions, each ending in a 2×2 pool, then dense layers.

    Two 3×3 layers see 5×5 pixels and three see 7×7, with fewer weights than one large filter
    (:math:`27C^2` against :math:`49C^2`) and more bends. Names ``vgg11``, ``vgg13``, ``vgg16`` and
    ``vgg19`` build the nets A, B, D and E of the paper for images of 224×224.

    Args:
        widths: Output channels of the convolutions of each stage, such as ``((32, 32), (64, 64))``.
        num_classes: Number of outputs.
        in_channels: Channels of the image.
        dense: Widths of the dense layers before the read-out; none leave a linear one.
        pooled_size: Side to which the last maps are averaged before they are flattened; 1 is the global
            mean and allows images of any size.
        is_normalized: Whether batch normalization follows every convolution; the paper has none.

    Example:
        >>> model = VGG(((16,), (32, 32)), num_classes=10, in_channels=1)
        >>> sum(p.numel() for p in model.parameters())
        14458

    Reference:
        Simonyan and Zisserman, Very Deep Convolutional Networks for Large-Scale Image Recognition, 2015.
    """

    def __init__(
        self,
        widths: Sequence[Sequence[int]],
        num_classes: int = 10,
        *,
        in_channels: int = 3,
        dense: Sequence[int] = (),
        pooled_size: int = 1,
        is_normalized: bool = True,
    ) -> None:
        widths = tuple(tuple(int(width) for width in stage) for stage in widths)
        if not widths or not all(widths) or min(map(min, widths)) < 1:
            raise InvalidValue(
                f"VGG: widths must be stages of positive widths, got {widths}. Try ((32, 32), (64, 64))."
            )
        ends = (in_channels, *(stage[-1] for stage in widths))
        stages = {
            f"stage{i}": _stage(channels, stage, is_normalized)
            for i, (channels, stage) in enumerate(zip(ends, widths, strict=False), 1)
        }
        super().__init__(
            OrderedDict(
                **stages,
                pool=nn.AdaptiveAvgPool2d(pooled_size),
                flatten=nn.Flatten(),
                head=dense_head(ends[-1] * pooled_size**2, dense, num_classes),
            )
        )
        self.widths, self.num_classes, self.in_channels = widths, num_classes, in_channels
        self.dense, self.pooled_size = tuple(dense), pooled_size
        self.is_normalized = is_normalized
        initialize(self, "he")
