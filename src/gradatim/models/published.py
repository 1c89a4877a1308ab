"""Networks with the weights that their authors published."""

from collections import OrderedDict
from typing import NamedTuple

import torch
from torch import Tensor, nn

from gradatim.data.entries import find, require_cached
from gradatim.errors import InvalidValue
from gradatim.models.resnet import CifarResNet
from gradatim.models.weights import load_weights

# What published networks of images subtract and divide by: the statistics of ImageNet.
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
# Names of the parts in the files, and here.
_PARTS = {"conv1": "conv", "bn1": "bn", "linear": "readout"}


class PixelScaling(nn.Module):
    r"""Centre and scale the channels of an image, :math:`(x_c-\mu_c)/\sigma_c`."""

    mean: Tensor
    std: Tensor

    def __init__(self, mean: tuple[float, ...], std: tuple[float, ...]) -> None:
        super().__init__()
        self.register_buffer("mean", torch.tensor(mean).view(-1, 1, 1))
        self.register_buffer("std", torch.tensor(std).view(-1, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        return (x - self.mean) / self.std


class PublishedNetwork(NamedTuple):
    """A network, and the accuracy that its file states.

    Args:
        model: The network, in evaluation mode.
        stated_accuracy: Test accuracy in per cent written into the file by whoever made it.
    """

    model: nn.Module
    stated_accuracy: float


def published_resnet(depth: int = 20) -> PublishedNetwork:
    """Load a residual network for CIFAR-10 with published weights.

    The files come into the cache by ``gradatim data get cifar10-resnets``; they are read as tensors only, no
    code in them runs.

    Args:
        depth: 20, 32, 44, 56 or 110.

    Returns:
        The network for images ``(B, 3, 32, 32)`` with values in [0, 1], and the accuracy stated in the file,
        which is that of the best epoch, while the weights are those of the last.
    """
    entry = find("published_resnet", "cifar10-resnets")
    depths = [int(member.name.removeprefix("resnet").partition(".")[0]) for member in entry.members]
    if depth not in depths:
        raise InvalidValue(
            f"published_resnet: depth must be one of {', '.join(map(str, depths))}, got {depth}. Try 20."
        )
    path = entry.path(f"resnet{depth}.th")
    if not path.exists():
        require_cached("published_resnet", entry.name)
    content = torch.load(path, map_location="cpu", weights_only=True)
    network = CifarResNet(depth)
    weights = rename(content["state_dict"]) | counters(network)
    load_weights("published_resnet", network, weights)
    scaled = OrderedDict(scaling=PixelScaling(MEAN, STD), network=network)
    return PublishedNetwork(nn.Sequential(scaled).eval(), float(content["best_prec1"]))


def rename(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Give the author's weights the names they have in :class:`~gradatim.models.CifarResNet`.

    Args:
        weights: Tensors by name, with the prefix of a model that was trained on several devices.

    Example:
        >>> list(rename({"module.layer1.0.bn1.bias": torch.zeros(1), "module.linear.bias": torch.zeros(1)}))
        ['stage1.0.bn1.bias', 'readout.bias']
    """
    renamed = {}
    for name, value in weights.items():
        part, _, rest = name.removeprefix("module.").partition(".")
        renamed[f"{_PARTS.get(part, part.replace('layer', 'stage'))}.{rest}"] = value
    return renamed


def counters(network: nn.Module) -> dict[str, Tensor]:
    """Counters of batches, which PyTorch's batch norm did not have when old weights were saved.

    Args:
        network: Any.

    Example:
        >>> counters(nn.BatchNorm1d(2))
        {'num_batches_tracked': tensor(0)}
    """
    state = network.state_dict()
    return {name: value for name, value in state.items() if name.endswith("num_batches_tracked")}
