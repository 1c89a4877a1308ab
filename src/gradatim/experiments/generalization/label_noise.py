"""Wrong labels: what is memorized when nothing is done, and what five remedies save."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from gradatim.experiments._digits import Pair, split_digits
from gradatim.losses import smooth_labels, uniform_confusion
from gradatim.models import MLP
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.reports import Report
from gradatim.training import EarlyStopping, Replicas, train_replicas

COVERS = ("D1", "D3", "D7")
KEYWORDS = "label noise, wrong annotations, mislabeled data, label smoothing, confusion matrix, forward correction, noisy labels, memorization, early stopping, ensemble, garbage in garbage out"
CLASSES = 10
EVENLY, BY_MATRIX = "smoothed labels, ε = 0.3", "labels smoothed by the matrix"
CORRECTED, STOPPED, MEAN = "loss corrected by the matrix", "early stopping", "mean of all networks"
HEART = "wrong labels learned by heart"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    shares: tuple[float, ...] = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
    rows: int = 1000
    networks: int = 20
    hidden_dim: int = 256
    epochs: int = 100


QUICK = Settings(shares=(0.0, 0.2, 0.4), rows=300, networks=3, epochs=40)


def spread_evenly(share: float) -> Tensor:
    """P(label said | true class): wrong ones are any other class, alike."""
    others = (1 - torch.eye(CLASSES)) / (CLASSES - 1)
    return (1 - share) * torch.eye(CLASSES) + share * others


def next_class(share: float) -> Tensor:
    """P(label said | true class): wrong ones are always the next class."""
    return (1 - share) * torch.eye(CLASSES) + share * torch.eye(CLASSES).roll(1, 1)


class Said(nn.Module):
    r"""A last layer that turns what is meant into what is said: :math:`\log\sum_k P(y\mid k)\,\operatorname{softmax}(z)_k`.

    Args:
        said: The known :math:`P(y\mid k)`, rows by true class, shape ``(K, K)``.
    """

    def __init__(self, said: Tensor) -> None:
        super().__init__()
        self.said = said  # no buffer: networks with buffers do not train as one computation

    def forward(self, logits: Tensor) -> Tensor:
        return (logits.softmax(-1) @ self.said).clamp(min=1e-12).log()


def meant(said: Tensor) -> Tensor:
    """P(true class | label said), if classes are equally frequent: the confusion matrix of smoothed labels."""
    return (said / said.sum(0)).T.contiguous()


def train(pair: Pair, settings: Settings, said: Tensor | None = None, validation: Pair | None = None) -> Replicas:  # fmt: skip
    """All networks at once; with ``said`` each ends in the layer that knows how labels go wrong."""

    def build() -> nn.Module:
        network = MLP((64, settings.hidden_dim, CLASSES))
        return network if said is None else nn.Sequential(network, Said(said))

    stopping = None if validation is None else EarlyStopping(patience=8)
    seeds = range(100 * settings.seed, 100 * settings.seed + settings.networks)
    return train_replicas(
        build, pair, validation=validation, optimizer="adam", lr=5e-3, epochs=settings.epochs, batch_size=64, seed=list(seeds),
        early_stopping=stopping,
    )  # fmt: skip


def test_errors(said: Tensor, settings: Settings) -> dict[str, float]:
    """Mean error in per cent on clean digits by remedy; labels of training and of validation rows are wrong alike."""
    (X, y), (X_test, y_test) = split_digits(settings.seed, is_flat=True)
    X, y = X[: settings.rows], y[: settings.rows]
    generator = torch.Generator().manual_seed(settings.seed)
    noisy = torch.multinomial(said[y], 1, generator=generator)[:, 0]
    cut = len(y) * 3 // 4
    plain = train((X, noisy), settings)
    runs = {
        "nothing": plain,
        EVENLY: train((X, smooth_labels(noisy, uniform_confusion(CLASSES, 0.3))), settings),
        BY_MATRIX: train((X, smooth_labels(noisy, meant(said))), settings),
        CORRECTED: train((X, noisy), settings, said),
        STOPPED: train((X[:cut], noisy[:cut]), settings, validation=(X[cut:], noisy[cut:])),
    }
    names = {name: [model[0] if name == CORRECTED else model for model in run.models] for name, run in runs.items()}  # type: ignore[index]  # fmt: skip
    with torch.inference_mode():
        answers = {name: torch.stack([model(X_test).softmax(-1) for model in models]) for name, models in names.items()}  # fmt: skip
    errors = {name: (odds.argmax(-1) != y_test).double().mean().item() for name, odds in answers.items()}  # fmt: skip
    errors[MEAN] = (answers["nothing"].mean(0).argmax(1) != y_test).double().mean().item()
    errors[HEART] = (plain.predict(X).argmax(-1) == noisy)[:, noisy != y].double().mean().nan_to_num().item()  # fmt: skip
    return {name: 100 * error for name, error in errors.items()}


def check_even(report: Report, found: dict[float, dict[str, float]], settings: Settings) -> None:
    share = 0.4
    bad, clean = found[share], found[0.0]
    report.claim(f"{share:.0%} wrong labels: the network learns them by heart", bad[HEART], "{} % of them", above=60.0)  # fmt: skip
    report.claim("and pays on clean digits", bad["nothing"] - clean["nothing"], "points of test error", above=10.0)  # fmt: skip
    for name, most in ((STOPPED, 0.8), (CORRECTED, 1.0), (MEAN, 1.0)):
        report.claim(f"{share:.0%} wrong, {name}", bad[name] / bad["nothing"], "of the error of doing nothing", below=most)  # fmt: skip
    for name in (EVENLY, BY_MATRIX):
        report.claim(f"{share:.0%} wrong, {name}: they help less", bad[name] / bad["nothing"], "of that error", at_least=0.3, at_most=1.15)  # fmt: skip
    worst = max(clean[name] - clean["nothing"] for name in clean if name != HEART)
    report.claim("right labels: no remedy costs much", worst, "points more at most", below=5.0)


def check_pairs(report: Report, settings: Settings) -> None:
    """Where mistakes go one way, only the matrix knows which."""
    errors = test_errors(next_class(0.45), settings)
    report.claim("45 % take the next class's name: the corrected loss", errors[CORRECTED] / errors["nothing"], "of the error of doing nothing", below=0.75)  # fmt: skip
    even, known = errors[EVENLY], errors[CORRECTED]
    report.claim("smoothing all classes alike does not know which way mistakes go", known / even, "the corrected loss has this share of its error", below=0.85)  # fmt: skip
    report.table("Test error in per cent where 45 % of the labels name the next class", columns=["remedy", "error"], rows=[[n, e] for n, e in errors.items() if n != HEART])  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Wrong labels",
        summary="A large network learns wrong labels by heart. Stopping early gives most of the clean error back. A loss that "
        "knows which way labels go wrong does so where mistakes have a direction; averages and smoothed labels help little.",
    )
    found = {share: test_errors(spread_evenly(share), settings) for share in settings.shares}
    check_even(report, found, settings)
    check_pairs(report, settings)
    shares, names = [100 * s for s in settings.shares], list(found[0.0])
    report.table("Per cent, by share of wrong labels", columns=["remedy", *(f"{s:.0f} %" for s in shares)], rows=[[n, *(e[n] for e in found.values())] for n in names])  # fmt: skip
    curves = {n: (shares, [e[n] for e in found.values()]) for n in names if n != HEART}
    heart = {"learned by heart": (shares[1:], [e[HEART] for s, e in found.items() if s])}  # fmt: skip
    report.figure(
        "label-noise",
        curve_panels([CurvePanel("Digits with clean labels", "wrong labels in training, %", "test error, %", curves), CurvePanel("Nothing is done", "wrong labels in training, %", "of the wrong labels, %", heart)], width=5.6, height=4.4),
        caption=f"Means of {settings.networks} networks with {settings.hidden_dim} hidden units. Wrong labels are any other class; those of the validation rows, by which training stops, are wrong as well.",
    )  # fmt: skip
    return report
