"""Attention without the softmax: a sum that is kept, instead of all keys and values."""

import torch
import torch.nn.functional as F
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue
from gradatim.nn.plain_path import at_least_single

BLOCK = 64  # positions that are compared pair by pair


def positive_features(x: Tensor) -> Tensor:
    r"""Return :math:`\phi(x) = \mathrm{elu}(x) + 1`, that is :math:`x + 1` or :math:`e^x`, which is positive.

    >>> positive_features(torch.tensor([0.0, 2.0, -100.0])) > 0
    tensor([True, True, True])
    """
    return torch.where(x > 0, x + 1, x.clamp(max=0.0).exp())


@takes_arrays
def linear_attention(
    query: Tensor, key: Tensor, value: Tensor, *, is_causal: bool = False
) -> Tensor:
    r"""Attention whose weights are products of features, so that sums over keys are made once.

    .. math::
        y_t = \frac{S_t^\top \phi(q_t)}{\phi(q_t)^\top z_t}, \qquad
        S_t = \sum_s \phi(k_s)\,v_s^\top, \qquad z_t = \sum_s \phi(k_s), \qquad \phi(x) = \mathrm{elu}(x) + 1

    over :math:`s \le t` with ``is_causal``, else over all. The cost is :math:`O(T d_k d_v)` and what must be kept of the
    past is :math:`S`, of a size that does not grow: a recurrent network. Of more than :math:`d_k` keys it cannot tell every
    one from the others, which the softmax can. Causal sums are made block by block: pairs within a block, the state before it.

    Args:
        query: :math:`q`, shape ``(..., T, d_k)``.
        key: :math:`k`, shape ``(..., S, d_k)``, with ``is_causal`` as many as queries.
        value: :math:`v`, shape ``(..., S, d_v)``.
        is_causal: Whether a position sees only itself and what came before.

    Returns:
        One average of values per query, shape ``(..., T, d_v)``.

    Example:
        >>> linear_attention(torch.zeros(1, 4), torch.zeros(2, 4), torch.tensor([[1.0], [3.0]]))
        tensor([[2.]])

    Reference:
        Katharopoulos et al., Transformers are RNNs: Fast Autoregressive Transformers with Linear Attention, 2020.
    """
    shapes = [tuple(part.shape) for part in (query, key, value)]
    if query.shape[-1] != key.shape[-1] or key.shape[-2] != value.shape[-2]:
        raise InvalidValue(
            "linear_attention: query and key must have equal widths, key and value equal lengths, "
            f"got shapes {shapes[0]}, {shapes[1]} and {shapes[2]}."
        )
    if is_causal and query.shape[-2] != key.shape[-2]:
        raise InvalidValue(
            "linear_attention: query and key must have equal lengths with is_causal, "
            f"got {query.shape[-2]} and {key.shape[-2]}."
        )
    q, k = positive_features(at_least_single(query)), positive_features(at_least_single(key))
    v = at_least_single(value)
    v = torch.cat([v, torch.ones_like(v[..., :1])], -1)  # the last column sums the weights
    sums = _causal(q, k, v) if is_causal else q @ (k.transpose(-2, -1) @ v)  # (..., T, d_v + 1)
    least = torch.finfo(sums.dtype).tiny
    return (sums[..., :-1] / sums[..., -1:].clamp(min=least)).to(value.dtype)


def _causal(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Sums over what came before, ``(..., T, d_v)``: pairs within blocks, a state for what lies before them."""
    T = q.shape[-2]
    block = max(min(BLOCK, T), 1)
    rest = -T % block
    q, k, v = (F.pad(part, (0, 0, 0, rest)).unflatten(-2, (-1, block)) for part in (q, k, v))
    written = k.transpose(-2, -1) @ v  # (..., count, d_k, d_v)
    before = F.pad(written.cumsum(-3), (0, 0, 0, 0, 1, -1))
    sums = q @ before + (q @ k.transpose(-2, -1)).tril() @ v
    return sums.flatten(-3, -2)[..., :T, :]
