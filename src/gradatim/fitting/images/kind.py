"""Images as a kind of data."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradatim.fitting.kind import Kind
from gradatim.fitting.options import ContestOptions, option

if TYPE_CHECKING:
    from gradatim.fitting.images.model import ImageModel
    from gradatim.fitting.images.player import ImagePlayer

ARCHITECTURES = ("cnn", "resnet", "vit", "hybrid")
SETS = ("mnist", "fashion-mnist", "cifar10")


@dataclass(frozen=True, kw_only=True)
class ImageOptions(ContestOptions):
    """What may be asked for images.

    Args:
        model: Architecture of the network: ``"cnn"``, ``"resnet"``, ``"vit"`` or ``"hybrid"``; the tuning chooses by default.
        teacher: Model folder of images whose network teaches this one.
    """

    model: str | None = option(
        None, "Network: cnn, resnet, vit or hybrid.", metavar="NAME", choices=ARCHITECTURES
    )
    teacher: str | None = option(None, "Model folder whose network teaches this one.", metavar="MODEL")  # fmt: skip


def _is_meant(data: object, given: Mapping[str, Any]) -> bool:
    """A folder, a built-in set of images, or arrays of images with their classes."""
    if isinstance(data, str | Path):
        return Path(data).is_dir() or str(data) in SETS
    return isinstance(data, tuple)


def _read(data: Any, job: ImageOptions) -> "ImagePlayer":
    from gradatim.fitting.images.player import read_player

    return read_player(data, job)


def _load(description: dict[str, Any], tensors: dict[str, Any]) -> "ImageModel":
    from gradatim.fitting.images.model import ImageModel

    return ImageModel.from_folder(description, tensors)


IMAGE = Kind(
    name="image",
    words="images",
    title="Images",
    options=ImageOptions,
    is_meant=_is_meant,
    read=_read,
    load=_load,
)
