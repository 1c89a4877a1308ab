"""AlexNet: the convolutional network that won ImageNet in 2012."""

from collections import OrderedDict
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from gradatim.errors import InvalidValue
from gradatim.models.chains import ImageChain
from gradatim.models.dense_head import dense_head
from gradatim.nn import initialize


def _after(size: int) -> int:
    """Side of the maps after the last pool, for images of this side."""
    size = (size - 11) // 4 + 1
    for _ in range(3):  # every pool of 3 × 3 has stride 2
        size = (size - 3) // 2 + 1
    return size


class _MapNorm(nn.LocalResponseNorm):
    """The norm over neighbouring maps, in single precision: a CPU has no pool of half numbers."""

    def forward(self, input: Tensor) -> Tensor:
        is_half = input.dtype in (torch.float16, torch.bfloat16)
        return super().forward(input.float()).to(input.dtype) if is_half else super().forward(input)


class AlexNet(ImageChain):
    r"""Five convolutions and three dense layers, with ReLU, overlapping pools and dropout.

    .. code-block:: text

        227×227 → 11×11 conv, 96, stride 4 → norm, pool → 5×5 conv, 256 → norm, pool
        → 3×3 conv, 384 → 3×3 conv, 384 → 3×3 conv, 256 → pool → 9216 → 4096 → 4096 → num_classes

    The second, fourth and fifth convolution are in two groups, which stood on a graphics card each. The norm is
    :math:`a_c / (2 + 10^{-4}\sum_{c'} a_{c'}^2)^{3/4}` over five neighbouring maps. The paper says 224, its arithmetic 227.

    Args:
        num_classes: Number of outputs.
        in_channels: Channels of the image, shape ``(B, in_channels, image_size, image_size)``.
        image_size: Height and width, at least 67.
        dense: Widths of the dense layers before the read-out.

    Example:
        >>> import torch
        >>> model = AlexNet(10, image_size=67, dense=(32,))
        >>> model(torch.zeros(2, 3, 67, 67)).shape
        torch.Size([2, 10])

    Reference:
        Krizhevsky, Sutskever and Hinton, ImageNet Classification with Deep Convolutional Neural Networks, 2012, fig. 2.
        There weights are drawn with deviation 0.01 and some biases are one; here weights follow He.
    """

    def __init__(
        self,
        num_classes: int = 1000,
        *,
        in_channels: int = 3,
        image_size: int = 227,
        dense: Sequence[int] = (4096, 4096),
    ) -> None:
        side = _after(image_size)
        if side < 1:
            raise InvalidValue(
                f"AlexNet: image_size must be at least 67, got {image_size}. Try 227."
            )

        def norm() -> nn.Module:
            return _MapNorm(5, alpha=5e-4, beta=0.75, k=2.0)  # PyTorch divides alpha by 5

        super().__init__(
            OrderedDict(
                conv1=nn.Conv2d(in_channels, 96, 11, stride=4), relu1=nn.ReLU(), norm1=norm(), pool1=nn.MaxPool2d(3, 2),
                conv2=nn.Conv2d(96, 256, 5, padding=2, groups=2), relu2=nn.ReLU(), norm2=norm(), pool2=nn.MaxPool2d(3, 2),
                conv3=nn.Conv2d(256, 384, 3, padding=1), relu3=nn.ReLU(),
                conv4=nn.Conv2d(384, 384, 3, padding=1, groups=2), relu4=nn.ReLU(),
                conv5=nn.Conv2d(384, 256, 3, padding=1, groups=2), relu5=nn.ReLU(), pool5=nn.MaxPool2d(3, 2),
                flatten=nn.Flatten(),
                head=dense_head(256 * side**2, dense, num_classes),
            )
        )  # fmt: skip
        self.num_classes, self.in_channels, self.image_size = num_classes, in_channels, image_size
        self.dense = tuple(dense)
        initialize(self, "he")
