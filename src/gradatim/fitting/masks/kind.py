"""Images with masks as a kind of data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradatim.errors import require
from gradatim.fitting.kind import Kind
from gradatim.fitting.options import ContestOptions, option

if TYPE_CHECKING:
    from gradatim.fitting.masks.model import MaskModel
    from gradatim.fitting.masks.player import MaskPlayer

SETS = ("scattered-digits",)
SIDES = (16, 512)  # smallest and largest square that may be asked for
STEP = 8  # a side is a multiple of it, for a network that halves three times


@dataclass(frozen=True, kw_only=True)
class MaskOptions(ContestOptions):
    """What may be asked for images with masks.

    Args:
        masks: Folder with a mask for every image, of the same name.
        group: Table that names files and the group of each, ``"folder"`` or ``"prefix"``; images of a group stay together.
        side: Pixels along each side of what models see; chosen by the images and the budget by default.
    """

    masks: str | None = option(None, "Folder of masks with the names of the images: the class of every pixel is learned.", metavar="FOLDER")  # fmt: skip
    group: str | None = option(None, "Table of file names and groups, 'folder' or 'prefix': groups stay together.", metavar="FILE")  # fmt: skip
    side: int | None = option(None, "Pixels along each side of what models see.", metavar="PIXELS")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.side is not None:
            low, high = SIDES
            near = min(max(STEP * round(self.side / STEP), low), high)
            fits = low <= self.side <= high and self.side % STEP == 0
            require(fits, f"fit: side must be a multiple of {STEP} from {low} to {high} for masks", self.side, f"Try {near}.")  # fmt: skip


def _is_meant(data: object, given: Mapping[str, Any]) -> bool:
    """A folder of masks is named, a built-in set has masks, or images come with an array of masks."""
    if isinstance(data, tuple):
        return getattr(data[1], "ndim", 1) > 1
    return given.get("masks") is not None or str(data) in SETS


def _read(data: Any, job: MaskOptions) -> "MaskPlayer":
    from gradatim.fitting.masks.player import read_player

    return read_player(data, job)


def _load(description: dict[str, Any], tensors: dict[str, Any]) -> "MaskModel":
    from gradatim.fitting.masks.model import MaskModel

    return MaskModel.from_folder(description, tensors)


MASK = Kind(
    name="mask",
    words="images with masks",
    title="Masks",
    options=MaskOptions,
    is_meant=_is_meant,
    read=_read,
    load=_load,
)
