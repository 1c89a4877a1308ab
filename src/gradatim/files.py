"""Write files whole or not at all, and store trees of tensors without pickle."""

import json
import os
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from gradatim.errors import InvalidType, InvalidValue, Unavailable

if TYPE_CHECKING:
    from torch import Tensor


@contextmanager
def or_unavailable(sentence: str) -> Iterator[None]:
    """Turn what the system refuses within into one sentence, with its reason.

    >>> with or_unavailable("words.txt: cannot be read"):
    ...     _ = Path(tempfile.mkdtemp(), "words.txt").read_text()
    Traceback (most recent call last):
    ...
    gradatim.errors.Unavailable: words.txt: cannot be read: No such file or directory.
    """
    try:
        yield
    except Unavailable:
        raise
    except OSError as error:
        raise Unavailable(f"{sentence}: {error.strerror or error}.") from error


@contextmanager
def open_atomically(path: str | Path, *, owner: str = "") -> Iterator[BinaryIO]:
    """Open a file to write that takes the place of ``path`` when the block ends well: readers see the old file or the new one.

    Args:
        path: File to write; its folder is made.
        owner: Who writes, to begin messages with.

    Example:
        >>> place = Path(tempfile.mkdtemp()) / "a" / "b.txt"
        >>> with open_atomically(place) as file:
        ...     _ = file.write(b"wh"), place.exists(), file.write(b"ole")
        >>> place.read_bytes()
        b'whole'
    """
    path, beside = Path(path), None
    who = f"{owner}: {path}" if owner else f"{path}:"
    try:
        with or_unavailable(f"{who} cannot be written"):
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                raise OSError("it is a folder")
            handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
            with os.fdopen(handle, "wb") as file:
                yield file
                _flush(file)
            os.chmod(beside, 0o666 & ~_umask())
            os.replace(beside, path)
    finally:
        if beside is not None and os.path.exists(beside):
            os.unlink(beside)


def write_atomically(path: str | Path, content: bytes) -> Path:
    """Write beside ``path``, flush to the disk, then rename: readers see the old file or the new one.

    >>> write_atomically(Path(tempfile.mkdtemp()) / "a" / "b.txt", b"whole").read_bytes()
    b'whole'
    """
    with open_atomically(path) as file:
        file.write(content)
    return Path(path)


def write_files(
    folder: str | Path, files: Mapping[str, bytes], *, is_replaced: bool = False
) -> Path:
    """Write ``files`` into ``folder``: none takes its place before all are on the disk.

    Args:
        folder: Where to write; it is made.
        files: Contents by name.
        is_replaced: Whether the folder is exchanged as a whole and holds nothing else afterwards; else other files stay.

    Example:
        >>> place = write_files(Path(tempfile.mkdtemp()) / "a", {"b.txt": b"b", "c.txt": b"c"})
        >>> write_files(place, {"b.txt": b"B"}) == place, sorted(path.name for path in place.iterdir())
        (True, ['b.txt', 'c.txt'])
        >>> [path.name for path in write_files(place, {"d.txt": b"d"}, is_replaced=True).iterdir()]
        ['d.txt']
    """
    folder = Path(folder)
    home = folder.parent if is_replaced else folder
    with or_unavailable(f"{folder}: cannot be written"):
        home.mkdir(parents=True, exist_ok=True)
        prefix = f".{folder.name}."
        with tempfile.TemporaryDirectory(dir=home, prefix=prefix, ignore_cleanup_errors=True) as at:
            new = Path(at) / "new"
            new.mkdir()
            for name, content in files.items():
                with open(new / name, "wb") as file:
                    file.write(content)
                    _flush(file)
            if is_replaced:
                _exchange(folder, new, Path(at) / "old")
            else:
                for name in files:
                    os.replace(new / name, folder / name)
    return folder


def _exchange(folder: Path, new: Path, old: Path) -> None:
    if folder.exists():
        os.replace(folder, old)
    try:
        os.replace(new, folder)
    except OSError:
        if old.exists():
            os.replace(old, folder)
        raise


def _flush(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def pack_tree(tree: Any, tensors: "dict[str, Tensor]", key: str = "") -> Any:
    """Move every tensor of a tree of dictionaries and lists into ``tensors``; return the JSON that remains."""
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
    """Undo :func:`pack_tree`."""
    ((kind, value),) = packed.items()
    if kind == "tensor":
        return tensors[value]
    if kind == "items":
        return {name: unpack_tree(item, tensors) for name, item in value}
    if kind == "list":
        return [unpack_tree(item, tensors) for item in value]
    return value


def _checksum(tensors: "Mapping[str, Tensor]") -> int:
    import torch

    total = 0
    for name in sorted(tensors):
        # numpy knows no bfloat16, so hash the bytes
        flat = tensors[name].reshape(-1).view(torch.uint8)
        total = zlib.crc32(flat.numpy().data, zlib.crc32(name.encode(), total))
    return total


def _metadata(content: bytes) -> dict[str, str]:
    """Read the header of a safetensors file: eight bytes of length, then JSON."""
    length = int.from_bytes(content[:8], "little")
    metadata: dict[str, str] = json.loads(content[8 : 8 + length]).get("__metadata__", {})
    return metadata


def save_tree(path: str | Path, tree: Mapping[str, Any], *, kind: str) -> Path:
    """Store a tree of tensors and plain values as one safetensors file, atomically, with a checksum."""
    from safetensors.torch import save

    tensors: dict[str, Tensor] = {}
    packed = pack_tree(tree, tensors)
    description = {"kind": kind, "tree": packed, "checksum": _checksum(tensors)}
    return write_atomically(path, save(tensors, {"gradatim": json.dumps(description)}))


def load_tree(path: str | Path, *, kind: str) -> dict[str, Any]:
    """Read what :func:`save_tree` wrote; a damaged or foreign file raises one clear sentence."""
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
        tensors = load(content)
        metadata = _metadata(content)
        if "gradatim" not in metadata:
            raise InvalidValue(f"{path}: is not a {kind} of Gradatim.")
        description = json.loads(metadata["gradatim"])
    except (SafetensorError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InvalidValue(
            f"{path}: is damaged or not a {kind} of Gradatim ({str(error).splitlines()[0]})."
        ) from error
    if description.get("kind") != kind:
        raise InvalidValue(f"{path}: must be a {kind}, got a {description.get('kind')}.")
    if _checksum(tensors) != description.get("checksum"):
        raise InvalidValue(f"{path}: is damaged: its checksum differs. Use an older {kind}.")
    tree: dict[str, Any] = unpack_tree(description["tree"], tensors)
    return tree
