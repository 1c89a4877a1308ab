"""A tenth of a network's weights, set back to where they started, learn almost as well as all of them."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from torch import nn

from gradatim.experiments._digits import Pair, split_digits
from gradatim.models import MLP
from gradatim.nn import apply_masks, weight_sparsity
from gradatim.plots.style import MUTED, PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Ticket, Trainer, find_tickets

COVERS = ("D7",)
KEYWORDS = "pruning, sparse networks, winning ticket, magnitude"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    hidden: tuple[int, ...] = (300, 100)
    epochs: int = 20
    rounds: int = 10
    rate: float = 0.35
    repeats: int = 3


QUICK = Settings(epochs=12, rounds=5, rate=0.5, repeats=1)


def build(settings: Settings, seed: int) -> MLP:
    with seeded(seed):
        return MLP((64, *settings.hidden, 10))


def train_once(model: nn.Module, train: Pair, test: Pair, epochs: int, seed: int) -> float:
    """Train in place; return the test error in per cent."""
    trainer = Trainer(model, lr=2e-3, epochs=epochs, batch_size=64, seed=seed, progress=False)
    trainer.fit(train)
    return 100.0 * trainer.evaluate(test, metrics=["error"])["error"]


def random_scores(tickets: list[Ticket], settings: Settings, seed: int) -> list[float]:
    """Test errors of the same masks on other first weights."""
    train, test = split_digits(seed, 0.3, is_flat=True)
    scores = []
    for ticket in tickets:
        model = apply_masks(build(settings, seed + 1000), ticket.masks)
        scores.append(train_once(model, train, test, settings.epochs, seed))
    return scores


def search(settings: Settings, seed: int) -> tuple[list[Ticket], list[float]]:
    train, test = split_digits(seed, 0.3, is_flat=True)
    model = build(settings, seed)
    tickets = find_tickets(
        model,
        lambda network: train_once(network, train, test, settings.epochs, seed),
        rounds=settings.rounds,
        rate=settings.rate,
    )
    return tickets, random_scores(tickets, settings, seed)


def claim_rewound(report: Report, ticket: Ticket, settings: Settings) -> None:
    """The last ticket starts from the first weights, wherever it has any."""
    fresh = build(settings, settings.seed)
    first = {name: value.clone() for name, value in fresh.state_dict().items()}
    same = all(torch.equal(ticket.start[name], value) for name, value in first.items())
    apply_masks(fresh, ticket.masks)
    total = sum(mask.numel() for mask in ticket.masks.values())
    wanted = round((1 - (1 - settings.rate) ** settings.rounds) * total) / total
    report.claim(
        "sparsity is exact and the ticket starts where the network did",
        expected=f"{wanted:.6f}, and equal first weights",
        measured=weight_sparsity(fresh),
        holds=same and weight_sparsity(fresh) == wanted,
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="The lottery ticket",
        summary="Pruned to a few per cent and set back to its first weights, the network still learns; the "
        "same pattern with other first weights learns less well.",
    )
    runs = [search(settings, settings.seed + r) for r in range(settings.repeats)]
    kept = [100 * (1 - ticket.sparsity) for ticket in runs[0][0]]
    winning = torch.tensor([[t.score for t in tickets] for tickets, _ in runs])
    random = torch.tensor([scores for _, scores in runs])
    claim_rewound(report, runs[0][0][-1], settings)
    means, others = winning.mean(0), random.mean(0)
    tenth = max(i for i, share in enumerate(kept) if share >= 11.0)
    report.claim(
        f"a ticket with {kept[tenth]:.0f} % of the weights is about as good as the whole",
        (means[tenth] - means[0]).item(),
        at_most=2.0,
    )
    report.claim(
        f"with {kept[-1]:.1f} % left, the first weights matter",
        expected="lower test error than the same mask on other weights",
        measured=f"{means[-1]:.1f} against {others[-1]:.1f} %",
        holds=bool(means[-1] < others[-1]),
    )
    report.table(
        "Test error in per cent, mean over repeats",
        columns=["weights kept, %", "rewound to its first weights", "other first weights"],
        rows=[list(row) for row in zip(kept, means.tolist(), others.tolist(), strict=True)],
    )
    report.figure(
        "lottery-ticket",
        ticket_curves(
            kept, {"rewound to its first weights": winning, "other first weights": random}
        ),
        caption=f"Digits; 64-{'-'.join(map(str, settings.hidden))}-10 network, "
        f"{settings.rate:.0%} of the remaining weights removed each round.",
    )
    return report


def ticket_curves(kept: ArrayLike, errors: Mapping[str, ArrayLike]) -> Figure:
    """Draw test errors against the share of weights kept, mean and range over repeats.

    Args:
        kept: Weights kept, in per cent, from 100 down.
        errors: By label, errors in per cent, shape ``(repeats, len(kept))``.

    Example:
        >>> figure = ticket_curves([100, 10], {"ticket": [[2.0, 2.5], [2.2, 2.4]]})
    """
    figure, panel = new_figure(width=7.0, height=4.0)
    for color, (label, values) in zip(PALETTE, errors.items(), strict=False):
        table = np.asarray(values, dtype=float)
        panel.plot(kept, table.mean(0), "o-", color=color, markersize=5, label=label)
        panel.fill_between(kept, table.min(0), table.max(0), color=color, alpha=0.15, linewidth=0)
    whole = np.mean([np.asarray(values)[:, 0].mean() for values in errors.values()])
    panel.axhline(whole, color=MUTED, linestyle=":", linewidth=1.2, label="the whole network")
    panel.set_xscale("log")
    panel.invert_xaxis()
    ticks = [t for t in (100, 50, 20, 10, 5, 2, 1, 0.5) if t >= np.min(np.asarray(kept)) * 0.9]
    panel.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    panel.minorticks_off()
    panel.set(xlabel="weights kept, %", ylabel="test error, %")
    panel.set_ylim(bottom=0)
    panel.legend()
    return figure
