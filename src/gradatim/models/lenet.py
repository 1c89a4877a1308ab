"""LeNet-5: the first convolutional network that read cheques."""

from collections import OrderedDict

from torch import nn

from gradatim.errors import InvalidValue
from gradatim.models.chains import ImageChain
from gradatim.nn import initialize


class LeNet(ImageChain):
    r"""Two rounds of convolution and pooling, then three dense layers.

    .. code-block:: text

        28×28 → 5×5 conv, 6 → 2×2 pool → 5×5 conv, 16 → 2×2 pool → 400 → 120 → 84 → num_classes

    The common modern variant: ReLU for the scaled tanh, max for mean pooling, the second convolution
    reads all six maps, a linear read-out for the radial basis functions.

    Args:
        num_classes: Number of outputs.
        in_channels: Channels of the image, shape ``(B, in_channels, image_size, image_size)``.
        image_size: Height and width, at least 12; the paper pads its digits to 32.

    Example:
        >>> sum(p.numel() for p in LeNet().parameters())
        61706

    Reference:
        LeCun et al., Gradient-Based Learning Applied to Document Recognition, 1998, fig. 2.
    """

    def __init__(
        self, num_classes: int = 10, *, in_channels: int = 1, image_size: int = 28
    ) -> None:
        side = (image_size // 2 - 4) // 2
        if side < 1:
            raise InvalidValue(f"LeNet: image_size must be at least 12, got {image_size}. Try 28.")
        super().__init__(
            OrderedDict(
                conv1=nn.Conv2d(in_channels, 6, 5, padding=2),
                relu1=nn.ReLU(),
                pool1=nn.MaxPool2d(2),
                conv2=nn.Conv2d(6, 16, 5),
                relu2=nn.ReLU(),
                pool2=nn.MaxPool2d(2),
                flatten=nn.Flatten(),
                dense1=nn.Linear(16 * side**2, 120),
                relu3=nn.ReLU(),
                dense2=nn.Linear(120, 84),
                relu4=nn.ReLU(),
                readout=nn.Linear(84, num_classes),
            )
        )
        self.num_classes, self.in_channels, self.image_size = num_classes, in_channels, image_size
        initialize(self, "he")
