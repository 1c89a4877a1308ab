"""A network replaced by its tangent."""

import warnings
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call, jvp

from gradatim.errors import require


class Linearized(nn.Module):
    r"""A network that is linear in its parameter :math:`\beta`; see :func:`linearize`."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = deepcopy(model)
        self.trained = [name for name, p in self.model.named_parameters() if p.requires_grad]
        rule = "linearize: model must have a trainable parameter"
        require(self.trained, rule, "none", "Check requires_grad.")
        self.model.requires_grad_(False)
        parameters = [self.model.get_parameter(name) for name in self.trained]
        self.beta = nn.Parameter(torch.cat([torch.zeros_like(p).flatten() for p in parameters]))

    def forward(self, *inputs: Any) -> Tensor:
        start = {name: self.model.get_parameter(name) for name in self.trained}
        parts = self.beta.split([p.numel() for p in start.values()])
        move = {name: part.view_as(start[name]) for name, part in zip(start, parts, strict=True)}

        def outputs(parameters: dict[str, Tensor]) -> Tensor:
            result: Tensor = functional_call(self.model, parameters, inputs)
            return result

        at_start, change = jvp(outputs, (start,), (move,))[:2]
        return at_start + change


def linearize(model: nn.Module) -> Linearized:
    r"""Replace a network by its first-order expansion around its present parameters.

    .. math:: h_\beta(x) = f_{\theta_0}(x) + \nabla_\theta f_{\theta_0}(x)^\top\beta

    The result is an ordinary module, whose one parameter ``beta`` is 0 at the start, so that it begins where the network
    stands and can be trained by any means. Its kernel is :func:`empirical_ntk` and does not change; with fewer rows than
    parameters many :math:`\beta` fit all targets, of which descent from 0 finds the smallest: some lecture notes call that
    the only one. The given model is left alone.

    Args:
        model: Network; random layers draw as in the mode, training or evaluation, that it is in.

    Example:
        >>> model = nn.Linear(2, 1)  # linear already
        >>> tangent, x = linearize(model), torch.randn(3, 2)
        >>> tangent.beta.shape, bool((tangent(x) == model(x)).all())
        (torch.Size([3]), True)
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # PyTorch's own way to prepare `jvp`
        import torch._decomp.decompositions_for_jvp  # noqa: F401
    return Linearized(model)
