"""Noise too small to see makes a good classifier err, if it points the right way."""

from dataclasses import dataclass
from functools import partial

import torch
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
from gradatim.robust import (
    RobustnessCurve,
    deepfool,
    fgsm,
    minimal_distances,
    pgd,
    robustness_curve,
)

COVERS = ("L1",)
KEYWORDS = "FGSM fast gradient sign method, PGD projected gradient descent, DeepFool, perturbation, targeted attack"


@dataclass(frozen=True)
class Settings:
    """``eps`` is the largest change of a pixel; thresholds are those of the data set named."""

    seed: int = 0
    images: str = "mnist"
    train_rows: int = 60_000
    test_rows: int = 2_000
    epochs: int = 3
    eps: float = 0.1
    steps: int = 40


QUICK = Settings(images="digits", test_rows=300, epochs=30, eps=0.12, steps=20)
# Per cent: least clean accuracy, most lost to noise, most left by PGD.
LIMITS = {"mnist": (97.5, 1.0, 30.0), "digits": (93.0, 4.0, 55.0)}


def claim_attacks(report: Report, results: dict[str, float], settings: Settings) -> None:
    clean, noise_loss, left = LIMITS[settings.images]
    now, fgsm_left, pgd_left = results["clean"], results["FGSM"], results["PGD"]
    lost = now - results["random signs"]
    report.claim("the network is good", now, "accuracy {} %", at_least=clean)
    report.claim(
        f"random noise of size {settings.eps:g} is harmless", lost, "{} points", at_most=noise_loss
    )
    report.claim(
        "the sign of the gradient is not",
        now - fgsm_left,
        "costs {} points, ten times as much as random signs and no fewer than 20",
        at_least=max(10 * lost, 20.0),
    )
    report.claim("several small steps are worse than one", pgd_left, below=fgsm_left, at_most=left)
    report.claim(
        "examples made for one network fool another",
        results["clean, other network"] - results["PGD, from another network"],
        "costs a second network {} points, three times as much as random signs",
        at_least=3 * max(lost, 1.0),
    )


def claim_deepfool(
    report: Report, network: nn.Module, test: Pair, found: Tensor, eps: float
) -> None:
    X, y = test
    distances = minimal_distances(network, test, bounds=BOUNDS)
    turned = 100 * distances.isfinite().double().mean().item()
    report.claim("DeepFool turns almost every image", turned, "{} %", at_least=99)
    median = distances[(distances > 0) & distances.isfinite()].median().item()
    size = (fgsm(network, X, y, eps=eps, bounds=BOUNDS) - X).flatten(1).norm(dim=1).median().item()
    image = X.flatten(1).norm(dim=1).median().item()
    report.claim(
        "DeepFool needs less than FGSM spends", median, "median ℓ2 distance {}, FGSM's", below=size
    )
    budget = ((found - X).abs().max().item(), found.min().item(), found.max().item())
    report.claim(
        "no attack exceeds its budget",
        expected=f"PGD: change at most {eps:g}, pixels within [0, 1]",
        measured=f"{budget[0]:.6f}, [{budget[1]:g}, {budget[2]:g}]",
        holds=budget[0] <= eps and budget[1] >= 0 and budget[2] <= 1,
    )
    report.table(
        "Median size in ℓ2",
        columns=["what", "size"],
        rows=[["image", image], ["FGSM", size], ["DeepFool", median]],
    )
    report.figure(
        "distances",
        perturbation_histogram({"DeepFool": distances}),
        caption=f"How far images are from an error, by DeepFool. The median image has a norm of {image:.1f}.",
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="Adversarial examples",
        summary="Random noise hardly matters; noise of the same size along the gradient does, and it also fools "
        "networks it was not made for.",
    )
    train, test = load_images(
        settings.images, settings.train_rows, settings.test_rows, settings.seed
    )
    network, other = (
        train_network(train, epochs=settings.epochs, seed=settings.seed + k) for k in range(2)
    )
    X, y = test
    attack = partial(pgd, steps=settings.steps, bounds=BOUNDS)
    generator = torch.Generator().manual_seed(settings.seed)
    signs = torch.randint(0, 2, X.shape, generator=generator) * 2.0 - 1.0
    adversarial = {
        "clean": X,
        "random signs": (X + settings.eps * signs).clamp(*BOUNDS),
        "FGSM": fgsm(network, X, y, eps=settings.eps, bounds=BOUNDS),
        "PGD": attack(network, X, y, eps=settings.eps),
    }
    results = {name: accuracy(network, images, y) for name, images in adversarial.items()}
    results["clean, other network"] = accuracy(other, X, y)
    results["PGD, from another network"] = accuracy(other, adversarial["PGD"], y)
    claim_attacks(report, results, settings)
    claim_deepfool(report, network, test, adversarial["PGD"], settings.eps)
    wanted = (y + 1) % 10
    goal = attack(network, X, wanted, eps=2 * settings.eps, targeted=True)
    reached = accuracy(network, goal, wanted)
    report.claim("an image can be made to be read as the next digit", reached, "{} %", at_least=50)
    report.table(
        f"Accuracy on {len(X):,} test images, pixels changed by at most {settings.eps:g}",
        columns=["inputs", "accuracy, %"],
        rows=[[name, value] for name, value in results.items()],
    )
    draw(report, network, test, settings)
    return report


def draw(report: Report, network: nn.Module, test: Pair, settings: Settings) -> None:
    X, y = test
    chosen = one_of_each(network, X, y)
    for name, found in (
        ("fgsm", fgsm(network, X[chosen], y[chosen], eps=2 * settings.eps, bounds=BOUNDS)),
        ("deepfool", deepfool(network, X[chosen], bounds=BOUNDS)),
    ):
        answers = list(zip(y[chosen].tolist(), predict(network, found).tolist(), strict=True))
        report.figure(
            name,
            adversarial_triples(X[chosen], found, answers),
            caption=f"One of each digit, what {'FGSM' if name == 'fgsm' else 'DeepFool'} adds, and the sum, with "
            "the network's answer before and after.",
        )
    budgets = [settings.eps * share for share in (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)]
    exits = partial(pgd, steps=settings.steps, bounds=BOUNDS, early_exit=True)
    distances = minimal_distances(network, test, norm="inf", bounds=BOUNDS)
    report.figure(
        "curves",
        robustness_curves(
            {
                "FGSM": robustness_curve(network, test, partial(fgsm, bounds=BOUNDS), budgets),
                "DeepFool, ℓ∞": RobustnessCurve(
                    torch.tensor(budgets),
                    torch.stack([(distances > eps).float().mean() for eps in budgets]),
                ),
                "PGD": robustness_curve(network, test, exits, budgets),
            },
            xlabel=Formula(r"largest change of a pixel, $\epsilon$"),
        ),
        caption="Accuracy that each attack leaves. The true accuracy is at most the lowest curve.",
    )
