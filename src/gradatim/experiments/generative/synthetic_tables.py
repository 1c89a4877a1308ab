"""Rows of three real tables from every generator: networks beside a Gaussian copula."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from matplotlib.figure import Figure
from torch import nn

from gradatim.data.entries import require_cached
from gradatim.events import tell_nobody
from gradatim.experiments._fastest_step import FastestStep
from gradatim.fitting.generative.kind import GenerativeOptions
from gradatim.fitting.generative.rows.judging import RowFigures
from gradatim.fitting.generative.rows.medium import JITTERED, RowMedium, read_rows
from gradatim.fitting.generative.rows.model import COPULA, INDEPENDENT
from gradatim.fitting.generative.rows.networks import RowMaker
from gradatim.fitting.learning import train_network
from gradatim.fitting.rounds import Plan, Size
from gradatim.fitting.work import Work
from gradatim.plots import comparison_bars
from gradatim.randomness import seeded
from gradatim.reports import Report

COVERS = ("K1", "K3")
KEYWORDS = "synthetic data, tabular VAE, two-sample test, train on synthetic test on real, privacy"
TITLES = {"islp-default": "Default", "spam": "spam", "breast-cancer": "breast cancer"}
ROUNDS = 10
MOST_LOST = 0.03  # AUC that training on generated rows may cost


@dataclass(frozen=True)
class Settings:
    """Steps are at most ``passes`` over the training rows: a network that sees few rows more often knows them by heart."""

    seed: int = 0
    tables: tuple[str, ...] = ("islp-default", "spam", "breast-cancer")
    vae_steps: int = 2_500
    diffusion_steps: int = 6_000
    passes: int = 200
    width: int = 256
    num_layers: int = 3
    batch_size: int = 256


QUICK = Settings(
    tables=("breast-cancer",), vae_steps=250, diffusion_steps=300, width=128, num_layers=2,
)  # fmt: skip


class Contest(NamedTuple):
    """A table, judged.

    Args:
        title: What it is called.
        medium: The table, with figures of all generators.
        chosen: The network whose rows were nearer to validation rows.
        minutes: Of one core, by network.
    """

    title: str
    medium: RowMedium
    chosen: str
    minutes: dict[str, float]

    @property
    def network(self) -> RowFigures:
        return self.medium.figures[self.chosen]

    def gain(self) -> float:
        """Two-sample AUC of the copula less that of the network."""
        return self.medium.figures[COPULA].test.auc.value - self.network.test.auc.value

    def loss(self) -> float:
        """AUC that training on the network's rows costs."""
        return float("nan") if self.network.teaching is None else self.network.teaching.loss.value


def train(
    medium: RowMedium, maker: RowMaker, settings: Settings, fastest: FastestStep
) -> nn.Module:
    """A network of a kind, with the weights that its maker keeps."""
    asked = settings.vae_steps if maker.name == "vae" else settings.diffusion_steps
    most = settings.passes * len(medium.train) // settings.batch_size
    steps = max(min(asked, most) // ROUNDS, 1)
    plan = Plan(Size(settings.width, settings.num_layers, 1), 1, settings.batch_size, steps, ROUNDS, seed=settings.seed)  # fmt: skip
    rows, watched = medium.batches(maker, plan)
    with seeded(settings.seed):
        network = maker.build(plan)
    train_network(
        lambda: network, rows, watched, seed=settings.seed, epochs=ROUNDS,
        callbacks=[*maker.callbacks(plan), fastest], **maker.learning(plan, network),
    )  # fmt: skip
    return network


def compete(name: str, settings: Settings) -> Contest:
    """Fit and judge every generator on a table; validation rows choose the network."""
    medium = read_rows(name, GenerativeOptions(seed=settings.seed))
    with TemporaryDirectory() as folder:
        medium.prepare(Work(Path(folder), {}, resume=False), tell_nobody)
    figures, minutes = {}, {}
    for maker in medium.makers():
        assert isinstance(maker, RowMaker)
        fastest = FastestStep()
        network = train(medium, maker, settings, fastest)
        figures[maker.name], minutes[maker.name] = medium.choose_by(maker, network), fastest.minutes
        medium.add(maker.name, maker, network)
    medium.add_references()
    return Contest(TITLES.get(name, name), medium, min(figures, key=lambda n: figures[n]), minutes)


def run(settings: Settings) -> Report:
    require_cached("synthetic-tables", *settings.tables)
    report = Report(
        title="Rows of real tables from every generator",
        summary="A variational autoencoder and a diffusion model make rows of real tables, and validation rows choose one of them. "
        "Held-out rows say whether a classifier can tell their rows from real ones more surely than those of a Gaussian copula, what "
        "trees learn from them, and whether they copy. Where a network is not worth it, this says so.",
    )
    contests = [compete(name, settings) for name in settings.tables]
    claim(report, contests)
    for contest in contests:
        report.table(f"{contest.title}: {len(contest.medium.train):,} training rows, {len(contest.medium.held_out):,} held-out rows", columns=COLUMNS, rows=rows_of(contest))  # fmt: skip
        report.text(sentence(contest))
        report.figure(contest.title.lower().replace(" ", "-"), draw(contest), caption=f"{contest.title}: how surely a classifier tells rows from held-out ones; 0.5 is as good as real rows.")  # fmt: skip
    return report


def claim(report: Report, contests: list[Contest]) -> None:
    if len(contests) > 1:
        won = [contest.title for contest in contests if contest.gain() > 0 and contest.loss() <= MOST_LOST]  # fmt: skip
        report.claim("in most tables the network beats the copula, and what it teaches is nearly as good", len(won), f"of {len(contests)} ({', '.join(won) or 'none'}): lower two-sample AUC, and trees lose at most {MOST_LOST} AUC", at_least=len(contests) - 1)  # fmt: skip
    for contest in contests:
        found, title = contest.network, contest.title
        alone = contest.medium.figures[INDEPENDENT].test.auc.value
        report.claim(f"{title}: the network knows how columns hang together", found.test.auc.value - alone, "two-sample AUC less that of independent columns", below=-0.1)  # fmt: skip
        if len(contests) == 1:
            report.claim(f"{title}: it teaches nearly what real rows teach", contest.loss(), "AUC lost", at_most=MOST_LOST)  # fmt: skip
        assert found.copying is not None
        assert found.repeats is not None
        report.claim(f"{title}: it does not copy", found.copying.low, f"lower end of the share nearer to a training row, {found.copying.value:.3f}; honest is 0.5", at_most=0.5)  # fmt: skip
        report.claim(f"{title}: no row that stands in the data once comes back", found.repeats.unique, equals=0)  # fmt: skip
        jittered = contest.medium.figures[JITTERED].copying
        assert jittered is not None
        report.claim(f"{title}: jittered training rows are found out", jittered.low, "lower end of the share nearer to a training row", above=0.5)  # fmt: skip


COLUMNS = ["generator", "two-sample AUC", "columns alike", "pairs alike", "AUC of what it teaches", "lost", "nearer to training", "minutes"]  # fmt: skip


def rows_of(contest: Contest) -> list[list[object]]:
    """A line for each generator, the chosen network marked."""
    rows: list[list[object]] = []
    for name, own in contest.medium.figures.items():
        mark = " ←" if name == contest.chosen else ""
        taught = ["", ""] if own.teaching is None else [own.teaching.generated.value, own.teaching.loss.value]  # fmt: skip
        near = "" if own.copying is None else f"{own.copying.value:.2f} ({own.copying.low:.2f} to {own.copying.high:.2f})"  # fmt: skip
        rows.append([name + mark, own.test.auc.value, own.columns.value, own.pairs.value, *taught, near, contest.minutes.get(name, "")])  # fmt: skip
    return rows


def sentence(contest: Contest) -> str:
    """Whether the network is worth it on a table."""
    gain, loss = contest.gain(), contest.loss()
    worth = "beats" if gain > 0 else "does not beat"
    return f"{contest.title}: the network ({contest.chosen}) {worth} the copula in the two-sample test, by {abs(gain):.3f}, and trees that learn from its rows lose {loss:.3f} AUC on held-out ones. That rows are no copies is no proof of privacy."  # fmt: skip


def draw(contest: Contest) -> Figure:
    aucs = {name: own.test.auc for name, own in contest.medium.figures.items()}
    return comparison_bars(
        {name: auc.value for name, auc in aucs.items()}, label="two-sample AUC",
        intervals={name: (auc.low, auc.high) for name, auc in aucs.items()}, highlight=contest.chosen,
    )  # fmt: skip
