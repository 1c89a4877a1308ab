"""A network that learned wrong labels by heart is too sure; a temperature and averages over networks mend it."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from gradatim.bayes import Predictive, posterior_predictive
from gradatim.data import load
from gradatim.evaluation import (
    TemperatureScaling,
    conformal_radius,
    expected_calibration_error,
    prediction_sets,
)
from gradatim.models import MLP
from gradatim.plots.style import MUTED, PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("J1", "D7")
KEYWORDS = "temperature scaling, overconfidence, reliability diagram, expected calibration error"
PLAIN, SCALED, DROPOUT, ENSEMBLE = "one network", "with a temperature", "mc-dropout", "ensemble"
TEACHING, HELD_OUT = 300, 400  # rows that teach, and that find the temperature; the others judge
COVERAGE = 0.9


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    wrong: float = 0.2
    hidden: int = 50
    epochs: int = 400
    steps: int = 2000
    walk: int = 10_000
    methods: tuple[str, ...] = (
        "laplace", "variational", ENSEMBLE, DROPOUT, "sgld", "sghmc", "hmc",
    )  # fmt: skip


QUICK = Settings(epochs=150, steps=300, walk=800, methods=("laplace", "ensemble", "mc-dropout", "sgld", "sghmc"))  # fmt: skip


class Rows(NamedTuple):
    """Digits, some with a wrong label, and the same with their pixels in another order, which are no digits."""

    taught: tuple[Tensor, Tensor]
    held_out: tuple[Tensor, Tensor]
    new: tuple[Tensor, Tensor]
    off: Tensor


class Told(NamedTuple):
    """Probabilities of new rows and of what is no digit."""

    new: Tensor
    off: Tensor


class Figures(NamedTuple):
    """What a table shows of a method."""

    loss: float
    accuracy: float
    confidence: float
    calibration: float
    entropy: float
    entropy_off: float


def draw_rows(settings: Settings) -> Rows:
    generator, digits = torch.Generator().manual_seed(settings.seed), load("digits")
    X, y = torch.as_tensor(digits.X).float(), torch.as_tensor(digits.y).long()
    order = torch.randperm(len(X), generator=generator)
    X, y = X[order], y[order]
    is_wrong = torch.rand(len(y), generator=generator) < settings.wrong
    others = (y + torch.randint(1, 10, y.shape, generator=generator)) % 10
    y = torch.where(is_wrong, others, y)
    sizes = [TEACHING, HELD_OUT, len(X) - TEACHING - HELD_OUT]
    taught, held_out, new = zip(X.split(sizes), y.split(sizes), strict=True)
    pixels = torch.randperm(X.shape[1], generator=generator)
    return Rows(taught, held_out, new, new[0][:, pixels])


def train(rows: Rows, settings: Settings, *, dropout: float = 0.0) -> nn.Module:
    with seeded(settings.seed):
        model = MLP((64, settings.hidden, 10), dropout=dropout)
    Trainer(model, lr=3e-3, epochs=settings.epochs, batch_size=50, seed=settings.seed, progress=False).fit(rows.taught)  # fmt: skip
    return model.eval()


def options(settings: Settings) -> dict[str, dict[str, Any]]:
    """What every method is given."""
    walk = {"steps": settings.walk, "num_samples": 100}
    return {
        "laplace": {},
        "variational": {"steps": settings.steps},
        ENSEMBLE: {"steps": settings.steps, "num_samples": 5},
        DROPOUT: {},
        "sgld": walk,
        "sghmc": walk,
        "hmc": {"num_samples": 200, "warmup": 100},
    }


@torch.no_grad()
def logits_of(model: nn.Module, x: Tensor) -> Tensor:
    found: Tensor = model(x)
    return found


def measure(told: Told, y: Tensor) -> Figures:
    p = told.new.double().clamp_min(1e-12)
    highest, answer = p.max(1)
    return Figures(
        float(-p[torch.arange(len(y)), y].log().mean()),
        float((answer == y).double().mean()),
        float(highest.mean()),
        expected_calibration_error(told.new.numpy(), y.numpy()),
        float(entropy(told.new).mean()),
        float(entropy(told.off).mean()),
    )


def entropy(p: Tensor) -> Tensor:
    """Of the answers, in nats."""
    return torch.special.entr(p.double()).sum(-1)


def claim_temperature(report: Report, rows: Rows, model: nn.Module) -> dict[str, Told]:
    """What the plain network says, and what one number makes of it."""
    places = (rows.new[0], rows.off)
    logits = [logits_of(model, x) for x in places]
    plain = Told(*(z.softmax(1) for z in logits))
    scaling = TemperatureScaling().fit(logits_of(model, rows.held_out[0]).numpy(), rows.held_out[1].numpy())  # fmt: skip
    scaled = Told(*(torch.from_numpy(scaling.predict_proba(z.numpy())) for z in logits))
    y = rows.new[1]
    before, after = measure(plain, y), measure(scaled, y)
    known = (logits_of(model, rows.taught[0]).argmax(1) == rows.taught[1]).double().mean()
    report.claim("the network has learned its labels by heart, the wrong ones too", float(known), "accuracy on them", above=0.9)  # fmt: skip
    report.claim("so it is too sure", before.confidence - before.accuracy, "mean confidence less accuracy", above=0.05)  # fmt: skip
    report.claim("rows that it has not learned ask for a temperature above 1", scaling.temperature_, "temperature", above=1.2)  # fmt: skip
    report.claim("which lowers the loss of new rows", after.loss / before.loss, "ratio", below=0.95)
    report.claim("and changes no answer", int((plain.new.argmax(1) != scaled.new.argmax(1)).sum()), "answers changed", equals=0)  # fmt: skip
    return {PLAIN: plain, SCALED: scaled}


def claim_averages(report: Report, rows: Rows, averages: dict[str, Predictive], found: dict[str, Told]) -> None:  # fmt: skip
    """What holds for the mean of any probabilities, and what is measured."""
    y, count = rows.new[1], len(rows.new[1])
    apart, together = [], []
    for said in averages.values():
        draws = said.draws[:, :count].double().clamp_min(1e-12)
        apart.append(float(-draws[:, torch.arange(count), y].log().mean()) - measure(Told(said.mean[:count], said.mean[count:]), y).loss)  # fmt: skip
        together.append(float((entropy(said.mean) - entropy(said.draws).mean(0)).min()))
    report.claim("a mean of probabilities loses less than its parts do on average (Jensen)", min(apart), "least gain of a method, nats", above=0.0)  # fmt: skip
    report.claim("and is never surer than they are on average, at any row", min(together), "least difference of entropies, nats", at_least=-1e-5)  # fmt: skip
    figures = {name: measure(told, y) for name, told in found.items()}
    columns = ["NLL", "accuracy", "mean confidence", "calibration error", "entropy, new digits", "entropy, pixels in disorder"]  # fmt: skip
    report.table("New rows", columns=["", *columns], rows=[[name, *own] for name, own in figures.items()])  # fmt: skip
    plain = figures[PLAIN]
    worst = max(figures[name].loss / plain.loss for name in averages)
    report.claim("every average over networks tells new rows better than one network", worst, "largest ratio of NLL", below=0.95)  # fmt: skip
    surest = max((figures[name].confidence - figures[name].accuracy) for name in averages)
    report.claim("and none is as much too sure", surest, "largest confidence less accuracy", below=plain.confidence - plain.accuracy)  # fmt: skip
    report.claim("one network is as sure of pixels in disorder as of digits", plain.entropy_off - plain.entropy, "entropy there less here, nats", below=0.2)  # fmt: skip
    gained = min(figures[name].entropy_off - plain.entropy_off for name in averages)
    report.claim("averages over networks doubt them more", gained, "least entropy more than that of one, nats", above=0.1)  # fmt: skip


def claim_sets(report: Report, rows: Rows, model: nn.Module) -> None:
    """Sets hold whatever the probabilities mean."""
    p, y = logits_of(model, rows.held_out[0]).softmax(1).double(), rows.held_out[1]
    scores = 1 - p[torch.arange(len(y)), y]
    sets = prediction_sets(logits_of(model, rows.new[0]).softmax(1).numpy(), scores.numpy(), COVERAGE)  # fmt: skip
    is_held = sets[np.arange(len(sets)), rows.new[1].numpy()]
    radius = conformal_radius(scores.numpy(), COVERAGE)
    report.claim(f"sets of {COVERAGE:.0%} hold the labels of new rows, though the probabilities are wrong", float(is_held.mean()), "of new rows", near=(COVERAGE, 0.05))  # fmt: skip
    report.text(f"Sets hold the classes whose probability is at least {1 - radius:.2g}, {sets.sum(1).mean():.1f} of ten on average.")  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Probabilities that mean what they say",
        summary="Trained long on few digits, a fifth of them with a wrong label, a network is too sure. One temperature, found on rows that it has "
        "not learned, mends most of it; averages over networks are better, and doubt what is no digit.",
    )
    rows = draw_rows(settings)
    model, places = train(rows, settings), torch.cat([rows.new[0], rows.off])
    found, averages = claim_temperature(report, rows, model), {}
    for method in settings.methods:
        own = train(rows, settings, dropout=0.3) if method == DROPOUT else model
        said = posterior_predictive(own, rows.taught, places, method=method, seed=settings.seed, **options(settings)[method])  # fmt: skip
        averages[method] = said
        count = len(rows.new[0])
        found[method] = Told(said.mean[:count], said.mean[count:])
    claim_averages(report, rows, averages, found)
    claim_sets(report, rows, model)
    caption = "Left: how often answers are right against how sure of them the model is; below the diagonal it is too sure. Right: mean entropy of what is said of new digits and of digits whose pixels were put in another order."  # fmt: skip
    report.figure("calibration", draw_figure(rows, found), caption=caption)
    report.text("Reference: Guo et al., On Calibration of Modern Neural Networks, 2017.")
    return report


def draw_figure(rows: Rows, found: dict[str, Told]) -> Figure:
    figure, (left, right) = new_figure(columns=2, width=11.0, height=4.4)
    left.plot([0, 1], [0, 1], color=MUTED, linewidth=1.0, linestyle="--")
    for k, name in enumerate((PLAIN, SCALED, ENSEMBLE)):
        highest, answer = found[name].new.double().max(1)
        is_right, order = (answer == rows.new[1]).double(), highest.argsort()
        parts = order.tensor_split(10)  # of equal size
        points = [(float(highest[part].mean()), float(is_right[part].mean())) for part in parts]
        left.plot(*zip(*points, strict=True), "o-", color=PALETTE[k], markersize=4, label=name)
    left.set(title="Reliability", xlabel="confidence", ylabel="share of right answers", xlim=(0, 1), ylim=(0, 1))  # fmt: skip
    left.legend(loc="upper left")
    place = np.arange(len(found))
    for shift, words, part in ((-0.2, "new digits", 0), (0.2, "pixels in disorder", 1)):
        means = [float(entropy(told[part]).mean()) for told in found.values()]
        right.barh(place + shift, means, height=0.38, color=PALETTE[part], label=words)
    right.axvline(np.log(10), color=MUTED, linewidth=1.0)
    right.set_yticks(place, list(found))
    right.set(title="Doubt", xlabel="mean entropy, nats (line: nothing is known)", xlim=(0, 2.5))
    right.invert_yaxis()
    right.legend(loc="upper right")
    return figure
