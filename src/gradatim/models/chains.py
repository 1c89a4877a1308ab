"""Chains of layers that look at what they are given: rows of numbers, or images."""

from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.models.image_input import check_images


class RowChain(nn.Sequential):
    """Base of chains that read a sample of any shape as one row of numbers."""

    def stages(self) -> list[tuple[str, nn.Module]]:
        """The chain's links, in order, with their names."""
        return [("flatten", nn.Flatten()), *self.named_children()]

    @takes_arrays
    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x.flatten(1))  # (B, outputs)


class ImageChain(nn.Sequential):
    """Base of chains that read images of ``in_channels`` channels and, if set, one ``image_size``."""

    in_channels: int
    image_size: int | None = None

    def stages(self) -> list[tuple[str, nn.Module]]:
        """The chain's links, in order, with their names."""
        return list(self.named_children())

    @takes_arrays
    def forward(self, x: Tensor) -> Tensor:
        check_images(type(self).__name__, x, self.in_channels, self.image_size)
        return super().forward(x)  # (B, outputs)
