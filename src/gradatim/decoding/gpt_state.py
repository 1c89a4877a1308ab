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


class NextToken:
    """Logits of the token after a growing batch of sequences, with or without a cache.

    Args:
        model: A :class:`GPT`.
        batch_size: Sequences.
        use_cache: Whether to keep keys and values instead of computing the prefix again.

    Example:
        >>> model = GPT(5, 8, 4, 1, 1).eval()
        >>> tokens = torch.tensor([[1, 2, 3]])
        >>> cached, plain = NextToken(model, 1, use_cache=True), NextToken(model, 1, use_cache=False)
        >>> torch.allclose(cached(tokens), plain(tokens), atol=1e-6)
        True
    """

    def __init__(self, model: GPT, batch_size: int, *, use_cache: bool) -> None:
        self.model, self.start, self.seen = model, 0, 0
        self.caches = model.new_caches(batch_size) if use_cache else None
        self.single = SinglePosition(model) if use_cache and SinglePosition.fits(model) else None

    def __call__(self, tokens: Tensor) -> Tensor:
        """Logits ``(B, V)`` after ``tokens``, ``(B, n)``, which extend those of the last call."""
        length = tokens.shape[1]
        start = window_start(length, self.model.context)
        if start != self.start:
            self.start = self.seen = start
            for cache in self.caches or ():
                cache.clear()
        new = tokens[:, start if self.caches is None else self.seen : length]
        self.seen = length
        return self.model.read_out(self._last_hidden(new))

    def _last_hidden(self, new: Tensor) -> Tensor:
        if self.single is not None and self.caches is not None and new.shape[1] == 1:
            return self.single(new[:, 0], self.caches)
        return self.model.features(new, caches=self.caches)[:, -1]  # (B, dim)

    def select(self, rows: Tensor) -> None:
        """Let sequence ``b`` go on from what sequence ``rows[b]`` was."""
        for cache in self.caches or ():
            cache.select(rows)


class GPTState:
    """A text that a GPT goes on with, token by token.

    Args:
        model: A :class:`GPT`.
        tokens: What comes before the first step, none or more, shape ``(B, T)``.
        num_steps: Most steps that will be asked for.
        use_cache: As in :class:`NextToken`.

    Example:
        >>> model = GPT(5, 8, 4, 1, 1).eval()
        >>> state = GPTState(model, torch.tensor([[1, 2]]), 1, use_cache=True)
        >>> torch.allclose(state.step(torch.tensor([3])), model(torch.tensor([[1, 2, 3]]))[:, -1], atol=1e-6)
        True
    """

    def __init__(self, model: GPT, tokens: Tensor, num_steps: int, *, use_cache: bool) -> None:
        B, self.length = tokens.shape
        self.tokens = torch.cat((tokens, tokens.new_empty(B, num_steps)), dim=1)
        self.next_token = NextToken(model, B, use_cache=use_cache)

    def step(self, last: Tensor) -> Tensor:
        """Logits ``(B, V)`` after one more token of each sequence, ``last`` of shape ``(B,)``."""
        self.tokens[:, self.length] = last
        self.length += 1
        return self.next_token(self.tokens[:, : self.length])

    def select(self, rows: Tensor) -> None:
        """Let sequence ``b`` go on from what sequence ``rows[b]`` was."""
        self.tokens = self.tokens.index_select(0, rows)
        self.next_token.select(rows)
