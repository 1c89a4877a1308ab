"""The network of a model folder as the teacher of another one."""

from pathlib import Path

from gradatim.errors import InvalidValue
from gradatim.fitting.images.model import ImageModel
from gradatim.fitting.images.networks import ImageNetwork
from gradatim.fitting.images.problem import ImageProblem
from gradatim.fitting.loading import load_model
from gradatim.fitting.player import NETWORK


def read_teacher(folder: str | Path, problem: ImageProblem) -> ImageNetwork:
    """Load the network of a model folder; it must know the same classes and see pictures of the same shape.

    Args:
        folder: What ``gradatim fit`` wrote for images.
        problem: The images that its student will learn from.
    """
    model = load_model(folder)
    if not isinstance(model, ImageModel) or NETWORK not in model.models:
        raise InvalidValue(
            f"fit: teacher must be a model folder with a network for images, got {str(folder)!r}."
        )
    shape = (model.side, model.side, model.channels)
    if list(model.labels) != list(problem.labels):
        raise InvalidValue(
            f"fit: teacher must know the classes {_listed(problem.labels)}, got {_listed(model.labels)} in {str(folder)!r}."
        )
    if shape != problem.images.shape[1:]:
        wanted = " × ".join(map(str, problem.images.shape[1:]))
        raise InvalidValue(
            f"fit: teacher must see pictures of {wanted}, got {' × '.join(map(str, shape))} in {str(folder)!r}."
        )
    network = model.models[NETWORK]
    assert isinstance(network, ImageNetwork)
    return network


def _listed(labels: list[str | int]) -> str:
    return ", ".join(map(str, labels[:5])) + (", …" if len(labels) > 5 else "")
