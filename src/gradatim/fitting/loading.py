"""Open a model folder, whatever it holds."""

from pathlib import Path
from typing import Any

from gradatim.errors import GradatimError, InvalidValue, choose
from gradatim.files import check_path
from gradatim.fitting.kinds import KINDS
from gradatim.model_folder import read_model
from gradatim.wording import shorten

# what code raises that is given other plain data than it wrote
DAMAGES = (ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError)  # fmt: skip


def load_model(folder: str | Path) -> Any:
    """Load whatever a model folder holds, ready to predict.

    Args:
        folder: A folder written by ``save`` or by ``gradatim fit``.

    Returns:
        The fitted model, of the class that was saved.
    """
    check_path(folder)
    description, tensors = read_model(folder)
    loaders = {"estimator": _estimator} | {kind.name: kind.load for kind in KINDS.values()}
    load = loaders[choose("load_model", "kind", description.get("kind"), loaders)]
    try:
        return load(description, tensors)
    except GradatimError:
        raise
    except DAMAGES as error:
        reason = shorten(" ".join(repr(error).split()), 200)
        raise InvalidValue(f"load_model: {str(folder)!r} is damaged ({reason}).") from error


def _estimator(description: dict[str, Any], tensors: dict[str, Any]) -> Any:
    from gradatim.estimators.restoring import from_folder

    return from_folder(description, tensors)
