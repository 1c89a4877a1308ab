r"""Make explicit what the steps of (stochastic) gradient descent do implicitly.

To second order in the step size :math:`\eta`, gradient descent on :math:`E` follows the gradient flow of

.. math::
    E(\theta)+\frac{\eta}{4}\lVert\nabla E\rVert^2, \qquad\text{and SGD that of}\qquad
    E(\theta)+\frac{\eta}{4}\lVert\nabla E\rVert^2
    +\frac{\eta}{4B}\sum_{b=1}^B\lVert\nabla E_b-\nabla E\rVert^2

They avoid places where the loss is steep or where batches disagree. As penalties these can be had at
any strength; their gradients need a second backward pass.

Reference:
    Barrett and Dherin, Implicit Gradient Regularization, 2021; Smith et al., On the Origin of Implicit
    Regularization in Stochastic Gradient Descent, 2021.
"""

import torch
from torch import Tensor, nn

from gradatim.errors import InvalidValue
from gradatim.losses import Loss, build_loss
from gradatim.training.batches import Batch
from gradatim.training.engines.general import StepFunction


def _gradient(loss: Tensor, model: nn.Module) -> Tensor:
    """Gradient of all trainable parameters as one vector that can be differentiated again."""
    parameters = [p for p in model.parameters() if p.requires_grad]
    parts = torch.autograd.grad(loss, parameters, create_graph=True, materialize_grads=True)
    return torch.cat([part.flatten() for part in parts])


def _check(owner: str, weight: float) -> None:
    if not weight >= 0:
        raise InvalidValue(f"{owner}: weight must be at least 0, got {weight}. Try weight=0.1.")


def gradient_norm_step(weight: float, loss: str | Loss = "cross_entropy") -> StepFunction:
    r"""Make a step that descends on :math:`E+\frac{\lambda}{4}\lVert\nabla E\rVert^2`.

    The recorded ``gradient_norm`` is :math:`\lVert\nabla E\rVert^2`. Validation measures :math:`E`.

    Args:
        weight: :math:`\lambda`; gradient descent itself amounts to its learning rate.
        loss: :math:`E`, by name or as a function.

    Example:
        >>> from gradatim.training import Trainer
        >>> X, y = torch.randn(20, 4), torch.arange(20) % 3
        >>> history = Trainer(nn.Linear(4, 3), step=gradient_norm_step(0.1), epochs=1).fit((X, y))
        >>> "train_gradient_norm" in history.records[0]
        True
    """
    _check("gradient_norm_step", weight)
    built = build_loss(loss)

    def step(model: nn.Module, batch: Batch) -> Tensor | dict[str, Tensor | float]:
        *inputs, target = batch
        error = built(model(*inputs), target)
        if not model.training:
            return error
        norm = _gradient(error, model).square().sum()
        return {"loss": error + weight / 4 * norm, "gradient_norm": norm}

    return step


def gradient_variance_step(
    weight: float, *, parts: int = 4, loss: str | Loss = "cross_entropy"
) -> StepFunction:
    r"""Make a step that descends on :math:`E+\frac{\alpha}{4B}\sum_b\lVert\nabla E_b-\nabla E\rVert^2`.

    Every batch is cut into :math:`B` parts of (almost) equal size, and :math:`\nabla E` is the mean of
    their gradients. The recorded ``gradient_variance`` is the mean over parts. Validation measures :math:`E`.

    Args:
        weight: :math:`\alpha`; stochastic gradient descent itself amounts to its learning rate.
        parts: :math:`B`, at least 2.
        loss: :math:`E`, by name or as a function.

    Example:
        >>> from gradatim.training import Trainer
        >>> X, y = torch.randn(20, 4), torch.arange(20) % 3
        >>> history = Trainer(nn.Linear(4, 3), step=gradient_variance_step(0.1), epochs=1).fit((X, y))
        >>> history["train_gradient_variance"][0] > 0
        True
    """
    _check("gradient_variance_step", weight)
    if parts < 2:
        raise InvalidValue(f"gradient_variance_step: parts must be at least 2, got {parts}.")
    built = build_loss(loss)

    def step(model: nn.Module, batch: Batch) -> Tensor | dict[str, Tensor | float]:
        *inputs, target = batch
        output = model(*inputs)
        if not model.training:
            return built(output, target)
        pieces = zip(output.tensor_split(parts), target.tensor_split(parts), strict=True)
        errors = [built(out, y) for out, y in pieces if len(y)]
        gradients = torch.stack([_gradient(error, model) for error in errors])  # (B, P)
        variance = (gradients - gradients.mean(0)).square().sum(1).mean()
        error = built(output, target)
        return {"loss": error + weight / 4 * variance, "gradient_variance": variance}

    return step
