"""What backpropagation computed, stage by stage, as plain data."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

COLUMNS = ["stage", "layer", "output", "parameters", "‖x‖", "‖p‖", "‖gradient‖"]


@dataclass(frozen=True, eq=False, repr=False)
class Stage:
    r"""One link of the chain, :math:`x_\ell = f_\ell(x_{\ell-1}; \theta_\ell)`.

    Args:
        name: Where the stage sits in the model, such as ``"0"`` or ``"encoder.2"``.
        layer: What it is, such as ``"Linear"``.
        output: Forward value :math:`x_\ell`; a tensor, or a structure of tensors.
        costate: :math:`p_\ell = \partial E/\partial x_\ell`, shaped like ``output``; ``None`` in place
            of values through which no gradient flows, such as integers.
        gradients: :math:`\partial E/\partial\theta_\ell` through this stage, by the parameter's name in
            the model. A parameter that several stages share appears in each with its own part.
        parameters: How many numbers :math:`\theta_\ell` has.
    """

    name: str
    layer: str
    output: Any
    costate: Any
    gradients: dict[str, Tensor]
    parameters: int

    def __repr__(self) -> str:
        return f"Stage({self.name!r}, {self.layer}, output {shape_text(self.output)}, {self.parameters} parameters)"


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    r"""Forward values, co-states and gradients of one backpropagation.

    Args:
        input: :math:`x_0`.
        input_costate: :math:`p_0 = \partial E/\partial x_0`; ``None`` where none flows, as for integers.
        stages: Stages 1 to :math:`L`, in forward order.
        gradients: :math:`\partial E/\partial\theta` by the names of ``model.named_parameters()``, summed
            over the stages that share a parameter. Parameters that are frozen or unused are absent.
        loss: :math:`E`, a scalar tensor.
    """

    input: Any
    input_costate: Any
    stages: tuple[Stage, ...]
    gradients: dict[str, Tensor]
    loss: Tensor

    def __repr__(self) -> str:
        return f"Trace({len(self.stages)} stages, {len(self.gradients)} gradients, loss {self.loss.item():.6g})"

    def table(self) -> "DataFrame":
        """One row for the input and each stage: output shape, parameter count and Euclidean norms."""
        from pandas import DataFrame

        rows: list[list[object]] = [
            [
                "input",
                "",
                shape_text(self.input),
                0,
                norm(self.input),
                norm(self.input_costate),
                None,
            ]
        ]
        for stage in self.stages:
            gradient = norm(stage.gradients) if stage.gradients else None
            sizes = [shape_text(stage.output), stage.parameters]
            norms = [norm(stage.output), norm(stage.costate), gradient]
            rows.append([stage.name, stage.layer, *sizes, *norms])
        return DataFrame(rows, columns=COLUMNS)

    def figure(self) -> "Figure":
        """Draw the chain with shapes and norms, forward values beside the gradients that flow back."""
        from gradatim.plots.backprop import trace_figure

        return trace_figure(self)


def _tensors(value: object) -> Iterable[Tensor]:
    return (leaf for leaf in pytree.tree_leaves(value) if isinstance(leaf, Tensor))


def norm(value: object) -> float | None:
    """Euclidean norm over all numbers in a structure of tensors; ``None`` where there are none.

    >>> norm((torch.tensor([3.0]), torch.tensor([4.0])))
    5.0
    """
    parts = [
        torch.linalg.vector_norm(t.double() if not t.is_complex() else t) for t in _tensors(value)
    ]
    return float(torch.stack([p.double() for p in parts]).norm()) if parts else None


def shape_text(value: object) -> str:
    """Shapes in a structure of tensors, in words of Python.

    >>> shape_text(torch.zeros(2, 3)), shape_text((torch.zeros(2), torch.zeros(())))
    ('(2, 3)', '(2,) ()')
    """
    return " ".join(str(tuple(tensor.shape)) for tensor in _tensors(value))
