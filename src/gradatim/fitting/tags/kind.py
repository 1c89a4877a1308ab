"""Sentences whose words have tags, as a kind of data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradatim.fitting.kind import Kind
from gradatim.fitting.options import ContestOptions, option
from gradatim.fitting.texts.kind import PRETRAINED

if TYPE_CHECKING:
    from gradatim.fitting.tags.model import TagModel
    from gradatim.fitting.tags.player import TagPlayer


@dataclass(frozen=True, kw_only=True)
class TagOptions(ContestOptions):
    """What may be asked for tagged sentences.

    Args:
        word_column: Column of the word, from 1, where a line holds columns.
        tag_column: Column of the tag, from 1.
        pretrained: Published encoder that reads the sentences: ``"minilm"``.
    """

    word_column: int | None = option(None, "Column of the word, from 1, in lines of columns.", metavar="NUMBER", shown="the first")  # fmt: skip
    tag_column: int | None = option(None, "Column of the tag, from 1.", metavar="NUMBER", shown="the last")  # fmt: skip
    pretrained: str | None = option(
        None, "Read texts with a published encoder: minilm.", metavar="NAME", choices=PRETRAINED
    )


def _is_meant(data: object, given: Mapping[str, Any]) -> bool:
    """A column of words or tags is named, or the data are a built-in set of tagged sentences."""
    from gradatim.data import catalogue

    sets = [entry.name for entry in catalogue() if entry.task == "tagging"]
    named = any(given.get(name) is not None for name in ("word_column", "tag_column"))
    return named or (isinstance(data, str) and data in sets)


def _read(data: Any, job: TagOptions) -> "TagPlayer":
    from gradatim.fitting.tags.player import read_player

    return read_player(data, job)


def _load(description: dict[str, Any], tensors: dict[str, Any]) -> "TagModel":
    from gradatim.fitting.tags.model import TagModel

    return TagModel.from_folder(description, tensors)


TAG = Kind(
    name="tag",
    words="tagged sentences",
    title="Tagged sentences",
    options=TagOptions,
    is_meant=_is_meant,
    read=_read,
    load=_load,
    flag="tag",
    flag_help="DATA has a word and its tag a line (CoNLL), or lines such as The/at dog/nn.",
)
