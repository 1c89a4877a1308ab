"""Texts as a kind of data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradatim.fitting.kind import Kind
from gradatim.fitting.options import ContestOptions, option
from gradatim.fitting.tables.kind import refuse_target, target_option, task_option, weight_option

if TYPE_CHECKING:
    from gradatim.fitting.texts.model import TextModel
    from gradatim.fitting.texts.player import TextPlayer

PRETRAINED = ("minilm",)


@dataclass(frozen=True, kw_only=True)
class TextOptions(ContestOptions):
    """What may be asked for texts.

    Args:
        text: Columns of texts; those of a row are read as one, in this order.
        with_columns: Whether the other columns are read as well, by the same model.
        drop: Columns to leave out.
        target: Column to predict; ``None`` for a built-in set, which knows.
        task: ``"auto"``, ``"regression"``, ``"binary"``, ``"multiclass"`` or ``"classification"``.
        pretrained: Published encoder of texts that the network starts from: ``"minilm"``.
        weight: Column of weights: texts count by it in training and judging.
    """

    text: tuple[str, ...] = option((), "A column of texts, to be read word by word; may be repeated.", metavar="COLUMN")  # fmt: skip
    with_columns: bool = option(False, "Read the other columns beside the texts, in one model.")
    drop: tuple[str, ...] = option((), "Leave a column out; may be repeated.", metavar="COLUMN")
    target: str | None = target_option()
    task: str = task_option()
    pretrained: str | None = option(
        None, "Read texts with a published encoder: minilm.", metavar="NAME", choices=PRETRAINED
    )
    weight: str | None = weight_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_target(self, "weight")


def _is_meant(data: object, given: Mapping[str, Any]) -> bool:
    """A column of texts is named, or the data are a built-in set of labelled texts."""
    from gradatim.data import catalogue

    sets = [entry.name for entry in catalogue() if entry.task == "text"]
    return bool(given.get("text")) or (isinstance(data, str) and data in sets)


def _read(data: Any, job: TextOptions) -> "TextPlayer":
    from gradatim.fitting.texts.player import read_player

    return read_player(data, job)


def _load(description: dict[str, Any], tensors: dict[str, Any]) -> "TextModel":
    from gradatim.fitting.texts.model import TextModel

    return TextModel.from_folder(description, tensors)


TEXT = Kind(
    name="text",
    words="texts",
    title="Texts",
    options=TextOptions,
    is_meant=_is_meant,
    read=_read,
    load=_load,
)
