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

from gradatim.errors import require
from gradatim.losses import Loss
from gradatim.training.batches import Batch
from gradatim.training.model_outputs import plain_output
from gradatim.training.objectives.objective import Figures, Objective


def _gradient(loss: Tensor, model: nn.Module) -> Tensor:
    """Gradient of all trainable parameters as one vector that can be differentiated again."""
    parameters = [p for p in model.parameters() if p.requires_grad]
    parts = torch.autograd.grad(loss, parameters, create_graph=True, materialize_grads=True)
    return torch.cat([part.flatten() for part in parts])


def _check(owner: str, weight: float) -> None:
    require(weight >= 0, f"{owner}: weight must be at least 0", weight, "Try weight=0.1.")


class GradientNormPenalty(Objective):
    r"""Descend on :math:`E+\frac{\lambda}{4}\lVert\nabla E\rVert^2`.

    The recorded ``gradient_norm`` is :math:`\lVert\nabla E\rVert^2`. Validation measures :math:`E`.

    Args:
        weight: :math:`\lambda`; gradient descent itself amounts to its learning rate.
        loss: :math:`E`, by name or as a function; by default the trainer's.

    Example:
        >>> from gradatim.training import Trainer
        >>> X, y = torch.randn(20, 4), torch.arange(20) % 3
        >>> history = Trainer(nn.Linear(4, 3), objective=GradientNormPenalty(0.1), epochs=1).fit((X, y))
        >>> "train_gradient_norm" in history.records[0]
        True
    """

    any_layout = True

    def __init__(self, weight: float, loss: str | Loss | None = None) -> None:
        _check("GradientNormPenalty", weight)
        self.weight = weight
        self.use_loss(loss)

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor | Figures:
        error = self.error(model, batch)
        if not model.training:
            return error
        norm = _gradient(error, model).square().sum()
        return {"loss": error + self.weight / 4 * norm, "gradient_norm": norm}


class GradientVariancePenalty(Objective):
    r"""Descend on :math:`E+\frac{\alpha}{4B}\sum_b\lVert\nabla E_b-\nabla E\rVert^2`.

    Every batch is cut into :math:`B` parts of (almost) equal size, and :math:`\nabla E` is the mean of
    their gradients. The recorded ``gradient_variance`` is the mean over parts. Validation measures :math:`E`.

    Args:
        weight: :math:`\alpha`; stochastic gradient descent itself amounts to its learning rate.
        parts: :math:`B`, at least 2.
        loss: :math:`E`, by name or as a function; by default the trainer's.

    Example:
        >>> from gradatim.training import Trainer
        >>> X, y = torch.randn(20, 4), torch.arange(20) % 3
        >>> history = Trainer(nn.Linear(4, 3), objective=GradientVariancePenalty(0.1), epochs=1).fit((X, y))
        >>> history["train_gradient_variance"][0] > 0
        True
    """

    any_layout = True

    def __init__(self, weight: float, *, parts: int = 4, loss: str | Loss | None = None) -> None:
        _check("GradientVariancePenalty", weight)
        require(parts >= 2, "GradientVariancePenalty: parts must be at least 2", parts)
        self.weight, self.parts = weight, parts
        self.use_loss(loss)

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor | Figures:
        *inputs, target = batch
        assert self.loss is not None
        output = plain_output(model(*inputs))
        error = self.loss(output, target)
        if not model.training:
            return error
        pieces = zip(output.tensor_split(self.parts), target.tensor_split(self.parts), strict=True)
        errors = [self.loss(out, y) for out, y in pieces if len(y)]
        gradients = torch.stack([_gradient(error, model) for error in errors])  # (B, P)
        variance = (gradients - gradients.mean(0)).square().sum(1).mean()
        return {"loss": error + self.weight / 4 * variance, "gradient_variance": variance}
