"""Graphs batch by batch, as a training run takes them."""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from gradatim.data.graph_batches import GraphBatch, GraphSet
from gradatim.errors import require_seed, require_whole


class GraphStream:
    """Batches of a set of graphs, in another order in every epoch where there is a seed.

    Each is a :class:`GraphBatch`, which ``Trainer.fit`` gives to its objective as it is.

    Args:
        graphs: The graphs.
        batch_size: Graphs of a batch; the last may have fewer.
        rows: Which of the graphs; all by default.
        seed: Fixes the orders, which depend on it and on the epoch; ``None`` keeps the given one.

    Example:
        >>> from gradatim.data import Graph
        >>> stream = GraphStream(GraphSet([Graph([[float(k)]], []) for k in range(3)]), 2)
        >>> [batch.x.flatten().tolist() for batch in stream]
        [[0.0, 1.0], [2.0]]
    """

    def __init__(
        self,
        graphs: GraphSet,
        batch_size: int = 32,
        *,
        rows: Sequence[int] | Tensor | None = None,
        seed: int | None = None,
    ) -> None:
        require_whole("GraphStream", batch_size=batch_size)
        if seed is not None:
            require_seed("GraphStream", seed)
        self.graphs, self.batch_size, self.seed = graphs, batch_size, seed
        self.rows = torch.arange(len(graphs)) if rows is None else torch.as_tensor(rows)
        self.epoch = 0

    def __len__(self) -> int:
        return -(-len(self.rows) // self.batch_size)

    def set_epoch(self, epoch: int) -> None:
        """Let the next iteration have the order of an epoch.

        Args:
            epoch: Number of the epoch, from 0.
        """
        self.epoch = epoch

    def __iter__(self) -> Iterator[GraphBatch]:
        order = self.rows
        if self.seed is not None:
            generator = torch.Generator().manual_seed((self.seed * 1_000_003 + self.epoch) % 2**63)
            order = order[torch.randperm(len(order), generator=generator)]
        self.epoch += 1
        return (self.graphs[rows] for rows in order.split(self.batch_size))
