"""What forward and reverse mode cost as the numbers of inputs and outputs grow."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from gradatim.backprop.jacobians import jacobian
from gradatim.errors import InvalidValue
from gradatim.threads import limit_threads

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame


class CostRow(NamedTuple):
    """Cost of one Jacobian by one mode.

    Args:
        inputs: Number of inputs.
        outputs: Number of outputs.
        mode: ``"forward"`` or ``"reverse"``.
        passes: Tangents or co-states carried through the function.
        evaluations: Arithmetic, in units of one evaluation of the function, as counted.
        seconds: Fastest of the repeats, on one thread.
    """

    inputs: int
    outputs: int
    mode: str
    passes: int
    evaluations: float
    seconds: float


@dataclass(frozen=True)
class JacobianCost:
    """Measurements of :func:`jacobian_cost`, in the order of inputs, outputs, mode."""

    rows: tuple[CostRow, ...]

    def table(self) -> "DataFrame":
        """The measurements as a table."""
        from pandas import DataFrame

        return DataFrame(list(self.rows), columns=list(CostRow._fields))

    def figure(self) -> "Figure":
        """Draw arithmetic and time of both modes against inputs and against outputs."""
        from gradatim.plots.backprop import jacobian_cost_figure

        return jacobian_cost_figure(self)


def jacobian_cost(
    inputs: Sequence[int] = (1, 4, 16, 64, 256),
    outputs: Sequence[int] = (1, 4, 16, 64, 256),
    *,
    hidden_dim: int = 64,
    repeats: int = 5,
    seed: int = 0,
) -> JacobianCost:
    r"""Measure the Jacobian of :math:`f(x) = W_2 \tanh(W_1 x)` by both modes, for every pair of sizes.

    One tangent or co-state costs about as much as one evaluation of :math:`f: R^n \to R^m`, so that

    .. math:: \text{forward} \approx (n+1)\ \text{evaluations}, \qquad
        \text{reverse} \approx (m+1)\ \text{evaluations} .

    Arithmetic is counted, multiplications and additions of matrix products; it does not depend on the
    machine. Time, on one thread, does, and grows later because the passes of a mode run as one batch.

    Args:
        inputs: Numbers of inputs :math:`n`.
        outputs: Numbers of outputs :math:`m`.
        hidden_dim: Width of the hidden layer.
        repeats: How often each Jacobian is timed.
        seed: For weights and point.

    Example:
        >>> cost = jacobian_cost([100], [1], repeats=1)
        >>> [(row.mode, row.passes, row.evaluations) for row in cost.rows]
        [('forward', 100, 102.0), ('reverse', 1, 2.0)]

    Reference:
        Griewank and Walther, Evaluating Derivatives, 2008, chapters 3 and 4.
    """
    sizes = [*inputs, *outputs, hidden_dim, repeats]
    if not inputs or not outputs or min(sizes) < 1:
        raise InvalidValue(
            "jacobian_cost: inputs, outputs, hidden_dim and repeats must be positive, "
            f"got {list(inputs)}, {list(outputs)}, {hidden_dim} and {repeats}."
        )
    rows = []
    for n in inputs:
        for m in outputs:
            f, x = _dense_function(n, m, hidden_dim, seed)
            rows += [_measure(f, x, m, mode, repeats) for mode in ("forward", "reverse")]
    return JacobianCost(tuple(rows))


def _dense_function(
    n: int, m: int, hidden_dim: int, seed: int
) -> tuple[Callable[[Tensor], Tensor], Tensor]:
    generator = torch.Generator().manual_seed(seed)
    W1 = torch.randn(n, hidden_dim, generator=generator) / n**0.5
    W2 = torch.randn(hidden_dim, m, generator=generator) / hidden_dim**0.5

    def f(x: Tensor) -> Tensor:
        return (torch.tanh(x[None] @ W1) @ W2)[0]  # (m,)

    return f, torch.randn(n, generator=generator)


def _measure(f: Callable[[Tensor], Tensor], x: Tensor, m: int, mode: str, repeats: int) -> CostRow:
    once, all_passes = _flops(lambda: f(x)), _flops(lambda: jacobian(f, x, mode))
    seconds = min(_seconds(lambda: jacobian(f, x, mode)) for _ in range(repeats))
    passes = x.numel() if mode == "forward" else m
    return CostRow(x.numel(), m, mode, passes, all_passes / once, seconds)


def _seconds(job: Callable[[], object]) -> float:
    with limit_threads(1):  # waiting for busy cores would drown these short jobs
        start = time.perf_counter()
        job()
        return time.perf_counter() - start


def _flops(job: Callable[[], object]) -> int:
    with FlopCounterMode(display=False) as counter:
        job()
    return counter.get_total_flops()
