"""Layers fold, units only list: depth gains exponentially on a sawtooth, if training finds it."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.models import MLP
from gradatim.plots.approximation import fit_panels, rate_curves
from gradatim.plots.regions import linear_pieces
from gradatim.plots.words import Formula
from gradatim.reports import Report
from gradatim.theory import (
    Approximation,
    approximate,
    count_regions,
    product_network,
    relu_interpolant,
    sawtooth_network,
    square_network,
)

COVERS = ("B3", "B4")
KEYWORDS = (
    "expressivity, Telgarsky, sawtooth, folding, power of depth, product of numbers by a network"
)
TEETH_LAYERS = 4  # 16 pieces


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    depths: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
    restarts: int = 16
    steps: int = 200


QUICK = Settings(depths=(1, 2, 3, 4, 5, 6, 7), restarts=6, steps=80)


def run(settings: Settings) -> Report:
    """Compare hand-built and trained networks, deep and shallow, at equal numbers of parameters."""
    report = Report(
        title="Depth against width",
        summary="Composing a tooth with itself doubles the pieces with every layer, so a deep network reaches "
        "errors that no shallow one of the same size can; random starts do not find such weights.",
    )
    _pieces(report, settings)
    _square(report, settings)
    _product(report, settings)
    _trained(report, settings)
    return report


def _num_parameters(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


def _shallow_units(num_parameters: int) -> int:
    """Hidden units that one layer on one input affords: three parameters each, and the output bias."""
    return (num_parameters - 1) // 3


def _pieces(report: Report, settings: Settings) -> None:
    rows = []
    for depth in settings.depths:
        net = sawtooth_network(depth, dtype=torch.float64)
        count, size = count_regions(net, [(0, 1)]).count, _num_parameters(net)
        rows.append([depth, size, count, _shallow_units(size) + 1])
    report.claim(
        "m layers of two units make 2ᵐ pieces",
        ", ".join(str(row[2]) for row in rows),
        equals=", ".join(str(2**depth) for depth in settings.depths),
    )
    last = rows[-1]
    report.claim("one hidden layer with as many parameters cannot keep up", last[3], below=last[2])
    report.table(
        "Pieces of a function of one input",
        columns=["layers", "parameters", "pieces, deep", "most pieces, one layer"],
        rows=rows,
    )
    shown = settings.depths[:6]
    report.figure(
        "sawtooth",
        linear_pieces(
            {
                f"{depth} layer{'s' * (depth > 1)}": count_regions(
                    sawtooth_network(depth), [(0, 1)]
                )
                for depth in shown
            }
        ),
        caption="Each layer, two units wide, folds the interval once more; dots are breakpoints.",
    )


def _sup_error(model: nn.Module) -> float:
    x = torch.linspace(0, 1, 2**15 + 1, dtype=torch.float64)[:, None]
    with torch.inference_mode():
        return float((model(x) - x.square()).abs().max())


def _square(report: Report, settings: Settings) -> None:
    deep = [square_network(depth, dtype=torch.float64) for depth in settings.depths]
    sizes = [_num_parameters(net) for net in deep]
    errors = [_sup_error(net) for net in deep]
    units = [_shallow_units(size) for size in sizes]
    listed = []
    for pieces in units:
        knots = np.linspace(0, 1, pieces + 1)
        listed.append(_sup_error(relu_interpolant(knots, knots**2, dtype=torch.float64)))
    # One of K pieces has length 1/K or more, and on a length h no line comes closer to x² than h²/8.
    least = [1 / (8 * (pieces + 1) ** 2) for pieces in units]
    report.claim(
        "every layer divides the error for x² by four",
        expected="2^(−2(m+1)) at depth m",
        measured=", ".join(f"{error:.1e}" for error in errors),
        holds=all(
            abs(error * 4 ** (depth + 1) - 1) < 1e-6
            for depth, error in zip(settings.depths, errors, strict=True)
        ),
    )
    report.claim(
        f"no single layer of {sizes[-1]} parameters comes as close to x²",
        errors[-1],
        f"{{}}, the least error of {units[-1] + 1} pieces",
        below=least[-1],
    )
    report.figure(
        "square",
        rate_curves(
            {
                "deep: layers of three units": (sizes, errors),
                "one layer: a unit for each piece": (sizes, listed),
            },
            bounds={"least possible in one layer": (sizes, least)},
            xlabel="parameters",
            ylabel=Formula("sup-error for $x^2$ on [0, 1]"),
        ),
        caption="A constant number of parameters for each digit, against a power law.",
    )


def _product(report: Report, settings: Settings) -> None:
    depth = settings.depths[-1]
    side = torch.linspace(-1, 1, 201, dtype=torch.float64)
    x = torch.cartesian_prod(side, side)
    with torch.inference_mode():
        outputs = product_network(depth, dtype=torch.float64)(x)[:, 0]
    error = float((outputs - x[:, 0] * x[:, 1]).abs().max())
    report.claim(
        f"{depth + 1} layers multiply two numbers of [−1, 1]",
        error,
        f"sup-error {{}}, 2^(−2·{depth + 1})",
        at_most=4.0 ** -(depth + 1) + 1e-12,
    )
    generator = torch.Generator().manual_seed(settings.seed)
    for factors in (4, 8):
        x = 2 * torch.rand(2000, factors, generator=generator, dtype=torch.float64) - 1
        x[: 2**factors] = torch.cartesian_prod(*[torch.tensor([-1.0, 1.0]).double()] * factors)
        net = product_network(depth, factors=factors, dtype=torch.float64)
        with torch.inference_mode():
            error = float((net(x)[:, 0] - x.prod(1)).abs().max())
        size = sum(net.sizes[1:-1])
        report.claim(
            f"a tree of such networks multiplies {factors} numbers with {size} units; one smooth layer would need 2^{factors}, and as many weights for each",
            error,
            f"largest error {{}}, {factors - 1} times that of two",
            at_most=(factors - 1) * 4.0 ** -(depth + 1) + 1e-12,
        )  # fmt: skip


def _teeth(x: Tensor) -> Tensor:
    with torch.inference_mode():
        return sawtooth_network(TEETH_LAYERS, dtype=torch.float64)(x)


def _trained(report: Report, settings: Settings) -> None:
    report.text(
        f"The sawtooth of {TEETH_LAYERS} layers swings {2**TEETH_LAYERS} times between 0 and 1. A function that is "
        "never off by half or more must cross 1/2 on every swing, and a straight piece crosses it once; so a "
        f"layer of fewer than {2**TEETH_LAYERS - 1} units does no better than the constant 1/2. The deep network "
        "exists, but Levenberg-Marquardt from random starts does not find it: what can be represented and what "
        "is learned are two questions."
    )
    fit = partial(
        approximate,
        _teeth,
        activations=("relu",),
        domain=[(0, 1)],
        restarts=settings.restarts,
        steps=settings.steps,
        seed=settings.seed,
    )
    (shallow,) = fit(widths=[2 * TEETH_LAYERS])
    folded, wide = fit(widths=[2, 6], depths=[TEETH_LAYERS])
    _claim_trained(report, shallow, folded, wide)
    models: dict[str, MLP] = {
        f"by hand, {TEETH_LAYERS} layers of 2: 0": sawtooth_network(
            TEETH_LAYERS, dtype=torch.float64
        )
    }
    for result in (shallow, folded, wide):
        layers = f"{result.depth} layers" if result.depth > 1 else "one layer"
        models[f"trained, {layers} of {result.width}: {result.sup_error:.2f}"] = result.model
    report.figure(
        "trained",
        fit_panels(models, _teeth, (0.0, 1.0)),
        caption=f"Best of {settings.restarts} random starts, with sup-error, for a sawtooth of "
        f"{2**TEETH_LAYERS} pieces.",
    )


def _claim_trained(
    report: Report, shallow: Approximation, folded: Approximation, wide: Approximation
) -> None:
    size = _num_parameters(sawtooth_network(TEETH_LAYERS))
    report.claim(
        f"trained, one layer with the same {shallow.num_parameters} parameters",
        expected="sup-error >= 1/2, as the theorem demands",
        measured=shallow.sup_error,
        holds=shallow.num_parameters == size and shallow.sup_error >= 0.5,
    )
    report.claim(
        "trained from random starts, deep networks miss the folding that exists",
        expected="sup-error > 0.1 where 0 is possible",
        measured=f"{folded.sup_error:.2f} and {wide.sup_error:.2f}",
        holds=min(folded.sup_error, wide.sup_error) > 0.1,
    )
