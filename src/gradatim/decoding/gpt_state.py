"""What a GPT keeps while it writes: the text so far, and the keys and values of its window."""

import torch
from torch import Tensor

from gradatim.decoding.single_position import SinglePosition
from gradatim.models import GPT


def window_start(length: int, context: int) -> int:
    r"""First of the last tokens that a model of limited context is shown.

    A window that is full jumps ahead by half a context, :math:`s = h\lceil (n-c)/h \rceil` with
    :math:`h = \lceil c/2 \rceil`, instead of sliding by one: within a jump, positions stay where they are,
    so that cached keys and values remain valid.

    Args:
        length: Tokens so far, :math:`n`.
        context: Most tokens that the model can look at, :math:`c`.

    Example:
        >>> [window_start(n, 8) for n in (1, 8, 9, 12, 13)]
        [0, 0, 4, 4, 8]
    """
    half = -(-context // 2)
    return max(-(-(length - context) // half), 0) * half


class GPTState:
    """A batch of texts that a GPT goes on with, token by token, with or without a cache.

    Args:
        model: A :class:`GPT`, in evaluation mode.
        tokens: What comes before the first step, none or more, shape ``(B, T)``.
        num_steps: Most steps that will be asked for.
        use_cache: Whether to keep keys and values instead of computing the prefix again.

    Example:
        >>> model, tokens = GPT(5, 8, 4, 1, 1).eval(), torch.tensor([[1, 2, 3]])
        >>> for use_cache in (True, False):
        ...     state = GPTState(model, tokens[:, :2], 1, use_cache=use_cache)
        ...     torch.allclose(state.step(tokens[:, 2]), model(tokens)[:, -1], atol=1e-6)
        True
        True
    """

    def __init__(self, model: GPT, tokens: Tensor, num_steps: int, *, use_cache: bool) -> None:
        B, self.length = tokens.shape
        self.model, self.start, self.seen = model, 0, 0
        self.tokens = torch.cat((tokens, tokens.new_empty(B, num_steps)), dim=1)
        self.caches = model.new_caches(B) if use_cache else None
        self.single = SinglePosition(model) if use_cache and SinglePosition.fits(model) else None

    def step(self, last: Tensor) -> Tensor:
        """Logits ``(B, V)`` after one more token of each text, ``last`` of shape ``(B,)``."""
        self.tokens[:, self.length] = last
        self.length += 1
        start = window_start(self.length, self.model.context)
        if start != self.start:
            self.start = self.seen = start
            for cache in self.caches or ():
                cache.clear()
        new = self.tokens[:, start if self.caches is None else self.seen : self.length]
        self.seen = self.length
        return self.model.read_out(self._last_hidden(new))

    def _last_hidden(self, new: Tensor) -> Tensor:
        if self.single is not None and self.caches is not None and new.shape[1] == 1:
            return self.single(new[:, 0], self.caches)
        return self.model.features(new, caches=self.caches)[:, -1]  # (B, dim)

    def select(self, rows: Tensor) -> None:
        """Let text ``b`` go on from what text ``rows[b]`` was."""
        self.tokens = self.tokens.index_select(0, rows)
        for cache in self.caches or ():
            cache.select(rows)
