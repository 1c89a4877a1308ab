"""Convolutional players of an adversarial game: one that draws images, one that judges them."""

from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.parametrizations import spectral_norm

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue, choose, require_whole
from gradatim.models.image_input import check_images

LEAST, MOST = 4, 7  # pixels at the side of the smallest map
NORMS = ("batch", "spectral", "none")


def count_doublings(owner: str, image_size: int) -> int:
    """Return how often a map of 4 to 7 pixels at the side is doubled to an image, or name the sizes that can be had.

    Args:
        owner: Who asks, for the message.
        image_size: Height and width of the image.

    Example:
        >>> count_doublings("DCGANGenerator", 28)
        2
    """
    known = {size << k: k for k in range(1, 6) for size in range(LEAST, MOST + 1)}
    if image_size not in known:
        nearest = sorted(known, key=lambda size: (abs(size - image_size), size))[:4]
        raise InvalidValue(
            f"{owner}: image_size must be 4, 5, 6 or 7 times a power of two from 2 to 32, got {image_size}. "
            f"Try one of {', '.join(map(str, sorted(nearest)))}."
        )
    return known[image_size]


def _check_label(owner: str, num_classes: int | None, label: Tensor | None) -> None:
    if (label is None) != (num_classes is None):
        want = "left out, for there are no classes" if num_classes is None else "given"
        raise InvalidValue(f"{owner}: label must be {want}, got {'none' if label is None else 'one'}.")  # fmt: skip


class DCGANGenerator(nn.Module):
    r"""Draw an image from noise: a dense layer makes a small map, transposed convolutions double it to the image.

    .. math:: h_0 = \phi(\mathrm{BN}(Wz + V_c)), \qquad h_i = \phi(\mathrm{BN}(\mathrm{up}_i(h_{i-1}))), \qquad
        x = \tfrac12(1 + \tanh(\mathrm{up}_n(h_{n-1})))

    :math:`\mathrm{up}` is a transposed convolution of 4×4 kernels and stride 2; widths halve from map to map.

    Args:
        latent_dim: Entries of :math:`z`.
        image_size: Height and width of an image: 4, 5, 6 or 7 times a power of two.
        channels: Channels of an image.
        width: Channels of the last map before the image.
        num_classes: Classes, where the class :math:`c` is given too.

    Example:
        >>> DCGANGenerator(16, 28, width=8)(torch.randn(5, 16)).shape
        torch.Size([5, 1, 28, 28])

    Reference:
        Radford, Metz, Chintala, Unsupervised Representation Learning with Deep Convolutional Generative Adversarial
        Networks, 2016. Images lie in [0, 1] here, as everywhere in this library; there in [-1, 1].
    """

    def __init__(
        self,
        latent_dim: int = 64,
        image_size: int = 28,
        *,
        channels: int = 1,
        width: int = 32,
        num_classes: int | None = None,
    ) -> None:
        require_whole("DCGANGenerator", latent_dim=latent_dim, channels=channels, width=width)
        doublings = count_doublings("DCGANGenerator", image_size)
        super().__init__()
        self.latent_dim, self.image_size = latent_dim, image_size
        self.channels, self.width, self.num_classes = channels, width, num_classes
        widths = [width << i for i in reversed(range(doublings))]
        self.side = image_size >> doublings
        self.start = nn.Linear(latent_dim, widths[0] * self.side**2, bias=num_classes is None)
        self.classes = None if num_classes is None else nn.Embedding(num_classes, widths[0] * self.side**2)  # fmt: skip
        self.first_norm = nn.BatchNorm2d(widths[0])
        self.ups = nn.ModuleList(nn.ConvTranspose2d(a, b, 4, 2, 1, bias=False) for a, b in pairwise(widths))  # fmt: skip
        self.norms = nn.ModuleList(nn.BatchNorm2d(b) for b in widths[1:])
        self.readout = nn.ConvTranspose2d(width, channels, 4, 2, 1)
        _initialize(self)

    @takes_arrays
    def forward(self, z: Tensor, label: Tensor | None = None) -> Tensor:
        _check_label("DCGANGenerator", self.num_classes, label)
        flat = self.start(z)  # (B, widths[0] * side²)
        if self.classes is not None and label is not None:
            flat = flat + self.classes(label)
        h = flat.unflatten(1, (-1, self.side, self.side))  # (B, widths[0], side, side)
        h = F.relu(self.first_norm(h))
        for up, norm in zip(self.ups, self.norms, strict=True):
            h = F.relu(norm(up(h)))  # (B, widths[i], side * 2^i, side * 2^i)
        return (self.readout(h).tanh() + 1) / 2  # (B, channels, image_size, image_size)


class DCGANDiscriminator(nn.Module):
    r"""Judge images: convolutions of stride 2 down to a small map, and one number of it.

    .. math:: h_i = \phi(\mathrm{norm}(\mathrm{down}_i(h_{i-1}))), \qquad f(x, c) = w^\top h_n + b + e_c^\top h_n

    The number is the logit that the image is real; :math:`\phi` is leaky with slope 0.2. The class enters by a projection.

    Args:
        image_size: Height and width of an image: 4, 5, 6 or 7 times a power of two.
        channels: Channels of an image.
        width: Channels of the first map.
        norm: ``"batch"`` (but for the first layer, as in the paper); ``"spectral"`` divides every weight by its largest
            singular value, with PyTorch's own ``spectral_norm``; ``"none"``, for gradient penalties of single rows.
        num_classes: Classes, where the class :math:`c` is given too.

    Example:
        >>> DCGANDiscriminator(28, width=8)(torch.rand(5, 1, 28, 28)).shape
        torch.Size([5])

    Reference:
        Radford, Metz, Chintala, 2016; Miyato et al., Spectral Normalization for Generative Adversarial Networks, 2018; Miyato
        and Koyama, cGANs with Projection Discriminator, 2018.
    """

    def __init__(
        self,
        image_size: int = 28,
        *,
        channels: int = 1,
        width: int = 32,
        norm: str = "batch",
        num_classes: int | None = None,
    ) -> None:
        require_whole("DCGANDiscriminator", channels=channels, width=width)
        doublings = count_doublings("DCGANDiscriminator", image_size)
        super().__init__()
        self.image_size, self.channels, self.width = image_size, channels, width
        self.norm = choose("DCGANDiscriminator", "norm", norm, NORMS)
        self.num_classes = num_classes
        widths = [channels, *(width << i for i in range(doublings))]
        features = widths[-1] * (image_size >> doublings) ** 2
        is_bare = norm != "batch"
        downs = [nn.Conv2d(a, b, 4, 2, 1, bias=is_bare or i == 0) for i, (a, b) in enumerate(pairwise(widths))]  # fmt: skip
        self.readout = nn.Linear(features, 1)
        self.classes = None if num_classes is None else nn.Embedding(num_classes, features)
        self.downs = nn.ModuleList(downs)
        _initialize(self)
        if norm == "spectral":
            for layer in (*self.downs, self.readout, *([] if self.classes is None else [self.classes])):  # fmt: skip
                spectral_norm(layer)
        norms = [nn.BatchNorm2d(b) if norm == "batch" and i else nn.Identity() for i, b in enumerate(widths[1:])]  # fmt: skip
        self.norms = nn.ModuleList(norms)

    @takes_arrays
    def forward(self, x: Tensor, label: Tensor | None = None) -> Tensor:
        check_images("DCGANDiscriminator", x, self.channels, self.image_size)
        _check_label("DCGANDiscriminator", self.num_classes, label)
        h = 2 * x - 1
        for down, norm in zip(self.downs, self.norms, strict=True):
            h = F.leaky_relu(norm(down(h)), 0.2)  # (B, width * 2^i, H / 2^(i+1), W / 2^(i+1))
        h = h.flatten(1)
        score = self.readout(h).squeeze(1)  # (B,)
        if self.classes is None or label is None:
            return score
        return score + (self.classes(label) * h).sum(1)


@torch.no_grad()
def _initialize(model: nn.Module) -> None:
    """Weights of the paper: normal with deviation 0.02; gains of norms are 1."""
    for module in model.modules():
        if isinstance(module, nn.Conv2d | nn.ConvTranspose2d | nn.Linear | nn.Embedding):
            module.weight.normal_(0, 0.02)
            bias = getattr(module, "bias", None)
            if bias is not None:
                bias.zero_()
