"""Trained on the worst inputs within a budget, a network keeps its accuracy under attack."""

from dataclasses import dataclass
from functools import partial

from torch import Tensor, nn

from gradatim.experiments.robustness._attacked_images import (
    BOUNDS,
    Pair,
    accuracy,
    load_images,
    one_of_each,
    predict,
    train_network,
)
from gradatim.plots.robust import adversarial_triples, perturbation_histogram, robustness_curves
from gradatim.plots.words import Formula
from gradatim.reports import Report
from gradatim.robust import fgsm, minimal_distances, pgd, robust_accuracy, robustness_curve

COVERS = ("L1",)
KEYWORDS = "robust training, robust optimization, min-max, PGD, robust accuracy"


@dataclass(frozen=True)
class Settings:
    """``eps`` is the budget of training and test; training takes ``steps`` steps, the test 40."""

    seed: int = 0
    images: str = "mnist"
    train_rows: int = 60_000
    test_rows: int = 10_000
    epochs: int = 5
    lr: float = 3e-3
    eps: float = 0.1
    steps: int = 3
    restarts: int = 2


QUICK = Settings(images="digits", test_rows=300, epochs=22, lr=2e-3, restarts=1)
# Per cent: least robust and clean accuracy after adversarial training, most robust accuracy without, least gain under attack.
LIMITS = {"mnist": (90.0, 98.0, 50.0, 40.0), "digits": (60.0, 88.0, 65.0, 10.0)}


def run(settings: Settings) -> Report:
    report = Report(
        title="Adversarial training",
        summary="Minimizing the largest loss within the budget instead of the loss makes small perturbations "
        "powerless, at little cost in clean accuracy.",
    )
    train, test = load_images(
        settings.images, settings.train_rows, settings.test_rows, settings.seed
    )
    attack = partial(pgd, eps=settings.eps, steps=settings.steps, bounds=BOUNDS)
    networks = {
        "standard": train_network(
            train, epochs=settings.epochs, seed=settings.seed, lr=settings.lr
        ),
        "adversarial": train_network(
            train, epochs=settings.epochs, seed=settings.seed, lr=settings.lr, attack=attack
        ),
    }
    strong = partial(pgd, steps=40, bounds=BOUNDS, early_exit=True, restarts=settings.restarts)
    attacks = {
        "FGSM": partial(fgsm, eps=settings.eps, bounds=BOUNDS),
        "PGD-40": partial(strong, eps=settings.eps),
    }
    table = {
        name: [accuracy(network, *test)]
        + [100 * robust_accuracy(network, test, each) for each in attacks.values()]
        for name, network in networks.items()
    }
    claim(report, table, settings)
    report.table(
        f"Accuracy on {len(test[0]):,} test images in per cent, ε = {settings.eps:g} in ℓ∞",
        columns=["training", "clean", *attacks],
        rows=[[name, *values] for name, values in table.items()],
    )
    some = (test[0][:1000], test[1][:1000])
    claim_distances(report, networks, some)
    draw(report, networks, some, strong, settings.eps)
    return report


def claim(report: Report, table: dict[str, list[float]], settings: Settings) -> None:
    robust, clean, broken, gain = LIMITS[settings.images]
    (_, _, left), (kept, _, defended) = table["standard"], table["adversarial"]
    report.claim("standard training does not last", left, "{} % against PGD-40", at_most=broken)
    report.claim("adversarial training does", defended, "{} % against PGD-40", at_least=robust)
    report.claim("it is ahead under attack", defended - left, "by {} points", at_least=gain)
    report.claim("clean images are still read", kept, "{} %", at_least=clean)


def claim_distances(report: Report, networks: dict[str, nn.Sequential], some: Pair) -> None:
    distances = {
        name: minimal_distances(network, some, bounds=BOUNDS) for name, network in networks.items()
    }
    medians = {name: values.median().item() for name, values in distances.items()}
    report.claim(
        "boundaries have moved away, also in another norm",
        medians["adversarial"] / medians["standard"],
        "median ℓ2 distance by DeepFool {} times as large",
        at_least=1.1,
    )
    report.figure(
        "distances",
        perturbation_histogram(distances),
        caption="Smallest perturbations by DeepFool.",
    )


def draw(
    report: Report,
    networks: dict[str, nn.Sequential],
    some: Pair,
    strong: partial[Tensor],
    eps: float,
) -> None:
    budgets = [eps * share for share in (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0)]
    report.figure(
        "curves",
        robustness_curves(
            {
                f"{name} training": robustness_curve(network, some, strong, budgets)
                for name, network in networks.items()
            },
            xlabel=Formula(r"largest change of a pixel, $\epsilon$"),
            marked=eps,
        ),
        caption="PGD-40 against both networks. Beyond the budget trained for, the defence gives way.",
    )
    X, y = some
    chosen = one_of_each(networks["adversarial"], X, y)
    images = X[chosen]
    for name, network in networks.items():
        found = strong(network, images, y[chosen], eps=2 * eps)
        before, after = predict(network, images).tolist(), predict(network, found).tolist()
        report.figure(
            f"{name}-examples",
            adversarial_triples(images, found, list(zip(before, after, strict=True))),
            caption=f"PGD with twice the budget, {2 * eps:g}, against the network of {name} training.",
        )
