"""What holds the memory: the largest tensors that are alive, and losses that keep their graphs."""

import gc
from typing import Any

from torch import Tensor

LARGEST = 3


def held_tensors() -> dict[str, Any]:
    """The largest tensors that Python still holds, and how many single numbers of them keep a graph."""
    sizes: dict[str, int] = {}
    kept = 0
    for value in gc.get_objects():
        if isinstance(value, Tensor):
            kept += value.numel() == 1 and value.grad_fn is not None
            name = f"{tuple(value.shape)} of {str(value.dtype).removeprefix('torch.')}"
            sizes[name] = sizes.get(name, 0) + value.numel() * value.element_size()
    largest = sorted(sizes.items(), key=lambda pair: -pair[1])[:LARGEST]
    said = [f"{name}: {size / 2**20:,.0f} MB" for name, size in largest if size >= 2**20]
    return {"largest": ", ".join(said), "graphs": kept}
