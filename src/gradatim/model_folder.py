"""The model folder: weights in ``model.safetensors``, everything else in ``model.json``; no pickle.

A folder from a stranger can be opened safely, and appears on the disk whole or not at all.
"""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradatim.errors import InvalidValue, Unavailable, require
from gradatim.files import or_unavailable, write_files
from gradatim.versions import versions

if TYPE_CHECKING:
    import numpy as np
    from torch import Tensor

FORMAT = 1


def write_folder(folder: str | Path, files: Mapping[str, bytes]) -> Path:
    """Write ``files`` into ``folder``, which is replaced as a whole; only a model folder is ever replaced."""
    return write_files(check_folder(folder, "save: folder"), files, is_replaced=True)


def check_folder(folder: str | Path, argument: str) -> Path:
    """Return the path of a folder that a model may be written to; refuse what is neither new, empty nor a model folder.

    Args:
        folder: Where the model will be; its parent is made.
        argument: Who asks and what for, such as ``"save: folder"``, for the message.
    """
    folder = Path(folder)
    is_model = (folder / "model.json").is_file()
    fits = not folder.exists() or is_model or (folder.is_dir() and not any(folder.iterdir()))
    rule = f"{argument} must be new, empty or a model folder"
    require(fits, rule, repr(str(folder)), "Choose another name.")
    with or_unavailable(f"{argument.split(':')[0]}: {folder} cannot be written"):
        folder.parent.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder.parent).close()
    return folder


def save_model(
    folder: str | Path,
    kind: str,
    description: Mapping[str, Any],
    tensors: "Mapping[str, Tensor]",
    extra: Mapping[str, bytes] | None = None,
) -> Path:
    """Write a model folder: ``description`` as JSON, ``tensors`` as safetensors, ``extra`` files as they are."""
    from safetensors.torch import save

    document = {"format": FORMAT, "kind": kind, "versions": versions(), **description}
    whole = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
    files = {
        "model.json": json.dumps(document, indent=2, ensure_ascii=False).encode(),
        "model.safetensors": save(whole),
    }
    return write_folder(folder, files | dict(extra or {}))


def gather_tensors(parts: "Mapping[str, Mapping[str, Tensor]]") -> "dict[str, Tensor]":
    """Put the tensors of several parts into one dictionary, as ``part/name``."""
    return {f"{part}/{name}": t for part, own in parts.items() for name, t in own.items()}


def tensors_of(part: str, tensors: "Mapping[str, Tensor]") -> "dict[str, Tensor]":
    """Take the tensors of one part out of what :func:`gather_tensors` gives.

    Example:
        >>> tensors_of("b", gather_tensors({"a": {"x": 1}, "b": {"x": 2, "y": 3}}))
        {'x': 2, 'y': 3}
    """
    prefix = f"{part}/"
    return {k.removeprefix(prefix): t for k, t in tensors.items() if k.startswith(prefix)}


def tensors_from(arrays: "Mapping[str, np.ndarray]") -> "dict[str, Tensor]":
    """Arrays as tensors."""
    import numpy as np
    import torch

    return {key: torch.from_numpy(np.ascontiguousarray(a)) for key, a in arrays.items()}


def read_model(folder: str | Path) -> "tuple[dict[str, Any], dict[str, Tensor]]":
    """Read description and tensors of a model folder; a damaged one raises one clear sentence."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    folder = Path(folder)
    if not (folder / "model.json").is_file():
        raise Unavailable(
            f"load_model: {str(folder)!r} is not a model folder: it has no model.json."
        )
    try:
        with or_unavailable(f"load_model: {str(folder)!r} cannot be read"):
            description = json.loads((folder / "model.json").read_text(encoding="utf-8"))
            if not isinstance(description, dict) or description.get("format") != FORMAT:
                raise InvalidValue(
                    f"load_model: {str(folder)!r} must have format {FORMAT}. Save it again with this version."
                )
            return description, load_file(folder / "model.safetensors")
    except InvalidValue:
        raise
    except (ValueError, SafetensorError) as error:
        reason = str(error).splitlines()[0]
        raise InvalidValue(f"load_model: {str(folder)!r} is damaged ({reason}).") from error
