"""The file of a run: from it a killed run goes on to the same draws."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from gradatim.errors import InvalidValue
from gradatim.files import check_output, load_tree, save_tree, sweep, tree_kind

KIND = "sampling run"


def check_file(path: str | Path) -> Path:
    """Refuse a file that is no run before anything is drawn, and sweep what a killed writer left beside it."""
    place = check_output(path, "sample: checkpoint", is_ours=lambda p: tree_kind(p) == KIND)
    sweep(place.parent, place.name)
    return place


def save_run(path: Path, identity: Mapping[str, Any], state: Mapping[str, Any]) -> None:
    """Write where a run is, whole or not at all."""
    save_tree(path, {"identity": identity, **state}, kind=KIND)


def load_run(path: Path, identity: Mapping[str, Any]) -> dict[str, Any] | None:
    """Read where the run of this identity was; ``None`` where there is no file yet."""
    if not path.exists() or not path.stat().st_size:
        return None
    found = load_tree(path, kind=KIND)
    others = found.pop("identity")
    differing = [name for name in identity if not _is_same(identity[name], others.get(name))]
    if differing:
        raise InvalidValue(
            f"sample: checkpoint must be of this run, got one with another {' and '.join(differing)} in {str(path)!r}. "
            "Give another file, or remove this one."
        )
    return found


def _is_same(own: Any, other: Any) -> bool:
    if isinstance(own, Tensor) and isinstance(other, Tensor):
        return own.shape == other.shape and torch.allclose(own.cpu(), other.to(own.dtype))
    return bool(own == other) if not isinstance(own, Tensor | type(None)) else own is other
