"""Data to make more of as a kind: a table or images, learned by a generative model."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradatim.errors import InvalidValue
from gradatim.fitting.images.kind import SETS as IMAGE_SETS
from gradatim.fitting.kind import Kind
from gradatim.fitting.options import Options, option

if TYPE_CHECKING:
    from gradatim.fitting.contest import FitResult
    from gradatim.fitting.generative.medium import Medium

MODELS = ("vae", "gan", "diffusion")
SETS = ("digits", *IMAGE_SETS)  # built-in sets that are pictures here
PICTURES_PER_SECOND, LEAST_PICTURES, MOST_BYTES = 500, 1_000, 2**28  # of 32 × 32 pixels
CELLS_PER_SECOND, ROWS_PER_SECOND, LEAST_ROWS = 20_000, 500, 500  # of the budget


@dataclass(frozen=True, kw_only=True)
class GenerativeOptions(Options):
    """What may be asked for a generative model.

    Args:
        model: ``"vae"``, ``"diffusion"`` or, of images, ``"gan"``; by default the library chooses for a table, and images are
            learned by diffusion.
        target: Column of a table that the others are to predict: its classes can be asked for, and what generated rows teach
            about it is judged.
        drop: Columns of a table to leave out.
    """

    model: str | None = option(None, "vae, diffusion or, for images, gan; of a table found by held-out rows.", metavar="NAME", choices=MODELS)  # fmt: skip
    target: str | None = option(None, "Column to predict; built-in sets know it.", metavar="COLUMN")
    drop: tuple[str, ...] = option((), "Column to leave out; may be repeated.", metavar="COLUMN")

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.test, str):
            raise InvalidValue(
                f"fit: test must be a share between 0 and 1 for a generative model, got {self.test!r}. Try 0.2."
            )
        if self.trials is not None:
            raise InvalidValue(
                f"fit: trials must not be given for a generative model, got {self.trials}. Its size follows from --budget."
            )

    def most_rows(self, columns: int) -> int:
        """Rows of a table of so many columns that the budget can deal with, or that were asked for.

        Args:
            columns: Of the table.

        Example:
            >>> GenerativeOptions().most_rows(10), GenerativeOptions(rows=50).most_rows(10)
            (30000, 50)
        """
        if self.rows is not None:
            return self.rows
        cells = CELLS_PER_SECOND * max(self.budget, 1.0) / max(columns, 1)
        return max(int(min(cells, ROWS_PER_SECOND * max(self.budget, 1.0))), LEAST_ROWS)

    def most_images(self, side: int) -> int:
        """Images that the budget can deal with, or that were asked for, as far as there is room for them.

        Args:
            side: Pixels along each side.

        Example:
            >>> GenerativeOptions().most_images(32), GenerativeOptions(rows=90).most_images(32)
            (30000, 90)
        """
        room = MOST_BYTES // (3 * side * side)
        if self.rows is not None:
            return min(self.rows, room)
        wanted = int(PICTURES_PER_SECOND * max(self.budget, 1.0) * (32 / side) ** 2)
        return min(max(wanted, LEAST_PICTURES), room)


def _read(data: Any, job: GenerativeOptions) -> "Medium":
    from gradatim.fitting.generative.media import read_medium

    return read_medium(data, job)


def _load(description: dict[str, Any], tensors: dict[str, Any]) -> Any:
    from gradatim.fitting.generative.media import load_generator

    return load_generator(description, tensors)


def _course(read: Any, job: Any, **how: Any) -> "FitResult":
    from gradatim.fitting.generative import course

    return course.take_course(read, job, **how)


GENERATIVE = Kind(
    name="generative",
    words="a generative model",
    title="Generative models",
    options=GenerativeOptions,
    read=_read,
    load=_load,
    course=_course,
    flag="generative",
    flag_help="Learn to make more rows or images like these; 'gradatim sample' makes them.",
)
