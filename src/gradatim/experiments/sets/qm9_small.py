"""Energies of molecules: a network that reads distances between atoms against a linear model that counts them."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor
from torch.nn.functional import l1_loss

from gradatim.data import GraphBatch, GraphSet, GraphStream, load, rotate_points
from gradatim.evaluation import Interval, corrected_interval
from gradatim.experiments.sets._molecules import (
    KINDS,
    DistanceNetwork,
    count_atoms,
    join_near,
    made_up_molecules,
)
from gradatim.plots.style import MUTED, PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("H2",)
KEYWORDS = "message passing, molecules, quantum chemistry, regression on graphs"
HARTREE = 27.211386  # eV
INVARIANT = 1e-9  # relative change in double precision that is rounding
LINEAR, NETWORK = "linear on counts of atoms", "network on distances"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    source: str = "qm9"
    train: int = 3000
    test: int = 1000
    hidden_dim: int = 32
    num_layers: int = 2
    num_waves: int = 24
    reach: float = 5.0
    batch_size: int = 32
    epochs: int = 30
    lr: float = 3e-3


QUICK = Settings(source="made-up", train=300, test=150, hidden_dim=16, epochs=20, lr=1e-2)


class Learned(NamedTuple):
    """Both models on the test molecules, in eV."""

    truth: np.ndarray
    said: dict[str, np.ndarray]
    network: DistanceNetwork

    def errors(self, name: str) -> np.ndarray:
        return np.abs(self.said[name] - self.truth)


def draw(settings: Settings) -> tuple[GraphSet, Tensor]:
    """Molecules to learn from, then those to judge by, and their energies in eV."""
    count, generator = settings.train + settings.test, torch.Generator().manual_seed(settings.seed)
    if settings.source == "made-up":
        found, unit = made_up_molecules(count, generator), 1.0
    else:
        graphs = load(settings.source).graphs
        assert graphs is not None
        rows = torch.randperm(len(graphs), generator=generator)[:count]
        found, unit = GraphSet.from_batch(graphs[rows]), HARTREE
    assert found.y is not None
    return found, unit * found.y.double()


def learn(settings: Settings, molecules: GraphSet, energy: Tensor) -> Learned:
    """Fit energies by counts, then what is left of them by distances, in units of its mean size."""
    s, whole = settings, molecules[:]
    counts = count_atoms(whole).double()
    weights = torch.linalg.lstsq(counts[: s.train], energy[: s.train, None]).solution
    linear = (counts @ weights)[:, 0]
    scale = (energy - linear)[: s.train].abs().mean()
    left = ((energy - linear) / scale).float()
    near = GraphSet.from_batch(join_near(whole, s.reach)._replace(y=left))
    with seeded(s.seed):
        network = DistanceNetwork(s.hidden_dim, s.num_layers, num_waves=s.num_waves, reach=s.reach)
    trainer = Trainer(
        network, objective=lambda model, batch: l1_loss(model(batch), batch.y),
        lr=s.lr, schedule="cosine", epochs=s.epochs, clip_norm=1.0, seed=s.seed, device="cpu", progress=False,
    )  # fmt: skip
    trainer.fit(GraphStream(near, s.batch_size, rows=torch.arange(s.train), seed=s.seed))
    test = torch.arange(s.train, s.train + s.test)
    with torch.inference_mode():
        found = torch.cat([network.eval()(batch) for batch in GraphStream(near, 256, rows=test)])
    said = {LINEAR: linear[test], NETWORK: linear[test] + scale * found.double()}
    return Learned(energy[test].numpy(), {name: own.numpy() for name, own in said.items()}, network)


def changes(network: DistanceNetwork, molecules: GraphBatch, reach: float, seed: int) -> dict[str, float]:  # fmt: skip
    """Largest change of what the network says, in units of its mean size, where molecules are turned, moved or renamed."""
    network, generator = network.double(), torch.Generator().manual_seed(seed)
    x = molecules.x.double()
    marks, places = x[:, :KINDS], x[:, KINDS:]
    turned = rotate_points(places[None], generator=generator)[0]
    shift = 5 * torch.randn(molecules.num_graphs, 3, generator=generator, dtype=torch.float64)
    order = torch.argsort(molecules.batch + torch.rand(len(x), generator=generator, dtype=torch.float64))  # fmt: skip
    moved = {
        "turned": torch.cat([marks, turned], 1),
        "moved": torch.cat([marks, places + shift[molecules.batch]], 1),
        "renamed": x[order],
    }
    with torch.inference_mode():
        before = network(join_near(molecules._replace(x=x), reach))
        after = {name: network(join_near(molecules._replace(x=own), reach)) for name, own in moved.items()}  # fmt: skip
    return {name: float((own - before).abs().max() / before.abs().mean()) for name, own in after.items()}  # fmt: skip


def claim_all(report: Report, found: Learned, moved: dict[str, float]) -> Interval:
    errors = {name: found.errors(name) for name in found.said}
    gain = corrected_interval(errors[LINEAR] - errors[NETWORK], 0.0)
    report.claim("distances lower the mean absolute error clearly", gain.low, "95 % interval of the paired difference begins {} eV", above=0.0)  # fmt: skip
    report.claim("… to less than half of that of counts", float(errors[NETWORK].mean() / errors[LINEAR].mean()), "ratio", below=0.5)  # fmt: skip
    for name, change in moved.items():
        report.claim(f"a molecule that is {name} has the same energy", change, "relative change", below=INVARIANT)  # fmt: skip
    return gain


def run(settings: Settings) -> Report:
    molecules, energy = draw(settings)
    found = learn(settings, molecules, energy)
    test = molecules[torch.arange(settings.train, settings.train + settings.test)]
    moved = changes(found.network, test, settings.reach, settings.seed)
    report = Report(title="Energies of molecules", summary="")
    gain = claim_all(report, found, moved)
    errors = {name: found.errors(name) for name in found.said}
    report.summary = (
        f"Internal energy of {settings.test:,} molecules, learned from {settings.train:,}: counts of atoms miss it by "
        f"{errors[LINEAR].mean():.3f} eV, distances beside them by {errors[NETWORK].mean():.3f} eV; {gain.mean:.3f} eV less "
        f"(95 % interval {gain.low:.3f} to {gain.high:.3f})."
    )
    report.table(
        "Absolute errors of the energy, eV",
        columns=["model", "mean", "median", "95th percentile"],
        rows=[[name, own.mean(), np.median(own), np.quantile(own, 0.95)] for name, own in errors.items()],
    )  # fmt: skip
    report.figure("errors", draw_errors(errors), caption="Share of test molecules whose energy is missed by less.")  # fmt: skip
    return report


def draw_errors(errors: dict[str, np.ndarray]) -> Figure:
    """Draw the share of molecules against the error below which they are.

    Args:
        errors: Absolute errors in eV by model.

    Example:
        >>> draw_errors({"one": np.array([0.1, 0.2])}).axes[0].get_xlabel()
        'absolute error of the energy, eV'
    """
    figure, axes = new_figure(width=6.4, height=3.8)
    for (name, own), color in zip(errors.items(), (MUTED, PALETTE[0]), strict=False):
        axes.step(np.sort(own), np.arange(1, len(own) + 1) / len(own), where="post", color=color, label=f"{name}: mean {own.mean():.2g} eV")  # fmt: skip
    axes.set_xscale("log")
    axes.set_xlabel("absolute error of the energy, eV")
    axes.set_ylabel("share of molecules")
    axes.legend(loc="upper left")
    return figure
