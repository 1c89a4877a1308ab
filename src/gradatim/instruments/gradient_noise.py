"""The noise of mini-batch gradients."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue


@takes_arrays
def sample_gradients(
    model: nn.Module,
    loss: Callable[[Tensor, Tensor], Tensor],
    X: Tensor,
    y: Tensor,
    *,
    chunk_size: int = 512,
) -> Tensor:
    r"""Return the gradient :math:`\nabla\ell(f_\theta(x_i), y_i)` of every sample, in one vectorized pass.

    Args:
        model: Network without batch statistics; used in the mode it is in.
        loss: Function ``(output, target) -> scalar`` that averages over a batch.
        X: Inputs, shape ``(N, ...)``.
        y: Targets, shape ``(N, ...)``.
        chunk_size: Samples at a time.

    Returns:
        One row a sample, shape ``(N, P)``, parameters in the order of ``model.parameters()``; its mean
        is the full gradient.

    Example:
        >>> from gradatim.losses import mse
        >>> model = nn.Linear(1, 1, bias=False)
        >>> _ = nn.init.zeros_(model.weight)
        >>> sample_gradients(model, mse, torch.tensor([[1.0], [2.0]]), torch.tensor([[1.0], [3.0]]))
        tensor([[ -2.],
                [-12.]])
    """
    weights = {name: p.detach() for name, p in model.named_parameters() if p.requires_grad}

    def one(weights: dict[str, Tensor], x: Tensor, target: Tensor) -> Tensor:
        return loss(functional_call(model, weights, (x[None],)), target[None])

    rows = vmap(grad(one), in_dims=(None, 0, 0), chunk_size=chunk_size)(weights, X, y)
    return torch.cat([part.flatten(1) for part in rows.values()], dim=1)


@takes_arrays
def batch_gradients(
    gradients: Tensor,
    size: int,
    *,
    draws: int,
    replacement: bool = False,
    generator: torch.Generator | None = None,
) -> Tensor:
    r"""Draw mini-batches and return the mean gradient :math:`g_B=\frac1m\sum_{i\in B}\nabla\ell_i` of each.

    It is unbiased, and with :math:`\sigma^2=\frac1N\sum_i\lVert\nabla\ell_i-\nabla E\rVert^2`

    .. math:: E\,\lVert g_B-\nabla E\rVert^2 = \frac{\sigma^2}m \quad\text{or}\quad
        \frac{\sigma^2}m\cdot\frac{N-m}{N-1}

    with or without replacement.

    Args:
        gradients: One row a sample, shape ``(N, P)``, as from :func:`sample_gradients`.
        size: :math:`m`.
        draws: Number of batches.
        replacement: Whether a sample may come twice in a batch.
        generator: Source of the draws.

    Returns:
        Shape ``(draws, P)``.

    Example:
        >>> batch_gradients(torch.tensor([[1.0], [3.0]]), 2, draws=1)
        tensor([[2.]])
    """
    rows = len(gradients)
    if size < 1 or (size > rows and not replacement):
        raise InvalidValue(
            f"batch_gradients: size must be from 1 to the {rows} samples, got {size}. "
            "Try replacement=True for larger batches."
        )
    if replacement:
        chosen = torch.randint(rows, (draws, size), generator=generator)
    else:
        chosen = torch.rand(draws, rows, generator=generator).argsort(dim=1)[:, :size]
    # counts @ gradients touches each sample once, not once a draw
    counts = torch.zeros(draws, rows, dtype=gradients.dtype, device=gradients.device)
    chosen = chosen.to(gradients.device)
    counts.scatter_add_(1, chosen, torch.ones_like(chosen, dtype=gradients.dtype))
    return counts @ gradients / size
