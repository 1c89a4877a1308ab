"""The model folder: weights in ``model.safetensors``, everything else in ``model.json``; no pickle.

A folder from a stranger can be opened safely, and appears on the disk whole or not at all.
"""

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradatim.errors import InvalidValue, Unavailable, require
from gradatim.files import LONGEST, check_path, or_unavailable, write_files
from gradatim.hashing import check_signed, hash_bytes, hash_file, json_bytes, sign
from gradatim.versions import versions

if TYPE_CHECKING:
    import numpy as np
    from torch import Tensor

FORMAT = 2  # 1 had no fingerprints
JSON, TENSORS = "model.json", "model.safetensors"


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
    size = len(os.fsencode(folder.name))
    require(size <= LONGEST, f"{argument} must have a name of at most {LONGEST} bytes", size, "Choose a shorter name.")  # fmt: skip
    check_path(folder, fault="cannot be written")
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
    """Write a model folder: ``description`` as JSON, ``tensors`` as safetensors, ``extra`` files as they are.

    ``model.json`` holds the SHA-256 of every file, and of what it says itself.
    """
    from safetensors.torch import save

    whole = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
    files = {TENSORS: save(whole), **(extra or {})}
    document = {
        "format": FORMAT,
        "kind": kind,
        "versions": versions(),
        **description,
        "files": {name: hash_bytes(content) for name, content in files.items()},
    }
    return write_folder(folder, {JSON: json_bytes(sign(document)), **files})


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
    """Read description and tensors of a model folder; a damaged one raises one clear sentence.

    Args:
        folder: What :func:`save_model` wrote, in this version or an earlier one.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    folder, name = Path(folder), repr(str(folder))
    if not (folder / JSON).is_file():
        raise Unavailable(f"load_model: {name} is not a model folder: it has no {JSON}.")
    try:
        with or_unavailable(f"load_model: {name} cannot be read"):
            description = _check_format(folder, json.loads((folder / JSON).read_bytes()))
            return description, load_file(folder / TENSORS)
    except InvalidValue:
        raise
    except (ValueError, RecursionError, SafetensorError) as error:
        reason = str(error).splitlines()[0]
        raise InvalidValue(f"load_model: {name} is damaged ({reason}).") from error


def _check_format(folder: Path, description: Any) -> dict[str, Any]:
    """Raise unless a folder is of a known format and its parts are those that were written."""
    name = repr(str(folder))
    found = description.get("format") if isinstance(description, dict) else None
    if found not in (1, FORMAT) or isinstance(found, bool):
        raise InvalidValue(
            f"load_model: {name} must have format 1 or {FORMAT}, got {found!r}. Save it again with this version."
        )
    if not (folder / TENSORS).is_file():
        raise Unavailable(f"load_model: {name} is not whole: it has no {TENSORS}.")
    if found == 1:
        return dict(description)
    check_signed(f"load_model: {str(folder / JSON)!r}", description)
    if hash_file(folder / TENSORS) != description["files"][TENSORS]:
        raise InvalidValue(
            f"load_model: {name} is damaged ({TENSORS} is not the file that was written with {JSON})."
        )
    return dict(description)
