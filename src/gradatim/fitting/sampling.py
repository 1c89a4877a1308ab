"""Draw from a model that ``fit --generative`` wrote, and write what was drawn."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradatim.errors import InvalidType
from gradatim.events import Tell, Warned, tell_nobody
from gradatim.files import check_path
from gradatim.fitting.loading import load_model
from gradatim.fitting.predicting import RECOMMENDED
from gradatim.model_folder import parts_of

if TYPE_CHECKING:
    from gradatim.fitting.generative.stored import StoredGenerator


def sample(
    model: Any,
    num_samples: int = 1000,
    *,
    output: str | Path | None = None,
    which: str = RECOMMENDED,
    label: str | int | None = None,
    where: Mapping[str, Any] | None = None,
    guidance: float = 0.0,
    steps: int | None = None,
    seed: int = 0,
    tell: Tell = tell_nobody,
) -> Any:
    """Draw new rows or images from a model that ``fit`` made; the same seed gives the same.

    Args:
        model: A model folder, or the model itself.
        num_samples: How many.
        output: What to write as well, whole or not at all: a table of rows, a ``.png`` with a grid of images, or a folder of
            images. What others put there is never replaced.
        which: ``"recommended"``, or a generator of the folder such as ``"network"``.
        label: Class of every sample, for a model that learned classes.
        where: Values that columns of rows must have: asked of a network that learned them, else found among rows that are drawn.
        guidance: How far to go beyond what the class asks for; samples agree better with it, and differ less.
        steps: Evaluations of a diffusion model for each sample.
        seed: Fixes all draws.
        tell: Called with a :class:`gradatim.events.Warned` for what the drawing cost.

    Returns:
        A data frame in the form of the table, every cell a text; or images, whole numbers from 0 to 255 in ``.images``, with
        ``.labels`` where they have classes.

    Example:
        >>> sample("iris-maker", 3, where={"species": "setosa"}, seed=1).shape  # doctest: +SKIP
        (3, 5)
    """
    from gradatim.fitting.generative.stored import Request

    asked = {str(name): str(value) for name, value in (where or {}).items()}
    request = Request(
        num_samples=num_samples, which=which, label=None if label is None else str(label), where=asked,
        guidance=float(guidance), steps=steps, seed=seed,
    )  # fmt: skip
    maker, notes = _open(model), list[str]()
    inputs = parts_of(model) if isinstance(model, str | Path) else []
    if output is not None:
        check_path(output, fault="cannot be written")
        maker.check(Path(output), num_samples, inputs)
    samples = maker.draw(request, notes)
    if output is not None:
        maker.write(samples, Path(output), inputs, notes)
    for note in notes:
        tell(Warned(note))
    return samples


def _open(model: Any) -> "StoredGenerator":
    from gradatim.fitting.generative.stored import StoredGenerator

    maker = load_model(model) if isinstance(model, str | Path) else model
    if not isinstance(maker, StoredGenerator):
        raise InvalidType(
            f"sample: model must be one that 'gradatim fit --generative' wrote, got a {type(maker).__name__}."
        )
    return maker
