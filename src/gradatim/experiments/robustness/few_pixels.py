"""How few pixels must change, and how far one digit is from being read as another."""

from dataclasses import dataclass
from functools import partial

import torch
from matplotlib.figure import Figure
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
from gradatim.linear import fit_logistic, fit_softmax
from gradatim.plots.robust import adversarial_triples, robustness_curves
from gradatim.plots.style import INK, SEQUENTIAL, new_figure
from gradatim.reports import Report
from gradatim.robust import affine_perturbation, deepfool, fgsm, greedy_l0, robustness_curve

COVERS = ("L1",)
KEYWORDS = "sparse attack, 0-norm, number of pixels, targeted attack, target class, most confusable class, DeepFool"
ROWS = 3000  # that linear models learn from
BUDGETS = (0, 1, 2, 3, 4, 6, 8, 12, 16)


@dataclass(frozen=True)
class Settings:
    """``eps`` is the budget of the ℓ∞ attack beside which the pixels stand."""

    seed: int = 0
    images: str = "mnist"
    train_rows: int = 60_000
    test_rows: int = 500
    epochs: int = 3
    eps: float = 0.1
    weight_decay: float = 0.01


QUICK = Settings(images="digits", test_rows=300, epochs=30, eps=0.12)
# Most pixels in the median, and least points more than random pixels cost.
LIMITS = {"mnist": (25, 40.0), "digits": (8, 20.0)}


def extremes(X: Tensor, count: int, seed: int) -> Tensor:
    """Images of which ``count`` pixels, drawn at random, are turned black or white."""
    generator = torch.Generator().manual_seed(seed)
    flat = X.flatten(1).clone()
    places = torch.rand(flat.shape, generator=generator).topk(count, 1).indices
    ends = torch.randint(0, 2, places.shape, generator=generator).to(flat)
    return flat.scatter(1, places, ends).reshape(X.shape)


def claim_pixels(report: Report, network: nn.Module, test: Pair, settings: Settings) -> Tensor:
    """Find for every image that is read right the fewest pixels, and return the attacked images."""
    X, y = test
    most, gain = LIMITS[settings.images]
    found = greedy_l0(network, X, y, eps=X[0].numel(), bounds=BOUNDS)
    right = predict(network, X) == y
    turned = predict(network, found) != y
    moved = (found != X).flatten(1).sum(1)[right & turned].double()
    reached = 100 * turned[right].double().mean().item()
    report.claim("the greedy attack turns every image", reached, "{} % of those read right", at_least=99)  # fmt: skip
    median = int(moved.median())
    report.claim(f"a few of {X[0].numel()} pixels do", median, "median {}", at_most=most)
    clean = accuracy(network, X, y)
    noisy = accuracy(network, extremes(X, median, settings.seed), y)
    few = accuracy(network, greedy_l0(network, X, y, eps=median, bounds=BOUNDS), y)
    report.claim("as many at random, black or white, do much less", noisy - few, "{} points less", at_least=gain)  # fmt: skip
    cube = fgsm(network, X, y, eps=settings.eps, bounds=BOUNDS)
    report.table(
        f"What changes, and accuracy on {len(X)} test images, per cent",
        columns=["images", "pixels changed, median", "largest change of a pixel", "accuracy, %"],
        rows=[
            ["as they are", 0, 0.0, clean],
            [f"{median} pixels at random", median, 1.0, noisy],
            [f"{median} pixels, greedy", median, 1.0, few],
            ["all pixels, FGSM", int((cube != X).flatten(1).sum(1).median()), settings.eps, accuracy(network, cube, y)],
        ],
    )  # fmt: skip
    return found


def claim_sorted(report: Report, train: Pair, test: Pair, settings: Settings) -> None:
    """With two classes of an affine model gains add up: sorted, they say how many pixels it takes."""
    chosen = [(X.flatten(1)[(y == 3) | (y == 8)].double(), y[(y == 3) | (y == 8)]) for X, y in (train, test)]  # fmt: skip
    (X, y), (x, _) = chosen
    fit = fit_logistic(X[:ROWS], y[:ROWS], weight_decay=settings.weight_decay)
    model = nn.Linear(X.shape[1], 1).double()
    with torch.no_grad():
        model.weight.copy_(fit.weight[None])
        model.bias.copy_(fit.bias)
        scores = model(x)[:, 0]
        label = (scores > 0).long()
        downhill = torch.where(label == 1, -1.0, 1.0)[:, None] * model.weight
        gains = torch.where(downhill > 0, downhill * (1 - x), -downhill * x)
        total = gains.sort(1, descending=True).values.cumsum(1)
        fewest = (total < scores.abs()[:, None]).sum(1) + 1
    moved = (greedy_l0(model, x, label, eps=x.shape[1], bounds=BOUNDS) != x).sum(1)
    report.claim(f"a linear reader of 3 and 8: of {len(x)} images none needs fewer than the greedy attack takes", int((moved != fewest).sum()), "images where sorted gains say another number", equals=0)  # fmt: skip


def claim_norm(report: Report, change: Tensor) -> None:
    """Without absolute values the sum that is called a norm has a sign."""
    flat = change.flatten(1).double()
    printed, norm = flat.sum(1), flat.abs().sum(1)
    report.claim("a norm needs absolute values: Σ xᵢ, as notes print ‖x‖₁, is negative for some changes", float(printed.min()), "least sum {}", below=0.0)  # fmt: skip
    report.text(f"The least ‖x‖₁ of these changes is {norm[norm > 0].min():.2f}.")


def distances_to(network: nn.Module, test: Pair) -> Tensor:
    """ℓ2 distance of every image to being read as each digit, shape ``(N, 10)``; not a number where it was not reached."""
    X, _ = test
    columns = []
    for k in range(10):
        wanted = torch.full((len(X),), k)
        found = deepfool(network, X, bounds=BOUNDS, target=wanted)
        size = (found - X).flatten(1).norm(dim=1)
        columns.append(torch.where(predict(network, found) == wanted, size, torch.nan))
    return torch.stack(columns, 1)


def claim_targets(report: Report, network: nn.Module, test: Pair) -> Tensor:
    X, y = test
    kept = predict(network, X) == y
    X, y = X[kept], y[kept]
    table = distances_to(network, (X, y))
    others = torch.ones_like(table, dtype=torch.bool).scatter_(1, y[:, None], False)
    reached = 100 * table[others].isfinite().double().mean().item()
    report.claim("DeepFool reaches every digit that is wanted", reached, "{} % of images and targets", at_least=97)  # fmt: skip
    free = (deepfool(network, X, bounds=BOUNDS) - X).flatten(1).norm(dim=1)
    wrong = table.masked_fill(~others, torch.nan)
    ratio = (wrong.nan_to_num(torch.inf).min(1).values / free).median().item()
    report.claim("the nearest of nine targets is the nearest error", ratio, "ratio of distances, median {}", at_least=0.95, at_most=1.05)  # fmt: skip
    matrix = torch.stack([wrong[y == digit].nanmedian(0).values for digit in range(10)])
    far = matrix.nan_to_num(-1).max(1).values / matrix.nan_to_num(torch.inf).min(1).values
    report.claim("a digit's farthest target is much farther than its nearest", far.median().item(), "{} times, median of the digits", at_least=1.3)  # fmt: skip
    return matrix


def claim_level(report: Report, train: Pair, test: Pair, settings: Settings) -> None:
    """Softmax regression: level with the target is not yet ahead of all."""
    fit = fit_softmax(
        train[0][:ROWS].flatten(1), train[1][:ROWS], weight_decay=settings.weight_decay
    )
    weight, bias = fit.weight.t().contiguous(), fit.bias
    x = test[0].flatten(1).to(weight)
    wanted = torch.arange(len(x)) % 10
    level = affine_perturbation(weight, bias, x, target=wanted)
    moved = level.distance > 0
    answers = ((x + (1 + 1e-6) * level.perturbation) @ weight.t() + bias).argmax(1)
    third = 100 * (answers != wanted)[moved].double().mean().item()
    report.claim("the closed form brings a target level with the present class, and often a third one leads there", third, "{} % of images", at_least=10)  # fmt: skip
    model = nn.Linear(x.shape[1], 10).to(weight)
    model.weight.data, model.bias.data = weight, bias
    whole = deepfool(model, x, target=wanted)
    answered = 100 * (model(whole).argmax(1) == wanted).double().mean().item()
    report.claim("several steps of DeepFool end at the target", answered, "{} %", at_least=99.5)
    cost = ((whole - x).norm(dim=1) / level.distance)[moved].median().item()
    report.text(f"For softmax regression the way to the wanted digit is {cost:.2f} times as long as the closed form says, in the median.")  # fmt: skip


def confusion_map(matrix: Tensor) -> Figure:
    """Draw how far each digit is from being read as each other one."""
    figure, axes = new_figure(width=5.6, height=4.9)
    shown = axes.imshow(matrix.numpy(), cmap=SEQUENTIAL)
    low, high = shown.get_clim()
    for i in range(10):
        for j in range(10):
            if i != j and matrix[i, j].isfinite():
                axes.text(j, i, f"{matrix[i, j]:.1f}", ha="center", va="center", fontsize=7.5, color="white" if matrix[i, j] > 0.4 * low + 0.6 * high else INK)  # fmt: skip
    axes.grid(False)
    axes.set(xticks=range(10), yticks=range(10), xlabel="wanted", ylabel="true digit")
    figure.colorbar(shown, label="median ℓ2 distance").outline.set_visible(False)
    return figure


def run(settings: Settings) -> Report:
    report = Report(
        title="A few pixels",
        summary="Norms count differently: some pixels changed as far as they go fool a network as well as all of them changed a little; "
        "and how far a digit is from another depends on which other.",
    )
    train, test = load_images(settings.images, settings.train_rows, settings.test_rows, settings.seed)  # fmt: skip
    network = train_network(train, epochs=settings.epochs, seed=settings.seed)
    X, y = test
    found = claim_pixels(report, network, test, settings)
    claim_sorted(report, train, test, settings)
    claim_norm(report, found - X)
    matrix = claim_targets(report, network, test)
    claim_level(report, train, test, settings)
    chosen = one_of_each(network, X, y)
    answers = list(zip(y[chosen].tolist(), predict(network, found[chosen]).tolist(), strict=True))
    report.figure("pixels", adversarial_triples(X[chosen], found[chosen], answers), caption="One of each digit, the pixels that the greedy attack turns, and what the network then reads.")  # fmt: skip
    curve = robustness_curve(network, test, partial(greedy_l0, bounds=BOUNDS), BUDGETS)
    report.figure("curve", robustness_curves({"greedy ℓ0": curve}, xlabel="pixels that may change"), caption="Accuracy that is left.")  # fmt: skip
    report.figure("targets", confusion_map(matrix), caption="How far, in the median, a digit must move to be read as another.")  # fmt: skip
    return report
