"""Why backpropagation goes backwards: forward mode pays per input, reverse mode per output."""

from dataclasses import dataclass

import torch

from gradatim.backprop import CostRow, jacobian, jacobian_cost
from gradatim.reports import Report

COVERS = ("C1",)
KEYWORDS = (
    "automatic differentiation, Jacobian, JVP VJP, reverse mode, forward mode, cost of a gradient"
)


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    sizes: tuple[int, ...] = (1, 4, 16, 64, 256, 1024)
    hidden_dim: int = 128
    repeats: int = 10


QUICK = Settings(sizes=(1, 8, 64, 256), hidden_dim=64, repeats=3)


def run(settings: Settings) -> Report:
    """Measure Jacobians of a small net for growing numbers of inputs and of outputs."""
    report = Report(
        title="Forward against reverse mode",
        summary="Reverse mode costs one evaluation per output, forward mode one per input; a loss is one "
        "output, and so its gradient costs the same for one parameter and for a million.",
    )
    sizes = sorted(settings.sizes)
    cost = jacobian_cost(
        sizes, sizes, hidden_dim=settings.hidden_dim, repeats=settings.repeats, seed=settings.seed
    )
    report.text(
        "The Jacobian of f(x) = W₂ tanh(W₁x) has a row for each output and a column for each input. Forward "
        "mode carries one tangent per input and fills it by columns; reverse mode carries one co-state per "
        "output and fills it by rows. Differences of the loss would need two evaluations per input."
    )
    _claim_costs(report, sizes, {(row.inputs, row.outputs, row.mode): row for row in cost.rows})
    _claim_agreement(report, settings)
    report.figure(
        "cost",
        cost.figure(),
        caption="Arithmetic is counted and the same on every machine. Time is the fastest of "
        f"{settings.repeats} runs; it grows later, because the passes of a mode run as one batch.",
    )
    report.table(
        "Arithmetic, in evaluations of the function (forward / reverse)",
        columns=["inputs \\ outputs", *map(str, sizes)],
        rows=[[n, *(_pair(cost.rows, n, m) for m in sizes)] for n in sizes],
    )
    return report


def _pair(rows: tuple[CostRow, ...], n: int, m: int) -> str:
    found = [f"{row.evaluations:.0f}" for row in rows if (row.inputs, row.outputs) == (n, m)]
    return " / ".join(found)


def _claim_costs(
    report: Report, sizes: list[int], rows: dict[tuple[int, int, str], CostRow]
) -> None:
    few, many = sizes[0], sizes[-1]
    reverse = [rows[n, few, "reverse"].evaluations for n in sizes]
    report.claim(
        f"reverse mode costs outputs + 1 evaluations for {few} to {many} inputs",
        expected=f"{few + 1} for every number of inputs",
        measured=", ".join(f"{value:g}" for value in reverse),
        holds=all(value == few + 1 for value in reverse),
    )
    forward = [rows[few, m, "forward"].evaluations for m in sizes]
    report.claim(
        f"forward mode costs the same for {few} to {many} outputs",
        expected="one value",
        measured=", ".join(f"{value:g}" for value in forward),
        holds=len(set(forward)) == 1,
    )
    rise = rows[many, few, "forward"].evaluations - rows[few, few, "forward"].evaluations
    report.claim(
        f"forward mode costs one evaluation more for each input beyond {few}",
        expected=f"{many - few} more for {many} inputs",
        measured=f"{rise:g}",
        holds=rise == many - few,
    )
    pairs = [(n, m) for n in sizes for m in sizes if n != m]
    winners = [
        rows[n, m, "forward" if n < m else "reverse"].evaluations
        <= rows[n, m, "reverse" if n < m else "forward"].evaluations
        for n, m in pairs
    ]
    report.claim(
        "the mode with fewer passes does less arithmetic",
        expected=f"in all {len(pairs)} pairs of sizes",
        measured=f"in {sum(winners)}",
        holds=all(winners),
    )


def _claim_agreement(report: Report, settings: Settings) -> None:
    generator = torch.Generator().manual_seed(settings.seed)
    W1, W2 = (torch.randn(shape, generator=generator).double() for shape in [(9, 6), (4, 9)])
    x = torch.randn(6, generator=generator).double()
    by_mode = [
        jacobian(lambda x: W2 @ torch.tanh(W1 @ x), x, mode) for mode in ("forward", "reverse")
    ]
    by_formula = W2 @ torch.diag(1 - torch.tanh(W1 @ x) ** 2) @ W1
    error = max(float((found - by_formula).abs().max()) for found in by_mode)
    report.claim("both modes equal the formula W₂ diag(1 − tanh²(W₁x)) W₁", error, below=1e-12)
