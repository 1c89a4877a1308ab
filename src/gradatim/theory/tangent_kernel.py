r"""The tangent kernel of a network as it is: the scalar products of its gradients.

A gradient by the weights of a dense layer is an outer product of what came in, :math:`h`, and of what came back,
:math:`\delta_k=\partial f_k/\partial z`, so that the layer adds

.. math:: (\delta_k^\top\delta'_l)\,(h^\top h' + 1)

to the kernel (the 1 is the bias) and no gradient is ever written down. A convolution is a dense layer at every place of the
image, whose gradients are added up over places. Networks that have other parameters too show their Jacobian, a block of rows
at a time.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import choose, require
from gradatim.nn.training_modes import evaluation_mode
from gradatim.theory.layer_gradients import Piece, find_layers, layer_pieces
from gradatim.theory.row_jacobians import row_jacobians, trained_parameters

OWNER = "empirical_ntk"
KINDS = {"full": "nkp,mlp->nmkl", "diagonal": "nkp,mkp->nmk", "trace": "nkp,mkp->nm"}
TILE = 32  # rows of a product, so that what is symmetric need not be computed twice
SLACK = 3  # times the gradients themselves: what autograd and the products hold beside them


@takes_arrays
def empirical_ntk(
    model: nn.Module,
    x1: Tensor,
    x2: Tensor | None = None,
    *,
    kind: str = "full",
    memory: float = 1e9,
) -> Tensor:
    r"""The neural tangent kernel of a network at its present parameters.

    .. math:: \Theta(x, x')_{kl} = \nabla_\theta f_k(x)^\top\nabla_\theta f_l(x')

    The network is looked at in evaluation mode, and left alone.

    Args:
        model: Any network with outputs of shape ``(B,)`` or ``(B, K)``; frozen parameters do not count.
        x1: Inputs, shape ``(N₁, ...)``.
        x2: Inputs, shape ``(N₂, ...)``; by default ``x1``.
        kind: ``"full"`` for all :math:`k, l`; ``"diagonal"`` for :math:`k=l`; ``"trace"`` for the sum over these.
        memory: Bytes that may be used beside the result; rows are taken in blocks that fit.

    Returns:
        The kernel, shape ``(N₁, N₂, K, K)``, ``(N₁, N₂, K)`` or ``(N₁, N₂)``.

    Example:
        >>> x = torch.tensor([[1.0, 2.0], [0.0, 1.0]])
        >>> empirical_ntk(nn.Linear(2, 1), x, kind="trace")  # xᵀx' + 1
        tensor([[6., 3.],
                [3., 2.]])
    """
    choose(OWNER, "kind", kind, KINDS)
    others = x1 if x2 is None else x2
    require(len(x1) and len(others), f"{OWNER}: inputs must have rows", f"{len(x1)} and {len(others)}")  # fmt: skip
    require(trained_parameters(model), f"{OWNER}: model must have a trainable parameter", "none", "Check requires_grad.")  # fmt: skip
    with evaluation_mode(model):
        pieces = _choose_pieces(model, x1)
        size = _block_rows(pieces(x1[:1]), memory)
        num_outputs = pieces(x1[:1])[0].left.shape[1]
        shape = {"full": (num_outputs, num_outputs), "diagonal": (num_outputs,), "trace": ()}[kind]
        kernel = x1.new_empty(len(x1), len(others), *shape, dtype=next(model.parameters()).dtype)
        for i in range(0, len(x1), size):
            left = pieces(x1[i : i + size])
            for j in range(i if x2 is None else 0, len(others), size):
                is_own = x2 is None and i == j
                right = left if is_own else pieces(others[j : j + size])
                _fill(kernel, (i, j), left, right, kind, is_symmetric=x2 is None)
    return kernel


def _fill(
    kernel: Tensor,
    corner: tuple[int, int],
    left: list[Piece],
    right: list[Piece],
    kind: str,
    *,
    is_symmetric: bool,
) -> None:
    """Write the kernel of two blocks of rows at its place, tile by tile; a symmetric one is computed above the diagonal only."""
    for i, own in enumerate(_tiles(left)):
        for j, other in enumerate(_tiles(right)):
            m, n = corner[0] + TILE * i, corner[1] + TILE * j
            if is_symmetric and n < m:
                continue
            tile = _product(own, other, kind)
            kernel[m : m + len(tile), n : n + tile.shape[1]] = tile
            if is_symmetric and m != n:
                mirrored = tile.transpose(0, 1)
                mirrored = mirrored.mT if kind == "full" else mirrored
                kernel[n : n + tile.shape[1], m : m + len(tile)] = mirrored


def _tiles(pieces: list[Piece]) -> list[list[Piece]]:
    """The same gradients, a few rows at a time."""
    cuts = [slice(k, k + TILE) for k in range(0, len(pieces[0].left), TILE)]
    return [[Piece(p.left[cut], None if p.right is None else p.right[cut]) for p in pieces] for cut in cuts]  # fmt: skip


def _choose_pieces(model: nn.Module, x: Tensor) -> Callable[[Tensor], list[Piece]]:
    """How the gradients of a block of rows are had."""
    layers = find_layers(model, x[:1].repeat(2, *[1] * (x.ndim - 1)))
    if layers:
        return lambda block: layer_pieces(model, layers, block)
    return lambda block: [Piece(row_jacobians(model, block))]


def _block_rows(row: list[Piece], memory: float) -> int:
    """How many rows of two blocks fit, given the gradients of one row."""
    tensors = [tensor for piece in row for tensor in piece if tensor is not None]
    needed = 2 * SLACK * sum(tensor.numel() * tensor.element_size() for tensor in tensors)
    rule = f"{OWNER}: memory must hold the gradients of two rows, {needed:.1e} bytes here"
    require(memory >= needed, rule, f"{memory:.1e}", f"Try memory={2 * needed:.0e}.")
    return int(memory / needed)


def _product(left: list[Piece], right: list[Piece], kind: str) -> Tensor:
    """The kernel of two blocks of rows, added up over the pieces."""
    total: Tensor | float = 0.0
    for p, q in zip(left, right, strict=True):
        product = torch.einsum(KINDS[kind], p.left, q.left)
        if p.right is not None and q.right is not None:
            inner = p.right @ q.right.T  # (N₁, N₂)
            product *= inner.view(*inner.shape, *[1] * (product.ndim - 2))
        total = total + product
    assert isinstance(total, Tensor)
    return total
