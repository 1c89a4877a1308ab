"""PointNet names solids and their parts from points: few of them decide, and a penalty keeps its maps rigid."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn.functional as F
from matplotlib.figure import Figure
from torch import Tensor, nn

from gradatim.data import drop_points, rotate_points, solids
from gradatim.data.solid_surfaces import PARTS, SOLIDS
from gradatim.models import PointNet, PointNetSegmenter
from gradatim.plots import CurvePanel, curve_panels
from gradatim.plots.style import INK, PALETTE, new_figure
from gradatim.plots.words import Formula
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer
from gradatim.training.batches import Batch
from gradatim.training.objectives.objective import Figures

COVERS = ("H1",)
KEYWORDS = "point cloud, T-net, critical points, segmentation of shapes"
UPRIGHT = 2  # the axis on which solids stand
TEST = 10_000  # what is added to the seed of clouds to test on
HELD, FREE = "with the penalty", "without it"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    clouds: int = 1200
    test_clouds: int = 600
    cloud_size: int = 128
    noise: float = 0.02
    turned: bool = True
    dims: tuple[int, ...] = (32, 64, 128)
    epochs: int = 20
    penalty: float = 0.03
    removed: tuple[float, ...] = (0.0, 0.25, 0.5, 0.75, 0.9)


QUICK = Settings(
    clouds=720, test_clouds=300, cloud_size=64, turned=False, dims=(16, 32, 64), epochs=8
)


class Drawn(NamedTuple):
    """Clouds ``(B, M, 3)``, their classes ``(B,)`` and the parts of their points ``(B, M)``."""

    x: Tensor
    y: Tensor
    parts: Tensor


def draw_clouds(settings: Settings, count: int, seed: int) -> Drawn:
    """Solids that stand upright, turned about their axis at random if they are turned."""
    x, y, parts = map(torch.from_numpy, solids(count, settings.noise, seed, cloud_size=settings.cloud_size))  # fmt: skip
    if settings.turned:
        x = rotate_points(x, axis=UPRIGHT, generator=torch.Generator().manual_seed(seed))
    return Drawn(x, y, parts)


class Penalized:
    r"""Cross-entropy of clouds or points and :math:`\lambda\lVert I - TT^\top\rVert_F^2`."""

    def __init__(self, weight: float) -> None:
        self.weight = weight

    def __call__(self, model: nn.Module, batch: Batch) -> Figures:
        x, y = batch
        logits, penalty = model(x, with_penalty=True)
        error = F.cross_entropy(logits.flatten(0, -2), y.flatten())
        return {"loss": error + self.weight * penalty, "penalty": penalty}


def train(model: nn.Module, x: Tensor, y: Tensor, settings: Settings, penalty: float) -> None:
    Trainer(
        model, objective=Penalized(penalty), schedule="cosine", lr=7e-3, epochs=settings.epochs, batch_size=24,
        seed=settings.seed, progress=False,
    ).fit((x, y))  # fmt: skip
    model.eval()


@torch.no_grad()
def accuracy(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """Of clouds or points, in per cent."""
    return 100 * float((model(x).argmax(-1) == y).float().mean())


@torch.no_grad()
def count_wins(model: PointNet, x: Tensor) -> Tensor:
    """How many of the maxima, of the network and of both T-nets, each point holds, shape ``(B, M)``; a zero is nobody's."""
    h = model.first(x @ model.turn_points(x))
    pooled = [
        model.turn_points.points(x),
        model.turn_features.points(h),
        model.second(h @ model.turn_features(h)),
    ]
    wins = x.new_zeros(x.shape[:2])
    for features in pooled:  # (B, M, F)
        most, place = features.max(1)
        wins.scatter_add_(1, place, (most > 0).to(wins))
    return wins


def keep_points(x: Tensor, is_kept: Tensor) -> Tensor:
    """Put one of the kept points in the place of every other; a maximum does not notice repeats."""
    kept = is_kept.long().argmax(1)[:, None, None]
    return torch.where(is_kept[..., None], x, x.take_along_dim(kept, 1))


def without_winners(x: Tensor, wins: Tensor, share: float) -> Tensor:
    """Clouds without the share of points that hold most maxima."""
    rank = wins.argsort(dim=1, descending=True, stable=True).argsort(1)
    return keep_points(x, rank >= round(share * x.shape[1]))


@torch.no_grad()
def singular_values(model: PointNet, x: Tensor) -> Tensor:
    """Of the maps of features, shape ``(B, dims[0])``; all are 1 for rotations and reflections."""
    h = model.first(x @ model.turn_points(x))
    return torch.linalg.svdvals(model.turn_features(h))


def train_classifiers(settings: Settings, data: Drawn) -> dict[str, PointNet]:
    """The same network with and without the penalty on its maps."""
    models = {}
    for name, penalty in ((HELD, settings.penalty), (FREE, 0.0)):
        with seeded(settings.seed):
            models[name] = PointNet(len(SOLIDS), dims=settings.dims, dropout=0.0)
        train(models[name], data.x, data.y, settings, penalty)
    return models


def claim_removal(report: Report, settings: Settings, model: PointNet, test: Drawn) -> dict[str, list[float]]:  # fmt: skip
    """Whoever holds no maximum plays no part."""
    generator = torch.Generator().manual_seed(settings.seed)
    wins = count_wins(model, test.x)
    with torch.no_grad():
        change = float((model(keep_points(test.x, wins > 0)) - model(test.x)).abs().max())
    report.text(
        f"On average {100 * float((wins > 0).float().mean()):.0f} % of the points of a cloud hold a maximum."
    )
    report.claim("points that hold a maximum are enough", change, "change of the answer without the others", below=1e-4)  # fmt: skip
    curves = {
        "at random": [accuracy(model, drop_points(test.x, drop=drop, generator=generator)[0], test.y) for drop in settings.removed],
        "holders of most maxima first": [accuracy(model, without_winners(test.x, wins, drop), test.y) for drop in settings.removed],
    }  # fmt: skip
    random, chosen = (row[settings.removed.index(0.25)] for row in curves.values())
    report.claim("without a quarter of the points, at random", random, "accuracy {} %", at_least=85)
    report.claim("without the quarter that holds most maxima", random - chosen, "{} points less", at_least=1)  # fmt: skip
    return curves


def claim_maps(report: Report, models: dict[str, PointNet], test: Drawn) -> dict[str, Tensor]:
    """A T-net gives any linear map; a penalty pulls it to rotations and reflections."""
    values = {name: singular_values(model, test.x) for name, model in models.items()}
    stretch = {name: float((own - 1).abs().mean()) for name, own in values.items()}
    report.claim(f"maps of features {HELD} are nearly orthogonal", stretch[HELD], "singular values from 1, mean", below=0.1)  # fmt: skip
    report.claim(f"{FREE} they are not", stretch[FREE], "singular values from 1, mean", above=0.25)
    with torch.no_grad():
        own = torch.linalg.svdvals(models[HELD].turn_points(test.x))
    report.claim("nor is the map of points, which has none in either", float((own - 1).abs().max()), "singular values from 1, most", above=0.05)  # fmt: skip
    return values


def run(settings: Settings) -> Report:
    report = Report(
        title="Solids by their points",
        summary="PointNet tells six solids apart and names their parts, whatever the order of the points; those that hold a maximum "
        "decide alone. Its T-nets give linear maps, near to rotations only where a penalty holds them there.",
    )
    data = draw_clouds(settings, settings.clouds, settings.seed)
    test = draw_clouds(settings, settings.test_clouds, settings.seed + TEST)
    models = train_classifiers(settings, data)
    model = models[HELD]
    report.claim("cube, sphere, cylinder, cone, torus or pyramid", accuracy(model, test.x, test.y), "accuracy {} %", at_least=97)  # fmt: skip
    turned = rotate_points(test.x, generator=torch.Generator().manual_seed(settings.seed))
    report.claim("turned as in no training, they are lost: T-nets do not put them upright", accuracy(model, turned, test.y), "accuracy {} %", below=70)  # fmt: skip
    with seeded(settings.seed):
        segmenter = PointNetSegmenter(len(PARTS), dims=settings.dims)
    train(segmenter, data.x, data.parts, settings, settings.penalty)
    report.claim(f"which of {len(PARTS)} parts a point lies on", accuracy(segmenter, test.x, test.parts), "accuracy {} %", at_least=85)  # fmt: skip
    curves = claim_removal(report, settings, model, test)
    values = claim_maps(report, models, test)
    with torch.no_grad():
        said = segmenter(test.x[: len(SOLIDS)]).argmax(-1)
    report.figure("parts", draw_parts(test, said), caption="Test clouds with their true parts, above, and with what the network says. Crosses: a part of another solid.")  # fmt: skip
    panel = CurvePanel(
        "Points removed", "share of points removed", "test accuracy, %",
        {name: (settings.removed, own) for name, own in curves.items()},
        {"chance": (settings.removed, [100 / len(SOLIDS)] * len(settings.removed))},
    )  # fmt: skip
    report.figure("removed", curve_panels([panel], width=6.4), caption="A point that is removed gives its place to a repeat of another, which a maximum does not notice.")  # fmt: skip
    report.figure("maps", draw_singular_values(values), caption="Singular values of the T-net's maps of features for all test clouds. Rotations and reflections have ones only.")  # fmt: skip
    return report


def draw_parts(clouds: Drawn, said: Tensor) -> Figure:
    """One cloud of each solid, true parts above, those said below.

    Args:
        clouds: The first six are drawn.
        said: Parts by the network, shape ``(6, M)``.
    """
    figure, panels = new_figure(2, len(SOLIDS), width=11.0, height=4.2)
    for k, solid in enumerate(SOLIDS):
        names = [place for place, part in enumerate(PARTS) if part.startswith(solid)]
        x, y, z = clouds.x[k].T
        across, up = 0.9 * x - 0.45 * y, z + 0.15 * x + 0.3 * y  # seen from above and the side
        for panel, parts in zip(panels[:, k], (clouds.parts[k], said[k]), strict=True):
            for place, colour in zip(names, (PALETTE[0], PALETTE[4]), strict=False):
                own = parts == place
                name = PARTS[place].removeprefix(solid).strip() or "all"
                panel.scatter(across[own], up[own], s=9, color=colour, label=name)
            lost = ~torch.isin(parts, torch.tensor(names))
            panel.scatter(across[lost], up[lost], s=14, color=INK, marker="x", linewidths=1)
            panel.set(aspect="equal", xlim=(-1.6, 1.6), ylim=(-1.5, 1.45))
            panel.set_axis_off()
        panels[0, k].set_title(solid, loc="center")
        panels[1, k].legend(loc="upper center", bbox_to_anchor=(0.5, 0.05), ncols=2, fontsize=8, handletextpad=0.1, columnspacing=0.6)  # fmt: skip
    return figure


def draw_singular_values(values: dict[str, Tensor]) -> Figure:
    """Histograms of singular values, on one logarithmic axis."""
    figure, panel = new_figure(width=6.6, height=3.4)
    low = max(min(float(own.min()) for own in values.values()), 1e-4)
    high = max(float(own.max()) for own in values.values())
    bins = torch.logspace(math.log10(low), math.log10(high), 60).numpy()
    for (name, own), colour in zip(values.items(), PALETTE, strict=False):
        panel.hist(
            own.flatten().numpy(),
            bins=bins,
            histtype="step",
            linewidth=1.8,
            color=colour,
            label=name,
        )
    panel.set(title="Maps of features", xlabel=Formula("singular value of $T$"), ylabel="count", xscale="log", yscale="log")  # fmt: skip
    panel.legend()
    return figure
