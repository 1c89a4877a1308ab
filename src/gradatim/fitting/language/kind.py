"""A long text as a kind of data: a language model learns to go on with it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradatim.errors import InvalidValue
from gradatim.fitting.kind import Kind, take_course
from gradatim.fitting.options import Options, option

if TYPE_CHECKING:
    from gradatim.fitting.language.course import LanguageCourse
    from gradatim.fitting.language.model import LanguageModel

TOKENIZERS = ("character", "byte", "byte-pair")


@dataclass(frozen=True, kw_only=True)
class LanguageOptions(Options):
    """What may be asked for a language model.

    Args:
        tokenizer: How a text is cut: ``"character"``, ``"byte"`` or ``"byte-pair"``; found from the text by default.
    """

    tokenizer: str | None = option(
        None, "How the text is cut: character, byte or byte-pair.", metavar="NAME", choices=TOKENIZERS
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.test, str):
            raise InvalidValue(
                f"fit: test must be a share between 0 and 1 for a language model, got {self.test!r}. Try 0.2."
            )
        if self.trials is not None:
            raise InvalidValue(
                f"fit: trials must not be given for a language model, got {self.trials}. "
                "Its size follows from --budget."
            )


def _read(data: Any, job: LanguageOptions) -> "LanguageCourse":
    from gradatim.fitting.language.course import read_course

    return read_course(data, job)


def _load(description: dict[str, Any], tensors: dict[str, Any]) -> "LanguageModel":
    from gradatim.fitting.language.model import LanguageModel

    return LanguageModel.from_folder(description, tensors)


LANGUAGE = Kind(
    name="language",
    words="a language model",
    title="Language models",
    options=LanguageOptions,
    read=_read,
    load=_load,
    course=take_course,
    flag="language_model",
    flag_help="DATA is a text; train a network that goes on with it.",
)
