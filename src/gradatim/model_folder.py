"""The model folder: weights in ``model.safetensors``, everything else in ``model.json``; no pickle.

A folder from a stranger can be opened safely, and appears on the disk whole or not at all.
"""

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradatim.errors import InvalidValue, Unavailable, require
from gradatim.files import (
    LONGEST,
    check_path,
    is_plain,
    or_unavailable,
    own_document,
    probe_folder,
    refuse,
    report_files,
    settle,
    write_files,
)
from gradatim.hashing import check_signed, hash_bytes, hash_file, json_bytes, sign
from gradatim.versions import versions

if TYPE_CHECKING:
    import numpy as np
    from torch import Tensor

FORMAT = 2  # 1 had no fingerprints
JSON, TENSORS = "model.json", "model.safetensors"


def write_folder(folder: str | Path, files: Mapping[str, bytes]) -> Path:
    """Write ``files`` into ``folder``; of an older model there, the files that we wrote are replaced, and no other."""
    place = check_folder(folder, "save: folder")
    return write_files(place, files, ours=own_files(place))


def own_files(folder: str | Path) -> dict[str, str]:
    """Names of the files that we wrote into a model folder, each with its SHA-256 where the folder knows it.

    Args:
        folder: Any; one that holds no model of ours has none.
    """
    folder = Path(folder)
    document = own_document(folder / JSON)
    if document is None or not {"format", "kind"} <= set(document):
        return {}
    listed = document.get("files")
    if not isinstance(listed, dict):  # of the first format, which had no list
        listed = dict.fromkeys((TENSORS, "predictions.csv", *report_files(folder)), "")
    return {JSON: "", **{name: str(listed[name]) for name in listed if is_plain(name)}}


def parts_of(folder: str | Path) -> list[Path]:
    """Paths of the files of a model folder, none of which may be written while the model is read."""
    return [Path(folder) / name for name in (*own_files(folder), JSON, TENSORS)]


def check_folder(folder: str | Path, argument: str, inputs: Iterable[str | Path] = ()) -> Path:
    """Return the path of a folder that a model may be written to, found by writing; refuse what would cost a file.

    Args:
        folder: Where the model will be: new, empty or a model folder of ours, whose files nobody has changed.
        argument: Who asks and what for, such as ``"save: folder"``, for the message.
        inputs: Files and folders that are read.
    """
    check_path(folder, fault="cannot be written")
    path, real, got = Path(folder), Path(os.path.realpath(folder)), repr(str(folder))
    size = len(os.fsencode(real.name))
    require(size <= LONGEST, f"{argument} must have a name of at most {LONGEST} bytes", size, "Choose a shorter name.")  # fmt: skip
    is_dangling = path.is_symlink() and not path.exists()
    if is_dangling or real == Path.cwd() or real in Path.cwd().parents:
        refuse(f"{argument} must be a folder of its own", got)
    with or_unavailable(f"{argument.split(':')[0]}: {folder} cannot be written"):
        settle(real)
        own = own_files(real)
        if real.exists() and not own and (not real.is_dir() or any(real.iterdir())):
            refuse(f"{argument} must be new, empty or a model folder", got)
        _check_parts(real, own, f"{argument} must", got, inputs)
        for place in {real.parent, real if real.is_dir() else real.parent}:
            probe_folder(place)
    return path


def _check_parts(
    folder: Path, own: Mapping[str, str], must: str, got: str, inputs: Iterable[str | Path]
) -> None:
    """Refuse an older model folder that is read now, or one of whose files the user has changed."""
    read = {os.path.realpath(each) for each in inputs}
    for name in own:
        place = folder / name
        if {str(folder), str(place)} & read:
            refuse(f"{must} not hold what is read", f"{got} with {name!r}")
        is_there = os.path.lexists(place)
        is_same = not is_there or (not place.is_symlink() and place.is_file())
        if is_there and is_same and own[name]:
            is_same = hash_file(place) == own[name]
        if not is_same:
            refuse(f"{must} hold the files that were written", f"{got}, where {name!r} was changed")


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
    return write_folder(folder, {**files, JSON: json_bytes(sign(document))})


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
    with suppress(OSError):  # who may only read cannot finish what a killed writer left
        settle(Path(os.path.realpath(folder)))
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
