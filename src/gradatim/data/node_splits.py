"""Which nodes of a graph are learned from, chosen on and judged."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require, require_seed, require_whole


@takes_arrays
def node_split(
    y: Tensor, *, per_class: int = 20, validation: int = 500, test: int = 1000, seed: int = 0
) -> tuple[Tensor, Tensor, Tensor]:
    """Draw a few labelled nodes of every class, and others to choose and to judge by.

    Args:
        y: Class of every node, from 0; a negative one is unknown and in no part.
        per_class: Nodes of each class that are learned from.
        validation: Nodes that settings are chosen on.
        test: Nodes that are judged.
        seed: Fixes the draw.

    Returns:
        Numbers of the nodes of the three parts, none in two of them.

    Example:
        >>> [len(part) for part in node_split([0, 0, 1, 1, 1], per_class=1, validation=1, test=2)]
        [2, 1, 2]
    """
    require_seed("node_split", seed)
    require_whole("node_split", per_class=per_class)
    require(min(validation, test) >= 0, "node_split: validation and test must be at least 0", f"{validation} and {test}")  # fmt: skip
    order = torch.randperm(len(y), generator=torch.Generator().manual_seed(seed)).to(y.device)
    order = order[y[order] >= 0]
    labels = y[order].long()
    sizes = torch.bincount(labels)
    few = int(sizes[sizes > 0].min()) if len(sizes) else 0
    require(few >= per_class, "node_split: per_class must be at most the size of the smallest class", f"{per_class} of {few}")  # fmt: skip
    grouped = torch.argsort(labels, stable=True)  # class by class, in the drawn order
    rank = torch.empty_like(grouped)
    rank[grouped] = torch.arange(len(order), device=y.device) - (sizes.cumsum(0) - sizes)[labels[grouped]]  # fmt: skip
    is_first = rank < per_class
    train, rest = order[is_first], order[~is_first]
    enough = len(rest) >= validation + test
    require(enough, f"node_split: validation and test must be at most {len(rest)} nodes together", f"{validation} and {test}")  # fmt: skip
    return train.sort().values, rest[:validation].sort().values, rest[validation : validation + test].sort().values  # fmt: skip
