"""Pairs of sentences as a kind of data: a translator learns from them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradatim.errors import InvalidValue
from gradatim.fitting.kind import Kind, take_course
from gradatim.fitting.options import Options

if TYPE_CHECKING:
    from gradatim.fitting.translation.course import TranslationCourse
    from gradatim.fitting.translation.model import TranslationModel


@dataclass(frozen=True, kw_only=True)
class TranslationOptions(Options):
    """What may be asked for a translator: the options of every kind."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("trials", "test"):
            given = getattr(self, name)
            if given is not None and not isinstance(given, float):
                raise InvalidValue(
                    f"fit: {name} must not be {given!r} for a translator: its size follows from --budget, and its "
                    "test is a share of the sentences."
                )


def _read(data: Any, job: TranslationOptions) -> "TranslationCourse":
    from gradatim.fitting.translation.course import read_course

    return read_course(data, job)


def _load(description: dict[str, Any], tensors: dict[str, Any]) -> "TranslationModel":
    from gradatim.fitting.translation.model import TranslationModel

    return TranslationModel.from_folder(description, tensors)


TRANSLATION = Kind(
    name="translation",
    words="a translator",
    title="Translators",
    options=TranslationOptions,
    read=_read,
    load=_load,
    course=take_course,
    flag="translate",
    flag_help="DATA has a sentence, a tab and its translation a line.",
)
