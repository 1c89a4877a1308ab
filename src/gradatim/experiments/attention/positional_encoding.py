"""Encodings of positions: a pattern of waves in which every shift is one rotation."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from torch import Tensor

from gradatim.losses import token_cross_entropy
from gradatim.models import GPT
from gradatim.nn import Rotary, shift_matrix, sinusoidal_positions
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.plots.style import DIVERGING, MUTED, PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("G2",)
KEYWORDS = "sinusoidal positional encoding, learned positions, relative position, rotation"
KINDS = ("learned", "sinusoidal", "rotary", "none")


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    length: int = 128
    dim: int = 64
    lag: int = 3
    trained_length: int = 24
    num_tokens: int = 16
    rows: int = 6000
    epochs: int = 12


QUICK = Settings(rows=3000, epochs=8)


def claim_shift(report: Report, settings: Settings) -> Tensor:
    table = sinusoidal_positions(settings.length, settings.dim).double()
    shifts = (1, 5, 40)
    worst = max(
        (table[:-k] @ shift_matrix(k, settings.dim).T - table[k:]).abs().max().item()
        for k in shifts
    )
    report.claim(
        f"shifts by {', '.join(map(str, shifts))} are one rotation for all positions",
        worst,
        at_most=1e-6,
    )
    both = shift_matrix(3, settings.dim) @ shift_matrix(8, settings.dim)
    gap = (both - shift_matrix(11, settings.dim)).abs().max().item()
    report.claim("a shift by 3 after a shift by 8 is a shift by 11", gap, at_most=1e-12)
    return table


def likeness(table: Tensor) -> Tensor:
    """Mean cosine of the angle between encodings, by distance."""
    unit = table / table.norm(dim=1, keepdim=True)
    products = unit @ unit.T
    return torch.stack([products.diagonal(k).mean() for k in range(len(table) // 2)])


def claim_distance(report: Report, settings: Settings, table: Tensor) -> None:
    products = table @ table.T
    spread = max(products.diagonal(k).std().item() for k in (1, 7, 30))
    report.claim("products of encodings depend on the distance alone", spread, at_most=1e-5)
    generator = torch.Generator().manual_seed(settings.seed)
    q, k = torch.randn(2, settings.dim, generator=generator, dtype=torch.float64)
    rotary = Rotary(settings.dim).double()
    scores = rotary(q.expand(64, -1)) @ rotary(k.expand(64, -1)).T
    spread = max(scores.diagonal(d).std().item() for d in (-9, 0, 20))
    report.claim("so do rotary scores of any query and key", spread, at_most=1e-4)


def draw_echoes(settings: Settings, length: int, seed: int) -> tuple[Tensor, Tensor]:
    """Random tokens, and as target the token ``lag`` places back."""
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.randint(settings.num_tokens, (settings.rows, length), generator=generator)
    target = tokens.roll(settings.lag, 1)
    target[:, : settings.lag] = -100  # nothing stands there
    return tokens, target


def train_echo(settings: Settings, positions: str) -> GPT:
    with seeded(settings.seed):
        model = GPT(settings.num_tokens, 2 * settings.trained_length, 32, 1, 2, positions=positions)
    Trainer(
        model, token_cross_entropy, lr=4e-3, schedule="cosine", epochs=settings.epochs, batch_size=64,
        seed=settings.seed, progress=False,
    ).fit(draw_echoes(settings, settings.trained_length, settings.seed))  # fmt: skip
    return model


@torch.inference_mode()
def accuracy_by_position(settings: Settings, model: GPT) -> Tensor:
    tokens, target = draw_echoes(settings, model.context, settings.seed + 1)
    tokens, target = tokens[:500], target[:500]
    right = (model.eval()(tokens).argmax(-1) == target).double()
    return 100 * right.mean(0)[settings.lag :]


def run(settings: Settings) -> Report:
    report = Report(
        title="Positional encoding",
        summary="Sines and cosines of falling frequencies give every place its own vector, and every "
        "distance its own rotation; attention can then look a fixed distance back.",
    )
    table = claim_shift(report, settings)
    claim_distance(report, settings, table)
    report.figure(
        "pattern",
        position_pattern(table, {"sinusoidal": likeness(table)}),
        caption="Left: fast waves in the first coordinates, slow ones in the last. Right: neighbours are "
        "alike, and likeness falls with distance.",
    )
    curves, seen = {}, settings.trained_length - settings.lag
    for kind in KINDS:
        accuracy = accuracy_by_position(settings, train_echo(settings, kind))
        curves[kind] = (range(settings.lag, 2 * settings.trained_length), accuracy)
        within = accuracy[:seen].mean().item()
        name = f"repeat the token {settings.lag} back, positions {kind}"
        if kind == "none":
            report.claim(name, within, "accuracy {} %", at_most=40)
        else:
            report.claim(name, within, "accuracy {} %", at_least=90)
    beyond = {kind: values[seen:].mean().item() for kind, (_, values) in curves.items()}
    report.claim(
        "beyond the trained length learned positions know nothing, rotary ones do",
        beyond["rotary"] - beyond["learned"],
        "rotary {} percentage points better",
        at_least=30,
    )
    panel = CurvePanel(
        f"Repeating the token {settings.lag} places back", "position", "accuracy, %", curves
    )
    figure = curve_panels([panel], width=7.0)
    figure.axes[0].axvline(settings.trained_length - 0.5, color="#5F6670", linewidth=1.0)
    report.figure(
        "echo",
        figure,
        caption=f"One causal layer, trained on {settings.trained_length} positions (line) and tested on twice "
        "as many.",
    )
    return report


def position_pattern(table: ArrayLike, products: Mapping[str, ArrayLike]) -> Figure:
    """Draw encodings of positions, and how alike they are by distance.

    Args:
        table: Encodings, shape ``(T, d)``.
        products: By label, cosine of the angle between encodings, by distance from 0 on.

    Example:
        >>> figure = position_pattern(np.zeros((4, 2)), {"sinusoidal": [1.0, 0.5]})
    """
    figure, (left, right) = new_figure(columns=2, width=10.0, height=4.0)
    image = left.imshow(np.asarray(table), cmap=DIVERGING, vmin=-1.0, vmax=1.0, aspect="auto")
    left.set(xlabel="coordinate", ylabel="position", title="Encodings")
    left.grid(False)
    figure.colorbar(image, ax=left, shrink=0.8)
    for color, (label, values) in zip(PALETTE, products.items(), strict=False):
        right.plot(np.asarray(values), color=color, label=label)
    right.axhline(0.0, color=MUTED, linewidth=0.8)
    right.set(xlabel="distance", ylabel="cosine of the angle", title="Likeness by distance")
    if len(products) > 1:
        right.legend()
    return figure
