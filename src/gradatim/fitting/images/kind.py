"""Images as a kind of data."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradatim.errors import InvalidValue, require
from gradatim.fitting.kind import Kind
from gradatim.fitting.options import ContestOptions, option
from gradatim.fitting.tables.kind import task_option

if TYPE_CHECKING:
    from gradatim.fitting.images.model import ImageModel
    from gradatim.fitting.images.player import ImagePlayer

ARCHITECTURES = ("cnn", "resnet", "vit", "hybrid")
SETS = ("mnist", "fashion-mnist", "cifar10")
SIDES = (16, 512)  # pixels a side that may be asked for
MOBILENET = "mobilenet"
MOST_TILES = 4  # along each side of an image


@dataclass(frozen=True, kw_only=True)
class ImageOptions(ContestOptions):
    """What may be asked for images.

    Args:
        labels: Table that names files and what to say of them: a class, a number, several labels with ``;`` between them, or
            columns of 0 and 1; by default subfolders are classes.
        task: ``"auto"``, ``"regression"``, ``"binary"``, ``"multiclass"`` or ``"classification"``.
        group: Table that names files and the group of each, a column of ``labels``, ``"folder"`` or ``"prefix"``; images of a
            group stay together.
        side: Pixels along each side of the pictures that models see; found from the files by default.
        tiles: Parts along each side that a picture is cut into, each of ``side`` pixels; their answers are averaged.
        tta: Whether mirror images are looked at too, where the folds tell that it helps.
        model: Architecture of the network: ``"cnn"``, ``"resnet"``, ``"vit"`` or ``"hybrid"``; the tuning chooses by default.
        pretrained: ``"mobilenet"``, or a file of a network's weights with torchvision's names.
        teacher: Model folder of images whose network teaches this one.
    """

    labels: str | None = option(None, "Table of file names and their class, number or labels.", metavar="FILE")  # fmt: skip
    task: str = task_option()
    group: str | None = option(
        None, "Table of file names and groups, a column of the labels, 'folder' or 'prefix': groups stay together.", metavar="FILE"
    )  # fmt: skip
    side: int | None = option(None, f"Pixels a side that models see, up to {SIDES[1]}.")
    tiles: int = option(1, f"Parts along each side of an image, up to {MOST_TILES}; their answers are averaged.")  # fmt: skip
    tta: bool = option(False, "Look at mirror images too, where that helps in the folds.")
    model: str | None = option(
        None, "Network: cnn, resnet, vit or hybrid.", metavar="NAME", choices=ARCHITECTURES
    )
    pretrained: str | None = option(
        None, "Start from published weights: mobilenet, or a file of MobileNetV2's or a ResNet's.", metavar="NAME"
    )  # fmt: skip
    teacher: str | None = option(None, "Model folder whose network teaches this one.", metavar="MODEL")  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        low, high = SIDES
        rule = f"fit: side must be from {low} to {high} pixels"
        require(self.side is None or low <= self.side <= high, rule, self.side, "Try 224.")
        require(1 <= self.tiles <= MOST_TILES, f"fit: tiles must be from 1 to {MOST_TILES}", self.tiles)  # fmt: skip
        for name in ("model", "teacher"):
            if self.pretrained is not None and getattr(self, name) is not None:
                raise InvalidValue(f"fit: pretrained and {name} must not be given together. Choose one.")  # fmt: skip
        if self.labels is None and self.task != "auto":
            raise InvalidValue(f"fit: task must come with labels, got {self.task!r} alone. Subfolders are classes.")  # fmt: skip


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
