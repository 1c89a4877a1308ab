"""Eight clouds on a ring: which objective finds them all when the discriminator is ahead."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import torch
from matplotlib.figure import Figure
from torch import Tensor

from gradatim.generative import GAN, GANTraining, train_gan
from gradatim.models import MLP
from gradatim.plots.style import MARKERS, MUTED, PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Callback, Trainer
from gradatim.training.history import Record

COVERS = ("K2",)
KEYWORDS = "mode collapse, Wasserstein GAN, gradient penalty, minimax, non-saturating loss"
MODES, DEVIATION = 8, 0.05
NEAR = (
    4 * DEVIATION
)  # of a centre: a sample there is one of its cloud; half the distance of two centres is 0.38
SEEN = 1000  # samples of a look
TENTH = SEEN / MODES / 10  # samples of a cloud that count as having found it
NAMES = {
    "non-saturating": "−log D",
    "minimax": "log(1 − D)",
    "wasserstein-gp": "Wasserstein, slopes held",
}


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 5_120
    hidden: tuple[int, ...] = (128, 128)
    epochs: int = 300
    batch_size: int = 256
    lr: float = 1e-3
    critic_steps: int = 5
    penalty: float = 1.0


QUICK = Settings(epochs=90)


class Look(NamedTuple):
    """Clouds that samples have found, and the share of samples in any of them."""

    modes: int
    share: float


def centres() -> Tensor:
    """Centres of the clouds, on a circle of radius 1."""
    angle = 2 * math.pi / MODES * torch.arange(MODES)
    return torch.stack([angle.cos(), angle.sin()], 1)


def draw_ring(rows: int, generator: torch.Generator) -> Tensor:
    """Points of the clouds, each as likely as the other."""
    chosen = torch.randint(MODES, (rows,), generator=generator)
    return centres()[chosen] + DEVIATION * torch.randn(rows, 2, generator=generator)


def look(samples: Tensor) -> Look:
    """Count clouds with at least a tenth of their share of the samples.

    >>> look(centres().repeat(125, 1))
    Look(modes=8, share=1.0)
    """
    distance, cloud = torch.cdist(samples, centres()).min(1)
    is_near = distance < NEAR
    found = torch.bincount(cloud[is_near], minlength=MODES)
    return Look(int((found >= TENTH).sum()), float(is_near.double().mean()))


class Looks(Callback):
    """Samples of the same noise after every epoch: what was found, and where the last ones lie."""

    any_layout = True

    def __init__(self) -> None:
        self.found: list[Look] = []

    def on_epoch_end(self, trainer: Trainer, record: Record) -> None:
        assert isinstance(trainer.model, GAN)
        self.last = trainer.model.sample(SEEN, generator=torch.Generator().manual_seed(0))
        self.found.append(look(self.last))


class Game(NamedTuple):
    """A finished game."""

    looks: Looks
    trained: GANTraining

    def late(self) -> Look:
        """Means over the last fifth of the epochs."""
        last = self.looks.found[-max(len(self.looks.found) // 5, 1) :]
        modes, shares = zip(*last, strict=True)
        return Look(round(sum(modes) / len(last), 1), sum(shares) / len(last))


def play(objective: str, data: Tensor, settings: Settings) -> Game:
    """Train by one objective; data, networks and moves are the same for all."""
    with seeded(settings.seed):
        generator, discriminator = MLP((2, *settings.hidden, 2)), MLP((2, *settings.hidden, 1))
    looks = Looks()
    trained = train_gan(
        generator, discriminator, data, objective, latent_dim=2, epochs=settings.epochs, batch_size=settings.batch_size,
        lr=settings.lr, critic_steps=settings.critic_steps, penalty=settings.penalty, callbacks=[looks],
        seed=settings.seed, progress=False,
    )  # fmt: skip
    return Game(looks, trained)


def run(settings: Settings) -> Report:
    report = Report(
        title="Eight clouds, three objectives",
        summary=f"The discriminator moves {settings.critic_steps} times for each move of the generator, as theory would have it. The "
        "game's own loss, log(1 − D), then has no slope left and finds few clouds for long; −log D and a critic whose slopes are "
        "held near 1 find all. That a game covers the data can be seen in samples only.",
    )
    data = draw_ring(settings.rows, torch.Generator().manual_seed(settings.seed))
    games = {objective: play(objective, data, settings) for objective in NAMES}
    late = {objective: game.late() for objective, game in games.items()}
    claim(report, late)
    columns = ["objective", "clouds", "in a cloud", "clouds kept", "warnings"]
    rows = [[NAMES[name], *late[name], look(sample_of(game)).modes, len(game.trained.warnings)] for name, game in games.items()]  # fmt: skip
    report.table("Coverage by objective", columns=columns, rows=rows)
    report.text("Clouds found and the share of samples in a cloud are means over the last fifth of the run; clouds kept are those of the weights that come back, of the epoch whose samples were nearest to the data; warnings tell that samples went bad.")  # fmt: skip
    report.figure("clouds", draw_clouds(data, games), caption="Grey: data. Coloured: samples at the end of the run.")  # fmt: skip
    report.figure("coverage", draw_coverage(games), caption="Clouds found, and the share of samples that lie in one, after every epoch.")  # fmt: skip
    return report


def claim(report: Report, late: Mapping[str, Look]) -> None:
    plain, usual, held = (late[name] for name in ("minimax", "non-saturating", "wasserstein-gp"))
    for name, found in (("−log D finds nearly all clouds", usual), ("and so does a critic with slopes held", held)):  # fmt: skip
        report.claim(name, found.modes, f"of {MODES}, mean of the last fifth of the run", at_least=7)  # fmt: skip
    report.claim("log(1 − D) finds fewer, for it saturates", plain.modes - min(usual.modes, held.modes), "clouds more than the others", below=-1)  # fmt: skip
    better = min(usual.share, held.share)
    report.claim("and few of its samples are any good", plain.share / better, "share of samples in a cloud, as a share of the others'", below=0.5)  # fmt: skip


def sample_of(game: Game) -> Tensor:
    return game.trained.gan.sample(SEEN, generator=torch.Generator().manual_seed(0))


def draw_clouds(data: Tensor, games: Mapping[str, Game]) -> Figure:
    figure, panels = new_figure(columns=len(games), width=3.4 * len(games), height=3.6)
    for k, (panel, (name, game)) in enumerate(zip(panels, games.items(), strict=True)):
        panel.plot(*data[:SEEN].T, ".", color=MUTED, alpha=0.3, markersize=3)
        panel.plot(*game.looks.last.T, ".", color=PALETTE[k], markersize=3)
        panel.set(title=NAMES[name], xlim=(-1.6, 1.6), ylim=(-1.6, 1.6), aspect="equal")
        panel.grid(visible=False)
    return figure


def draw_coverage(games: Mapping[str, Game]) -> Figure:
    figure, panels = new_figure(columns=2, width=9.0, height=3.6)
    for k, (panel, title) in enumerate(zip(panels, ("clouds found", "share of samples in a cloud"), strict=True)):  # fmt: skip
        for color, (name, game) in enumerate(games.items()):
            values = [found[k] for found in game.looks.found]
            epochs = range(1, len(values) + 1)
            panel.plot(epochs, values, color=PALETTE[color], label=NAMES[name], marker=MARKERS[color], markevery=max(len(values) // 8, 1))  # fmt: skip
        panel.set(title=title, xlabel="epoch")
        panel.set_ylim(bottom=0)
    panels[1].legend()
    return figure
