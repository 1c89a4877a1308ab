"""Memory of an attention layer for generation: what was projected once is not projected again."""

from typing import NamedTuple

from torch import Tensor

from gradatim.errors import InvalidValue


class KeysValues(NamedTuple):
    """Projected keys and values.

    Args:
        key: Shape ``(B, num_heads, S, head_dim)``.
        value: Shape ``(B, num_heads, S, head_dim)``.
    """

    key: Tensor
    value: Tensor


class KeyValueCache:
    r"""Keys and values of the positions so far, in buffers allocated once.

    Position :math:`t` needs the keys and values of all positions before it, which do not change.
    Keeping them makes a step cost :math:`O(t d + d^2)` instead of the :math:`O(t^2 d + t d^2)` of
    computing the whole prefix again. It stands beside the layers because attention itself fills and reads
    it; :mod:`gradatim.decoding` decides when.

    Args:
        batch_size: Sequences, :math:`B`.
        num_heads: Heads of the layer.
        capacity: Most positions it can hold.
        head_dim: Width of a head.
        like: A tensor whose type and device the buffers take, such as the layer's weight.

    Example:
        >>> import torch
        >>> cache = KeyValueCache(1, 2, 8, 4, like=torch.zeros(()))
        >>> key, value = cache.extend(torch.ones(1, 2, 3, 4), torch.ones(1, 2, 3, 4))
        >>> key.shape, cache.length
        (torch.Size([1, 2, 3, 4]), 3)
    """

    def __init__(
        self, batch_size: int, num_heads: int, capacity: int, head_dim: int, *, like: Tensor
    ) -> None:
        shape = (batch_size, num_heads, capacity, head_dim)
        self.key, self.value = like.new_empty(shape), like.new_empty(shape)
        self.capacity, self.length = capacity, 0

    def extend(self, key: Tensor, value: Tensor) -> KeysValues:
        """Append positions, and return all so far as views of the buffers."""
        start, end = self.length, self.length + key.shape[2]
        if end > self.capacity:
            raise InvalidValue(
                f"KeyValueCache: positions must fit its capacity of {self.capacity}, "
                f"got {end}. Make it larger or clear it."
            )
        self.key.narrow(2, start, key.shape[2]).copy_(key)
        self.value.narrow(2, start, key.shape[2]).copy_(value)
        self.length = end
        return KeysValues(self.key.narrow(2, 0, end), self.value.narrow(2, 0, end))

    def select(self, rows: Tensor) -> None:
        """Let sequence ``b`` go on from what sequence ``rows[b]`` was; there may be more or fewer then."""
        held, length = (self.key, self.value), self.length
        if len(rows) != len(self.key):
            shape = (len(rows), *self.key.shape[1:])
            self.key, self.value = self.key.new_empty(shape), self.value.new_empty(shape)
        for buffer, old in zip((self.key, self.value), held, strict=True):
            buffer[:, :, :length] = old[:, :, :length].index_select(0, rows)

    def clear(self) -> None:
        """Forget all positions; the buffers stay."""
        self.length = 0
