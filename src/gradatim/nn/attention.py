"""Attention: every position takes from every other what it asks for."""

import math
from collections.abc import Callable

import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue, require_whole
from gradatim.hidden_values import is_transformed
from gradatim.nn.initialization import initialize
from gradatim.nn.key_value_cache import KeysValues, KeyValueCache
from gradatim.nn.masks import causal_mask, check_mask
from gradatim.nn.plain_path import differentiable_twice
from gradatim.nn.rotary import Rotary
from gradatim.nn.stable import softmax
from gradatim.nn.windowed_attention import attend_in_blocks, window_mask


@takes_arrays
def attention_weights(query: Tensor, key: Tensor, *, mask: Tensor | None = None) -> Tensor:
    r"""How much every query attends to every key.

    .. math:: A = \operatorname{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right)

    Rows of :math:`A` are non-negative and sum to one; a row that may see nothing is zero. For
    independent standard normal entries a product :math:`q^\top k` has variance :math:`d_k`, and the
    root brings it back to one. The scores :math:`QK^\top` have rank at most :math:`d_k`; the softmax
    may raise it.

    Args:
        query: :math:`Q`, shape ``(..., T, d_k)``.
        key: :math:`K`, shape ``(..., S, d_k)``.
        mask: **True where a query may see a key**, broadcastable to ``(..., T, S)``: the opposite of
            ``nn.MultiheadAttention``'s masks, for which there is :func:`~gradatim.nn.mask_from_pytorch`.

    Returns:
        :math:`A`, shape ``(..., T, S)``.

    Example:
        >>> import torch
        >>> attention_weights(torch.zeros(1, 4), torch.randn(2, 4))
        tensor([[0.5000, 0.5000]])

    Reference:
        Vaswani et al., Attention Is All You Need, 2017, eq. 1.
    """
    if mask is not None:
        check_mask("attention_weights", mask, query, key)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])  # (..., T, S)
    return softmax(scores, mask=None if mask is None else mask.expand_as(scores))


@takes_arrays
def attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    mask: Tensor | None = None,
    is_causal: bool = False,
    window: int | None = None,
    dropout: float = 0.0,
) -> Tensor:
    r"""Scaled dot-product attention, by PyTorch's fused kernel.

    .. math:: \operatorname{attend}(Q,K,V) = \operatorname{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right)V

    Args:
        query: :math:`Q`, shape ``(..., T, d_k)``.
        key: :math:`K`, shape ``(..., S, d_k)``.
        value: :math:`V`, shape ``(..., S, d_v)``.
        mask: **True where a query may see a key**, broadcastable to ``(..., T, S)``: the opposite of
            ``nn.MultiheadAttention``'s masks, for which there is :func:`~gradatim.nn.mask_from_pytorch`.
        is_causal: Whether :func:`~gradatim.nn.causal_mask` applies too; the last query sees the last key.
        window: Whether :func:`~gradatim.nn.window_mask` of this size applies too: :math:`w` keys a causal query, else
            :math:`2w-1`. Without ``mask``, and with as many keys as queries, the cost is then :math:`O(Twd)`, not
            :math:`O(T^2d)`.
        dropout: Probability to drop a weight.

    Returns:
        One average of values per query, shape ``(..., T, d_v)``; zero where a query may see nothing.

    Example:
        >>> import torch
        >>> attend(torch.zeros(1, 4), torch.randn(2, 4), torch.tensor([[1.0], [3.0]]))
        tensor([[2.]])

    Reference:
        Vaswani et al., Attention Is All You Need, 2017, eq. 1.
    """
    if mask is not None:
        check_mask("attend", mask, query, key)
    T, S = query.shape[-2], key.shape[-2]
    if window is not None:
        require_whole("attend", window=window)
        if mask is None and T == S and window < T:
            return attend_in_blocks(
                attend, query, key, value, window=window, is_causal=is_causal, dropout=dropout
            )
        if window < S:
            near = window_mask(T, S, window=window, is_causal=is_causal, device=query.device)
            mask = near if mask is None else mask & near
    is_square = is_causal and mask is None and bool(T == S)  # the kernel's own causal mask
    if is_causal and T > 1 and not is_square:  # a single query, the last, sees every key
        causal = causal_mask(T, S, device=query.device)
        mask = causal if mask is None else mask & causal

    def plain(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        whole = causal_mask(T, device=query.device) if is_square else mask
        return F.dropout(attention_weights(query, key, mask=whole), dropout) @ value

    if is_transformed():
        return plain(query, key, value)
    result = F.scaled_dot_product_attention(
        query, key, value, attn_mask=mask, dropout_p=dropout, is_causal=is_square
    )
    if dropout:  # the plain formula would draw other weights to drop
        return result
    return differentiable_twice(result, "ScaledDotProduct", plain, (query, key, value))


class MultiHeadAttention(nn.Module):
    r"""Several attentions side by side, each in a subspace of its own.

    .. math::
        \operatorname{head}_i = \operatorname{attend}(XW^Q_i, MW^K_i, MW^V_i), \qquad
        Y = [\operatorname{head}_1,\dots,\operatorname{head}_h]\,W^O

    with :math:`d_k=d_v=d/h`. Without ``memory``, :math:`M=X`: self-attention. With it, queries come from
    one sequence, keys and values from another: cross-attention. Without ``mask``, ``is_causal`` and
    ``is_rotary`` it does not know about order: permuting :math:`X` permutes :math:`Y`.

    Args:
        dim: :math:`d`, width of both sequences and of the output.
        num_heads: :math:`h`, which must divide ``dim``.
        dropout: Probability to drop an attention weight in training.
        is_causal: Whether a position sees only itself and what came before.
        is_rotary: Whether queries and keys are turned by their positions; see :class:`Rotary`.
        window: How far a position sees; see :func:`attend`. As far as the sequence goes by default.

    Example:
        >>> import torch
        >>> layer = MultiHeadAttention(8, 2)
        >>> layer(torch.randn(3, 5, 8)).shape, layer(torch.randn(3, 5, 8), torch.randn(3, 7, 8)).shape
        (torch.Size([3, 5, 8]), torch.Size([3, 5, 8]))

    Reference:
        Vaswani et al., Attention Is All You Need, 2017, section 3.2.2. Projections start at variance
        :math:`1/d`, so that scores of standardized inputs start at variance one.
    """

    def __init__(
        self,
        dim: int,
        num_heads: int,
        *,
        dropout: float = 0.0,
        is_causal: bool = False,
        is_rotary: bool = False,
        window: int | None = None,
    ) -> None:
        super().__init__()
        if dim < 1 or num_heads < 1 or dim % num_heads:
            divisors = (h for h in range(1, dim + 1) if dim % h == 0)
            near = min(divisors, default=1, key=lambda h: abs(h - num_heads))
            raise InvalidValue(
                f"MultiHeadAttention: dim must be divisible by num_heads, got dim={dim}, "
                f"num_heads={num_heads}. Try num_heads={near}."
            )
        if not 0.0 <= dropout < 1.0:
            raise InvalidValue(
                f"MultiHeadAttention: dropout must be in [0, 1), got {dropout}. Try dropout=0.1."
            )
        self.dim, self.num_heads, self.dropout = dim, num_heads, dropout
        if window is not None:
            require_whole("MultiHeadAttention", window=window)
        self.is_causal, self.is_rotary, self.window = is_causal, is_rotary, window
        self.project = nn.Linear(dim, 3 * dim)  # W^Q, W^K and W^V of all heads, one product
        self.merge = nn.Linear(dim, dim)
        self.rotary = Rotary(dim // num_heads) if is_rotary else None
        self.observer: Callable[[Tensor], None] | None = (
            None  # is shown the weights, if there is one
        )
        initialize(self, "lecun")

    @takes_arrays
    def forward(
        self,
        x: Tensor,
        memory: Tensor | KeysValues | None = None,
        *,
        mask: Tensor | None = None,
        cache: KeyValueCache | None = None,
    ) -> Tensor:
        """Attend.

        Args:
            x: Queries' sequence, shape ``(B, T, dim)``.
            memory: The other sequence, shape ``(B, S, dim)``, or what :meth:`remember` made of it; ``x``
                itself by default.
            mask: **True where a query may see a key**, broadcastable to ``(B, num_heads, T, S)``: the
                opposite of ``nn.MultiheadAttention``'s masks; see :func:`~gradatim.nn.mask_from_pytorch`.
            cache: Keys and values of earlier positions, which ``x`` continues and extends.

        Returns:
            Shape ``(B, T, dim)``.
        """
        query, key, value = self._projections(x, memory, cache)
        if self.observer is not None:
            self.observer(attention_weights(query, key, mask=self._whole_mask(query, key, mask)))
        dropout = self.dropout if self.training else 0.0
        heads = attend(
            query,
            key,
            value,
            mask=mask,
            is_causal=self.is_causal,
            window=self.window,
            dropout=dropout,
        )
        return self.merge(heads.transpose(1, 2).flatten(2))  # (B, T, dim)

    def remember(self, memory: Tensor) -> KeysValues:
        """Project a memory once, for many calls: keys and values, ``(B, num_heads, S, head_dim)`` each."""
        weight, bias = self.project.weight[self.dim :], self.project.bias[self.dim :]
        key, value = self._split(F.linear(memory, weight, bias))
        return KeysValues(key, value)

    def _projections(
        self, x: Tensor, memory: Tensor | KeysValues | None, cache: KeyValueCache | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        if memory is not None:
            query = F.linear(x, self.project.weight[: self.dim], self.project.bias[: self.dim])
            key, value = memory if isinstance(memory, KeysValues) else self.remember(memory)
            return self._split(query)[0], key, value
        query, key, value = self._split(self.project(x))
        if self.rotary is not None:
            start = 0 if cache is None else cache.length
            query, key = self.rotary(query, start), self.rotary(key, start)
        return (query, key, value) if cache is None else (query, *cache.extend(key, value))

    def _split(self, projected: Tensor) -> tuple[Tensor, ...]:
        shape = (*projected.shape[:2], self.num_heads, self.dim // self.num_heads)
        parts = projected.split(self.dim, dim=-1)
        return tuple(
            part.view(shape).transpose(1, 2) for part in parts
        )  # (B, num_heads, T, head_dim)

    def _whole_mask(self, query: Tensor, key: Tensor, mask: Tensor | None) -> Tensor | None:
        T, S, device = query.shape[-2], key.shape[-2], query.device
        if self.window is not None:
            near = window_mask(T, S, window=self.window, is_causal=self.is_causal, device=device)
        elif self.is_causal:
            near = causal_mask(T, S, device=device)
        else:
            return mask
        return near if mask is None else mask & near

    def extra_repr(self) -> str:
        seen = "" if self.window is None else f", window={self.window}"
        return f"num_heads={self.num_heads}, is_causal={self.is_causal}, is_rotary={self.is_rotary}{seen}"
