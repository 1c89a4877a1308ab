"""Zachary's karate club: two labels and its friendships tell who went with whom."""

from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from torch import Tensor
from torch.nn import functional

from gradatim.data import Graph, load
from gradatim.experiments.graphs._node_training import fit_nodes, labels
from gradatim.models import GCN
from gradatim.nn import coupling_matrix
from gradatim.plots.graph_figures import layout
from gradatim.plots.style import INK, MUTED, PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.theory import label_propagation, spectral_clustering

COVERS = ("H2",)
KEYWORDS = "Zachary, community detection, spectral clustering, GCN"
HEADS = torch.tensor([0, 33])  # Mr. Hi, who taught, and the officer, who administered the club
BLACK_BELT = (
    9  # Zachary's number of the member who followed Mr. Hi, three weeks before his examination
)


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    draws: int = 50
    epochs: int = 100
    hidden_dim: int = 16
    wide_dim: int = 256


QUICK = Settings(draws=6)


def count_right(found: Tensor, y: Tensor) -> int:
    """Members whose side is found."""
    return int((found == y).sum())


def nearest_head(z: Tensor) -> Tensor:
    """The head whose direction is nearest to that of each row: 0 or 1, as the sides are numbered."""
    z = functional.normalize(z, dim=1)
    return (z @ z[HEADS].T).argmax(1)


@torch.no_grad()
def untrained(club: Graph, width: int, seed: int) -> Tensor:
    """What a GCN of three layers says before it has learned anything."""
    with seeded(seed):
        model = GCN(club.num_nodes, width, width, num_layers=3, dropout=0.0)
    return model(club.x, club.edge_index)


def train(settings: Settings, club: Graph, draw: int) -> Tensor:
    """Two outputs of each member, of a GCN that was told the sides of the two heads."""
    count, width = club.num_nodes, settings.hidden_dim
    return fit_nodes(
        lambda: GCN(count, width, 2, dropout=0.0), club, HEADS, epochs=settings.epochs, seed=settings.seed + draw
    ).outputs  # fmt: skip


def run(settings: Settings) -> Report:
    club = load("karate").graph
    assert club is not None
    y, count = labels(club), club.num_nodes
    bare = Graph(club.x, club.edge_index[:, :0], y=y)
    draws = range(settings.draws)
    trained = [train(settings, club, draw) for draw in draws]
    alone = [count_right(train(settings, bare, draw).argmax(1), y) for draw in draws]
    wide = [untrained(club, settings.wide_dim, settings.seed + draw) for draw in draws]
    spread = label_propagation(y, club.edge_index, HEADS, num_classes=2, alpha=1.0).argmax(1)
    parts = spectral_clustering(club.edge_index, count, 2, seed=settings.seed)
    power = torch.linalg.matrix_power(coupling_matrix(club.edge_index, count).to_dense(), 3)
    right = {
        "GCN, two labels": [count_right(own.argmax(1), y) for own in trained],
        "GCN without friendships": alone,
        "untrained GCN, direction nearest to a head": [count_right(nearest_head(z), y) for z in wide],
        "label propagation, two labels": [count_right(spread, y)],
        "spectral clustering, no label": [max(count_right(parts, y), count_right(1 - parts, y))],
        "rows of Ā³, direction nearest to a head": [count_right(nearest_head(power), y)],
    }  # fmt: skip
    report = Report(
        title="A karate club",
        summary=f"From the sides of the two heads alone, labels that spread find those of {right['label propagation, two labels'][0]} of "
        f"{count} members, a GCN of {np.mean(right['GCN, two labels']):.1f} on average over {settings.draws} drawn starts.",
    )  # fmt: skip
    claim(report, settings, right, torch.nonzero(spread != y).flatten() + 1)
    report.table(
        f"Members on the right side, of {count}",
        columns=["by", "tries", "mean", "least", "most"],
        rows=[[name, len(own), float(np.mean(own)), min(own), max(own)] for name, own in right.items()],
    )  # fmt: skip
    report.figure(
        "club",
        draw_club(club, wide[0], trained[0]),
        caption="The club in colours of its two halves, the heads larger; the outputs of an untrained GCN, two principal components "
        "of their directions; the outputs of a GCN that was told the sides of the heads.",
    )
    return report


def claim(report: Report, settings: Settings, right: dict[str, list[int]], missed: Tensor) -> None:
    learned = np.array(right["GCN, two labels"])
    report.claim("labels of the two heads spread to 33 of 34 members", right["label propagation, two labels"][0], at_least=33)  # fmt: skip
    report.claim("… and miss the one whom Zachary's own cut missed", str(missed.tolist()), "member {}", equals=str([BLACK_BELT]))  # fmt: skip
    report.claim("two parts with few edges between them are the halves of the club", right["spectral clustering, no label"][0], "{} of 34", at_least=32)  # fmt: skip
    report.claim("a GCN finds 31 of 34 or more", float((learned >= 31).mean()), f"in a share {{}} of {settings.draws} drawn starts", at_least=0.9)  # fmt: skip
    report.claim("without friendships it cannot know", float(np.mean(right["GCN without friendships"])), "{} of 34 on average, 18 by chance", below=24)  # fmt: skip
    report.claim("an untrained GCN, if wide, already puts friends side by side", float(np.mean(right["untrained GCN, direction nearest to a head"])), "{} of 34 on average", at_least=31)  # fmt: skip
    report.claim("… as powers of the coupling matrix do", right["rows of Ā³, direction nearest to a head"][0], "{} of 34", at_least=32)  # fmt: skip


def draw_club(club: Graph, before: Tensor, after: Tensor) -> Figure:
    """The graph, what an untrained network makes of it, and a trained one.

    Args:
        club: The graph.
        before: Outputs of an untrained network, shape ``(N, width)``.
        after: Two outputs of a trained one, shape ``(N, 2)``.
    """
    figure, panels = new_figure(1, 3, width=11.0, height=3.9)
    directions = functional.normalize(before, dim=1)
    centred = directions - directions.mean(0)
    plane = centred @ torch.linalg.svd(centred, full_matrices=False).Vh[:2].T
    places = {
        "the club": layout(club.edge_index.numpy(), club.num_nodes),
        "untrained": plane.numpy(),
        "trained on two labels": after.numpy(),
    }
    for panel, (title, own) in zip(panels, places.items(), strict=True):
        draw_members(panel, club, own)
        panel.set_title(title)
    panels[1].set(xlabel="first component", ylabel="second component")
    panels[2].set(xlabel="output for Mr. Hi", ylabel="output for the officer")
    panels[0].set_axis_off()
    panels[0].legend(loc="lower left")
    return figure


def draw_members(panel: Axes, club: Graph, places: np.ndarray) -> None:
    """Members at their places, with their friendships."""
    lines = places[club.edge_index.T.numpy()]  # (E, 2, 2)
    panel.add_collection(LineCollection(list(lines), colors=MUTED, linewidths=0.5, alpha=0.35, zorder=1))  # fmt: skip
    sizes = np.full(len(places), 36.0)
    sizes[HEADS.numpy()] = 130.0
    for side, name in enumerate(("with Mr. Hi", "with the officer")):
        own = labels(club).numpy() == side
        panel.scatter(places[own, 0], places[own, 1], s=sizes[own], color=PALETTE[side], edgecolors=INK, linewidths=0.5, label=name, zorder=2)  # fmt: skip
    panel.margins(0.08)
