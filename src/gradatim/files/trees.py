"""Store trees of tensors without pickle."""

import json
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradatim.errors import InvalidType, InvalidValue, Unavailable
from gradatim.files.atomic import open_atomically, or_unavailable
from gradatim.hashing import check_signed, sign

if TYPE_CHECKING:
    from torch import Tensor


def pack_tree(tree: Any, tensors: "dict[str, Tensor]", key: str = "") -> Any:
    """Move every tensor of a tree of dictionaries and lists into ``tensors``; return the JSON that remains.

    Args:
        tree: Tensors, numbers, texts, lists and mappings.
        tensors: Gets the tensors, by their place.
        key: Place of the tree.
    """
    from torch import Tensor

    if isinstance(tree, Tensor):
        tensors[key] = tree.detach().cpu().contiguous().clone()
        return {"tensor": key}
    if isinstance(tree, Mapping):
        items = [[name, pack_tree(value, tensors, f"{key}.{name}")] for name, value in tree.items()]
        return {"items": items}
    if isinstance(tree, list | tuple):
        return {"list": [pack_tree(value, tensors, f"{key}.{i}") for i, value in enumerate(tree)]}
    if tree is None or isinstance(tree, bool | int | float | str):
        return {"value": tree}
    raise InvalidType(
        f"checkpoint: {key.strip('.')} must be a tensor, number, text, list or mapping, got {type(tree).__name__}."
    )


def unpack_tree(packed: Any, tensors: "Mapping[str, Tensor]") -> Any:
    """Undo :func:`pack_tree`.

    Args:
        packed: What it returned.
        tensors: What it filled.
    """
    ((kind, value),) = packed.items()
    if kind == "tensor":
        return tensors[value]
    if kind == "items":
        return {name: unpack_tree(item, tensors) for name, item in value}
    if kind == "list":
        return [unpack_tree(item, tensors) for item in value]
    return value


def _crc(tensor: "Tensor", start: int = 0) -> int:
    import torch

    # numpy knows no bfloat16, so hash the bytes
    return zlib.crc32(tensor.reshape(-1).view(torch.uint8).numpy().data, start)


def _describe(tensors: "Mapping[str, Tensor]") -> dict[str, list[Any]]:
    """Type, shape and checksum of every tensor."""
    return {name: [str(t.dtype), list(t.shape), _crc(t)] for name, t in tensors.items()}


def _checksum(tensors: "Mapping[str, Tensor]") -> int:
    """The one checksum of all tensors that files of an earlier version hold."""
    total = 0
    for name in sorted(tensors):
        total = _crc(tensors[name], zlib.crc32(name.encode(), total))
    return total


def _metadata(content: bytes) -> dict[str, str]:
    """Read the header of a safetensors file: eight bytes of length, then JSON."""
    length = int.from_bytes(content[:8], "little")
    metadata: dict[str, str] = json.loads(content[8 : 8 + length]).get("__metadata__", {})
    return metadata


def tree_kind(path: str | Path) -> str | None:
    """Return which kind of tree a file holds, read from its header alone; ``None`` for any other file.

    Args:
        path: The file.
    """
    try:
        with open(path, "rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if not 0 < length < os.path.getsize(path):
                return None
            header = json.loads(file.read(length))
        return str(json.loads(header["__metadata__"]["gradatim"])["kind"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def save_tree(path: str | Path, tree: Mapping[str, Any], *, kind: str) -> Path:
    """Store a tree of tensors and plain values as one safetensors file, atomically, with checksums of all of it.

    Args:
        path: File to write; only one of the same kind is replaced.
        tree: What to store.
        kind: What it is in a word, such as ``"checkpoint"``; it must be known to read the file.
    """
    from safetensors.torch import save

    tensors: dict[str, Tensor] = {}
    packed = pack_tree(tree, tensors)
    description = sign({"kind": kind, "tree": packed, "tensors": _describe(tensors)})
    with open_atomically(path, is_ours=lambda there: tree_kind(there) == kind) as file:
        file.write(save(tensors, {"gradatim": json.dumps(description)}))
    return Path(path)


def load_tree(path: str | Path, *, kind: str) -> dict[str, Any]:
    """Read what :func:`save_tree` wrote; a damaged or foreign file raises one clear sentence.

    Args:
        path: The file.
        kind: What it must be.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load

    path = Path(path)
    if not path.is_file():
        raise Unavailable(f"{path}: no such {kind} file.")
    try:
        with or_unavailable(f"{path}: cannot be read"):
            content = (
                path.read_bytes()
            )  # at once: a running writer may replace the file at any time
        tensors, metadata = load(content), _metadata(content)
        if "gradatim" not in metadata:
            raise InvalidValue(f"{path}: is not a {kind} of Gradatim.")
        description = json.loads(metadata["gradatim"])
        _check_tree(path, kind, description, tensors)
        tree: dict[str, Any] = unpack_tree(description["tree"], tensors)
        return tree
    except InvalidValue:
        raise
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:  # fmt: skip
        reason = str(error).splitlines()[0]
        raise InvalidValue(f"{path}: is damaged or not a {kind} of Gradatim ({reason}).") from error


def _check_tree(path: Path, kind: str, description: Any, tensors: "Mapping[str, Tensor]") -> None:
    """Raise unless tree and tensors are what was written."""
    if description["kind"] != kind:
        raise InvalidValue(f"{path}: must be a {kind}, got a {description['kind']}.")
    if "checksum" in description:  # of an earlier version, which looked at the tensors alone
        is_whole = _checksum(tensors) == description["checksum"]
    else:
        check_signed(str(path), description)
        is_whole = _describe(tensors) == description["tensors"]
    if not is_whole:
        raise InvalidValue(f"{path}: is damaged: its checksum differs. Use an older {kind}.")
