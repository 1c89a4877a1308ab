"""A representation that keeps of x what tells of y: exact on small alphabets, variational on images."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.data import load
from gradatim.models import MLP
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.theory import Bottleneck, information_bottleneck, mutual_information
from gradatim.training import Trainer

COVERS = ("I5",)
KEYWORDS = "mutual information, Tishby, variational information bottleneck VIB, information plane, compression, sufficient statistic, Blahut-Arimoto, self-consistent iteration"
BETAS = (0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 15.0, 30.0, 100.0)
LOG_CLASSES = float(np.log(10))


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    letters: int = 16
    starts: int = 10
    train_rows: int = 60_000
    test_rows: int = 10_000
    epochs: int = 20
    dim: int = 32
    hidden: tuple[int, ...] = (256, 256)
    weights: tuple[float, ...] = (0.0, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)


QUICK = Settings(starts=4, train_rows=6000, test_rows=2000, epochs=10, hidden=(128,), weights=(0.0, 1e-3, 1e-1))  # fmt: skip


def draw_joint(settings: Settings) -> Tensor:
    """Letters of four kinds that differ in what they say of three outcomes."""
    generator = torch.Generator().manual_seed(settings.seed)
    kinds = torch.tensor([[0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.1, 0.1, 0.8], [0.34, 0.33, 0.33]]).double()  # fmt: skip
    p_y_x = kinds[torch.arange(settings.letters) % 4]
    p_y_x = p_y_x + 0.1 * torch.rand(p_y_x.shape, generator=generator, dtype=torch.float64)
    p_x = 0.5 + torch.rand(settings.letters, generator=generator, dtype=torch.float64)
    joint = p_x[:, None] * p_y_x / p_y_x.sum(1, keepdim=True)
    return joint / joint.sum()


def best_of(p: Tensor, beta: float, settings: Settings) -> Bottleneck:
    """The lowest objective of several starts."""
    found = [
        information_bottleneck(p, beta, seed=100 * settings.seed + start)
        for start in range(settings.starts)
    ]
    return min(found, key=lambda one: one.objective[-1].item())


def check_alphabet(report: Report, settings: Settings) -> CurvePanel:
    p = draw_joint(settings)
    found = {beta: best_of(p, beta, settings) for beta in BETAS}
    whole, entropy = mutual_information(p).item(), _entropy(p.sum(1))
    rises = max(one.objective.diff().max().item() for one in found.values())
    report.claim("no step of the iteration raises I(X;T) − β I(T;Y)", rises, "largest rise", at_most=1e-9)  # fmt: skip
    report.claim("β ≤ 1: everything is forgotten", max(found[b].kept for b in (0.5, 1.0)), "nats kept", below=1e-2)  # fmt: skip
    report.claim("β → ∞: all that there is to know of y stays", found[BETAS[-1]].told / whole, "share of I(X;Y)", at_least=0.98)  # fmt: skip
    told = [one.told for one in found.values()]
    report.claim("with β more is told of y", min(np.diff(told)), "smallest gain", at_least=-1e-3)
    slopes = np.diff(told) / np.maximum(np.diff([one.kept for one in found.values()]), 1e-9)
    kept_enough = np.diff([one.kept for one in found.values()]) > 1e-3
    slopes = slopes[kept_enough]
    report.claim("each further nat about x tells less of y: the curve is concave", max(np.diff(slopes)), "largest change of its slope", at_most=0.02)  # fmt: skip
    report.claim("the curve lies below both of its limits: I(T;Y) ≤ I(X;T) and ≤ I(X;Y)", max(max(one.told - one.kept, one.told - whole) for one in found.values()), at_most=1e-9)  # fmt: skip
    kept = [one.kept for one in found.values()]
    return CurvePanel(
        "Information plane of a small alphabet", "I(X;T), nats kept of x", "I(T;Y), nats told of y", {"representations": (kept, told)},
        {"I(X;Y)": ([0, entropy], [whole, whole]), "I(T;Y) = I(X;T)": ([0, whole], [0, whole])},
    )  # fmt: skip


def _entropy(p: Tensor) -> float:
    return -torch.xlogy(p, p).sum().item()


class Noisy(nn.Module):
    r"""A network whose middle is a draw from :math:`N(\mu(x),\sigma^2(x))`; in evaluation its mean.

    Args:
        sizes: Widths from the input to the last hidden layer.
        dim: Width of the middle.
    """

    def __init__(self, sizes: tuple[int, ...], dim: int) -> None:
        super().__init__()
        self.encoder = MLP((*sizes, 2 * dim))
        self.decoder = nn.Linear(dim, 10)

    def code(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and deviation."""
        mean, raw = self.encoder(x).chunk(2, -1)
        return mean, F.softplus(raw - 1) + 1e-4

    def forward(self, x: Tensor) -> Tensor:
        mean, deviation = self.code(x)
        noise = torch.randn_like(mean) if self.training else torch.zeros_like(mean)
        return self.decoder(mean + deviation * noise)


def rate(mean: Tensor, deviation: Tensor) -> Tensor:
    r"""Mean of :math:`D_\mathrm{KL}(N(\mu,\sigma^2)\|N(0,I))`, a bound on :math:`I(X;T)` from above."""
    return 0.5 * (mean.square() + deviation.square() - 1 - 2 * deviation.log()).sum(1).mean()


def variational(weight: float) -> Callable[[nn.Module, tuple[Tensor, ...]], dict[str, Tensor]]:
    r"""The objective :math:`\mathbb E[-\log q(y|t)] + \beta\,D_\mathrm{KL}` of Alemi et al.; its β weighs what is kept, not what is told."""

    def objective(model: nn.Module, batch: tuple[Tensor, ...]) -> dict[str, Tensor]:
        assert isinstance(model, Noisy)
        x, y = batch
        mean, deviation = model.code(x)
        noise = torch.randn_like(mean) if model.training else torch.zeros_like(mean)
        error = F.cross_entropy(model.decoder(mean + deviation * noise), y)
        kept = rate(mean, deviation)
        return {"loss": error + weight * kept, "kept": kept}

    return objective


class Seen(NamedTuple):
    """Nats kept of a test image, told of its class, and test error in per cent."""

    kept: float
    told: float
    error: float


def train(settings: Settings, weight: float) -> Seen:
    mnist = load("mnist")
    (X, y), (X_test, y_test) = (tuple(torch.as_tensor(p) for p in part) for part in (mnist.train, mnist.test))  # fmt: skip
    X, y, X_test, y_test = X[: settings.train_rows], y[: settings.train_rows], X_test[: settings.test_rows], y_test[: settings.test_rows]  # fmt: skip
    with seeded(settings.seed):
        model = Noisy((784, *settings.hidden), settings.dim)
    trainer = Trainer(
        model, objective=variational(weight), optimizer="adam", lr=2e-3, schedule="cosine", epochs=settings.epochs, batch_size=100, seed=settings.seed, progress=False,
    )  # fmt: skip
    trainer.fit((X.reshape(len(X), -1), y.long()))
    model.eval()
    with torch.inference_mode(), seeded(settings.seed):
        mean, deviation = model.code(X_test.reshape(len(X_test), -1))
        draws = [model.decoder(mean + deviation * torch.randn_like(mean)) for _ in range(12)]
        log_p = torch.stack([d.log_softmax(-1) for d in draws])  # (draws, N, 10)
        told = LOG_CLASSES + log_p[:, range(len(y_test)), y_test.long()].mean().item()
        wrong = log_p.exp().mean(0).argmax(1) != y_test
    return Seen(rate(mean, deviation).item(), told, 100 * wrong.double().mean().item())


def check_images(report: Report, settings: Settings) -> list[CurvePanel]:
    found = {weight: train(settings, weight) for weight in settings.weights}
    kept = [one.kept for one in found.values()]
    report.claim("MNIST: the dearer a nat, the fewer are kept of an image", max(np.diff(kept)), "largest change", below=0.0)  # fmt: skip
    mild = found[1e-3]
    report.claim("at β = 0.001 a fraction of the nats is enough", mild.kept / found[0.0].kept, "share of those kept for nothing", below=0.5)  # fmt: skip
    report.claim("and the test error is hardly higher", mild.error - found[0.0].error, "points above that without a bottleneck,", below=1.0)  # fmt: skip
    if 1.0 in found:
        report.claim("β = 1: what is kept is hardly more than the class needs", found[1.0].kept, "nats", below=2 * LOG_CLASSES)  # fmt: skip
    report.table(
        f"MNIST, {settings.train_rows:,} rows, {settings.epochs} epochs",
        columns=["β", "nats kept (at most)", "nats told (at least)", "test error %"],
        rows=[[weight, *seen] for weight, seen in found.items()],
    )
    shown = {w: s for w, s in found.items() if w > 0}
    return [
        CurvePanel(
            "MNIST, by the price of a nat", "I(X;T) at most, nats", "I(T;Y) at least, nats",
            {"networks": ([s.kept for s in shown.values()], [s.told for s in shown.values()])}, {"log 10": ([min(s.kept for s in shown.values()), max(s.kept for s in shown.values())], [LOG_CLASSES, LOG_CLASSES])}, is_log_x=True,
        ),
        CurvePanel("Test error", "β, price of a nat", "test error %", {"networks": (list(shown), [s.error for s in shown.values()])}, {"no bottleneck": ([min(shown), max(shown)], [found[0.0].error] * 2)}, is_log_x=True),
    ]  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="The information bottleneck",
        summary="What is worth keeping of x depends on the price of a nat. On small alphabets the self-consistent iteration finds "
        "the trade exactly; on images a noisy middle layer bounds it from both sides.",
    )
    panels = [check_alphabet(report, settings), *check_images(report, settings)]
    report.figure("planes", curve_panels(panels, width=4.6), caption="Left: the curve of the best representations lies in the corner that data processing allows. Middle and right: networks on MNIST.")  # fmt: skip
    return report
