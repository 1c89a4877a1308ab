"""Add up the digits of a set of images: a sum over elements can, for larger sets too; averages cannot count."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.experiments._digits import Pair, split_digits
from gradatim.models import MLP, DeepSets
from gradatim.plots import CurvePanel, comparison_bars, curve_panels
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.theory import log_log_slope
from gradatim.training import Trainer

COVERS = ("H1",)
KEYWORDS = "set function, permutation invariance, sum pooling, extrapolation"
POOLINGS = ("sum", "mean", "max", "min", "attention")
DENSE, SORTED, GUESS = "MLP, concatenated", "MLP, sorted in training", "4.5 for each digit"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    sets: int = 6000
    test_sets: int = 1000
    largest: int = 6
    times_larger: tuple[int, ...] = (2, 4, 8)
    hidden_dim: int = 128
    epochs: int = 20
    repeats: int = 3


QUICK = Settings(sets=1500, test_sets=500, times_larger=(2, 4), hidden_dim=64, epochs=16, repeats=1)


class Sets(NamedTuple):
    """Sets of digits, padded to the largest.

    Attributes:
        x: Images as rows of pixels, zeros at padding, shape ``(B, M, 64)``.
        is_real: False at padding, shape ``(B, M)``.
        total: Sum of the digits, shape ``(B, 1)``.
    """

    x: Tensor
    is_real: Tensor
    total: Tensor

    @property
    def counts(self) -> Tensor:
        """Digits of each set, shape ``(B, 1)``."""
        return self.is_real.sum(1, keepdim=True)


def draw_sets(digits: Pair, sizes: Tensor, generator: torch.Generator, *, is_sorted: bool = False) -> Sets:  # fmt: skip
    """Draw a set of every size in ``sizes``, in any order or the smallest digit first."""
    X, y = digits
    most = int(sizes.max())
    rows = torch.randint(len(y), (len(sizes), most), generator=generator)
    is_real = torch.arange(most) < sizes[:, None]
    if is_sorted:
        order = torch.where(is_real, y[rows], 10).argsort(1)  # padding last
        rows = rows.take_along_dim(order, 1)
    total = (y[rows] * is_real).sum(1, keepdim=True)
    return Sets(X[rows] * is_real[..., None], is_real, total.float())


class Concatenated(nn.Module):
    """A dense network on the elements side by side: of another number of them it knows nothing."""

    def __init__(self, size: int, hidden_dim: int) -> None:
        super().__init__()
        self.model = MLP((64 * size, hidden_dim, hidden_dim, 1))

    def forward(self, x: Tensor, is_real: Tensor) -> Tensor:
        return self.model(x.flatten(1))  # zeros say what is padding


def train(name: str, sets: Sets, settings: Settings, seed: int) -> nn.Module:
    with seeded(seed):
        model = (
            DeepSets(64, settings.hidden_dim, 1, pooling=name)
            if name in POOLINGS
            else Concatenated(settings.largest, settings.hidden_dim)
        )
    Trainer(
        model, "mse", schedule="cosine", lr=5e-3, epochs=settings.epochs, batch_size=32, seed=seed, progress=False
    ).fit(sets)  # fmt: skip
    return model.eval()


@torch.no_grad()
def mistake(model: nn.Module, sets: Sets) -> float:
    """Mean absolute error of sums."""
    return float((model(sets.x, sets.is_real) - sets.total).abs().mean())


class Measured(NamedTuple):
    """Errors of sums, one for each run.

    Attributes:
        by_size: Of Deep Sets, by pooling and number of digits.
        at_largest: Of all, at the largest size of training.
        twice: Relative change of the answer of Deep Sets when every digit of a set comes twice.
        shuffled: Relative change of the answer of a sum over elements when they change places.
    """

    by_size: dict[str, dict[int, list[float]]]
    at_largest: dict[str, list[float]]
    twice: dict[str, list[float]]
    shuffled: list[float]


def measure(settings: Settings) -> Measured:
    small = range(1, settings.largest + 1)
    sizes = [*small, *(factor * settings.largest for factor in settings.times_larger)]
    found = Measured({p: {m: [] for m in sizes} for p in POOLINGS}, {n: [] for n in (*POOLINGS, DENSE, SORTED, GUESS)}, {p: [] for p in POOLINGS}, [])  # fmt: skip
    for seed in range(settings.seed, settings.seed + settings.repeats):
        generator = torch.Generator().manual_seed(seed)
        digits, test_digits = split_digits(seed, 0.25, is_flat=True)
        drawn = torch.randint(1, settings.largest + 1, (settings.sets,), generator=generator)
        sets = draw_sets(digits, drawn, generator)
        tests = {m: draw_sets(test_digits, torch.full((settings.test_sets,), m), generator) for m in sizes}  # fmt: skip
        largest = tests[settings.largest]
        for pooling in POOLINGS:
            model = train(pooling, sets, settings, seed)
            for m in sizes:
                found.by_size[pooling][m].append(mistake(model, tests[m]))
            found.at_largest[pooling].append(found.by_size[pooling][settings.largest][-1])
            found.twice[pooling].append(change(model, largest.x, largest.x.repeat(1, 2, 1)))
            if pooling == "sum":
                found.shuffled.append(change(model, largest.x, largest.x.flip(1)))
        found.at_largest[DENSE].append(mistake(train(DENSE, sets, settings, seed), largest))
        in_order = draw_sets(digits, drawn, generator, is_sorted=True)
        found.at_largest[SORTED].append(mistake(train(SORTED, in_order, settings, seed), largest))
        found.at_largest[GUESS].append(float((4.5 * settings.largest - largest.total).abs().mean()))
    return found


@torch.no_grad()
def change(model: nn.Module, x: Tensor, other: Tensor) -> float:
    """Relative difference of the answers to two forms of the same sets."""
    before, after = model(x), model(other)
    return float((after - before).norm() / before.norm())


def means(values: dict[str, list[float]]) -> dict[str, float]:
    return {name: float(np.mean(own)) for name, own in values.items()}


def claim_counting(report: Report, settings: Settings, found: Measured) -> None:
    """Only a sum over elements knows how many there are."""
    others = POOLINGS[1:]
    same = max(max(found.twice[pooling]) for pooling in others)
    report.claim("if every digit comes twice, mean, max, min and attention say the same", same, "relative change", below=1e-5)  # fmt: skip
    report.claim("a sum says twice as much", float(np.mean(found.twice["sum"])), "relative change", near=(1.0, 0.2))  # fmt: skip
    m = settings.times_larger[1] * settings.largest
    errors = means({pooling: found.by_size[pooling][m] for pooling in POOLINGS})
    share = {pooling: 100 * error / (4.5 * m) for pooling, error in errors.items()}
    times = settings.times_larger[1]
    report.claim(f"sets {times} times as large as any in training, by a sum", share["sum"], "error {} % of the total", below=12)  # fmt: skip
    report.claim("… by mean, max, min and attention", min(share[p] for p in others), "error {} % of the total", above=30)  # fmt: skip
    sizes = np.array(list(found.by_size["sum"]))
    curve = [np.mean(values) for values in found.by_size["sum"].values()]
    report.claim("its error grows as that of independent mistakes", log_log_slope(sizes, curve), "power of the size", near=(0.5, 0.2))  # fmt: skip


def claim_order(report: Report, found: Measured) -> None:
    """A dense network has to learn every digit at every place."""
    errors = means(found.at_largest)
    report.claim("an MLP on the concatenated set errs more, at a size that it knows", errors[DENSE] / errors["sum"], "{} times as much", at_least=1.15)  # fmt: skip
    report.claim("trained on sorted sets, it does not add up others", errors[SORTED] / errors[GUESS], "{} times the error of a guess", at_least=0.8)  # fmt: skip
    report.claim("a sum over elements does not see their order", max(found.shuffled), "relative change", below=1e-5)  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Sums of sets of digits",
        summary="Deep Sets with a sum learn what a digit is worth from totals alone, and add up sets larger than any they have seen. "
        "A mean, maximum or minimum cannot count; an MLP on the concatenated set learns every place anew.",
    )
    found = measure(settings)
    claim_counting(report, settings, found)
    claim_order(report, found)
    sizes = list(found.by_size["sum"])
    curves = {pooling: (sizes, [np.mean(own[m]) for m in sizes]) for pooling, own in found.by_size.items()}  # fmt: skip
    guides = {
        "root of the size": (sizes, [curves["sum"][1][0] * m**0.5 for m in sizes]),
        "largest in training": ([settings.largest] * 2, [1.0, curves["mean"][1][-1]]),
    }
    panel = CurvePanel(
        "Sum of a set of digits", "digits of a set", "mean absolute error", curves, guides, is_log_x=True, is_log_y=True
    )  # fmt: skip
    runs = f"{settings.repeats} run{'s' * (settings.repeats > 1)}"
    report.figure("sizes", curve_panels([panel], width=6.8, height=4.2), caption=f"Trained on sets of 1 to {settings.largest} digits, whose images are not those of the test; mean of {runs}. Max and min lie on each other.")  # fmt: skip
    report.figure(
        "known-size",
        comparison_bars(means(found.at_largest), label="mean absolute error", highlight="sum"),
        caption=f"Sets of {settings.largest} digits. An MLP that has seen only sorted sets is no better than a guess on others.",
    )
    report.table(
        f"Mean absolute error, {runs}",
        columns=["pooling", *(f"{m} digit{'s' * (m > 1)}" for m in sizes)],
        rows=[[pooling, *curves[pooling][1]] for pooling in POOLINGS],
    )
    return report
