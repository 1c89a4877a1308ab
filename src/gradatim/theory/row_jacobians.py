"""The gradients of every output of every row, written out."""

import warnings

import torch
from torch import Tensor, nn
from torch.func import functional_call, jacrev, vmap


def trained_parameters(model: nn.Module) -> dict[str, Tensor]:
    """Parameters that are not frozen, by name."""
    return {name: p.detach() for name, p in model.named_parameters() if p.requires_grad}


def row_jacobians(model: nn.Module, x: Tensor) -> Tensor:
    r"""Return :math:`\partial f_k(x_b)/\partial\theta` for all rows and outputs.

    All rows at once where PyTorch can batch every operation of the model, else one after another.

    Args:
        model: Network with outputs of shape ``(B,)`` or ``(B, K)``, whose rows are independent.
        x: Inputs, shape ``(B, ...)``.

    Returns:
        Jacobians, shape ``(B, K, p)``.

    Example:
        >>> row_jacobians(nn.Linear(2, 1), torch.tensor([[3.0, 5.0]]))
        tensor([[[3., 5., 1.]]])
    """
    parameters = trained_parameters(model)

    def outputs(parameters: dict[str, Tensor], row: Tensor) -> Tensor:
        result: Tensor = functional_call(model, parameters, (row[None],)).reshape(-1)
        return result

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # an operation that is not batched is slower than a loop
            blocks = vmap(jacrev(outputs), (None, 0))(parameters, x)
    except (RuntimeError, UserWarning):
        rows = [jacrev(outputs)(parameters, row) for row in x]
        blocks = {name: torch.stack([row[name] for row in rows]) for name in parameters}
    return torch.cat([block.flatten(2) for block in blocks.values()], 2)
