"""Windows of a long sequence of tokens, which need not fit into memory."""

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue, require


class TokenWindows:
    r"""Batches of inputs :math:`x_t\dots x_{t+T-1}` and targets :math:`x_{t+1}\dots x_{t+T}`.

    With a seed, an epoch draws its windows' places anew, from the seed and the epoch alone, as training
    wants it. Without one, windows follow each other and every token but the first is a target once, as
    evaluation wants it; the last, incomplete window is left out.

    Args:
        tokens: Token numbers, shape ``(N,)``: a tensor, an array or a memory-mapped file, which is read
            only where a window lies.
        context: :math:`T`.
        batch_size: Windows of a batch.
        num_batches: Batches of an epoch; by default as many as cover all tokens once, which is also the
            most that windows in order have.
        seed: Fixes the places; ``None`` for windows in order.

    Example:
        >>> x, y = next(iter(TokenWindows(torch.arange(9), 3, batch_size=2, seed=None)))
        >>> x.tolist(), y.tolist()
        ([[0, 1, 2], [3, 4, 5]], [[1, 2, 3], [4, 5, 6]])
    """

    @takes_arrays
    def __init__(
        self,
        tokens: Tensor | np.ndarray,
        context: int,
        *,
        batch_size: int,
        num_batches: int | None = None,
        seed: int | None = 0,
    ) -> None:
        if min(context, batch_size, 1 if num_batches is None else num_batches) < 1:
            raise InvalidValue(
                "TokenWindows: context, batch_size and num_batches must be at least 1, "
                f"got {context}, {batch_size} and {num_batches}."
            )
        shape = f"shape {tuple(tokens.shape)}"
        require(tokens.ndim == 1, "TokenWindows: tokens must be one row of numbers", shape)
        if len(tokens) <= context:
            raise InvalidValue(
                f"TokenWindows: tokens must be more than context={context}, got {len(tokens)}. "
                "Take a longer text or a smaller context."
            )
        self.tokens = tokens.numpy() if isinstance(tokens, Tensor) else tokens
        self.context, self.batch_size, self.seed, self.epoch = context, batch_size, seed, 0
        self.num_windows = (len(tokens) - 1) // context
        every = -(-self.num_windows // batch_size)
        self.num_batches = num_batches or every
        if seed is None:
            self.num_batches = min(self.num_batches, every)

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch whose windows come next."""
        self.epoch = epoch

    def __len__(self) -> int:
        return self.num_batches

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        span = np.arange(self.context + 1)
        for starts in self._starts():
            windows = torch.from_numpy(self.tokens[starts[:, None] + span].astype(np.int64))
            yield windows[:, :-1], windows[:, 1:]  # (B, T) each

    def _starts(self) -> Iterator[np.ndarray]:
        if self.seed is None:
            every = np.arange(self.num_windows) * self.context
            for batch in range(self.num_batches):
                yield every[batch * self.batch_size : (batch + 1) * self.batch_size]
            return
        draw = np.random.default_rng([self.seed, self.epoch])
        for _ in range(self.num_batches):
            yield draw.integers(0, len(self.tokens) - self.context, self.batch_size)
