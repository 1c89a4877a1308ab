"""Different weights, one function: units renumbered, signs turned, linear layers folded, patches reordered."""

from copy import deepcopy
from dataclasses import dataclass
from itertools import permutations, product
from math import factorial, lgamma, log

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.experiments._digits import Pair, digit_images, split_digits
from gradatim.linear import fit_logistic
from gradatim.models import MLP, MLPMixer
from gradatim.nn import collapse_linear, permute_hidden
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.plots.images import image_grid
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer, train_replicas

COVERS = ("B5", "B2")
KEYWORDS = "permutation of hidden units, linear activation function, deep linear network, MLP-Mixer, weight space symmetry, doubly stochastic, collapse of linear layers"
STEPS = torch.linspace(0, 1, 21, dtype=torch.float64)
PATCH = 2  # pixels


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    hidden: int = 32
    epochs: int = 30
    depths: tuple[int, ...] = (1, 2, 3, 5, 8)
    repeats: int = 5
    mixer_epochs: int = 30


QUICK = Settings(epochs=20, depths=(1, 2, 5), repeats=3, mixer_epochs=6)


def train_wide(settings: Settings, train: Pair) -> MLP:
    """A network of one hidden layer for the digits, in double precision."""
    with seeded(settings.seed):
        model = MLP((64, settings.hidden, 10), activation="tanh").double()
    Trainer(model, lr=5e-3, epochs=settings.epochs, batch_size=64, seed=settings.seed, progress=False).fit((train[0].double(), train[1]))  # fmt: skip
    return model.eval()


@torch.no_grad()
def distance(one: nn.Module, other: nn.Module, x: Tensor) -> float:
    """The largest difference of two networks' outputs."""
    return (one(x) - other(x)).abs().max().item()


@torch.no_grad()
def mix_units(model: nn.Sequential, mixing: Tensor) -> nn.Sequential:
    """Put mixtures of hidden units in their place, and read them with the inverse."""
    mixed = deepcopy(model)
    first, last = (layer for layer in mixed if isinstance(layer, nn.Linear))
    first.weight.copy_(mixing @ first.weight)
    first.bias.copy_(mixing @ first.bias)
    last.weight.copy_(last.weight @ torch.linalg.inv(mixing))
    return mixed


def claim_orders(report: Report, settings: Settings, model: MLP, x: Tensor) -> None:
    generator = torch.Generator().manual_seed(settings.seed)
    orders = [torch.randperm(settings.hidden, generator=generator) for _ in range(20)]
    off = max(distance(model, permute_hidden(model, 0, order), x) for order in orders)
    report.claim("in every order hidden units compute the same", off, "largest difference of outputs", below=1e-12)  # fmt: skip
    signs = torch.diag(torch.randint(0, 2, (settings.hidden,), generator=generator) * 2.0 - 1)
    report.claim("and with any signs, since tanh is odd", distance(model, mix_units(model, signs.double()), x), "largest difference", below=1e-12)  # fmt: skip
    eye, turned = torch.eye(settings.hidden), torch.eye(settings.hidden)[orders[0]]
    blend = (0.7 * eye + 0.3 * turned).double()  # rows and columns sum to one
    report.claim("a doubly stochastic matrix is not enough: blended units compute something else", distance(model, mix_units(model, blend), x), "largest difference", above=0.1)  # fmt: skip


def count_twins(width: int) -> int:
    """Different weight vectors with one function among all orders and signs of a small random network's units."""
    model = MLP((2, width, 1), activation="tanh").double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_()
    x = torch.randn(50, 2, dtype=torch.float64)
    found = set()
    for order in permutations(range(width)):
        for signs in product((1.0, -1.0), repeat=width):
            twin = mix_units(permute_hidden(model, 0, order), torch.diag(torch.tensor(signs)).double())  # fmt: skip
            if distance(model, twin, x) < 1e-12:
                found.add(tuple(torch.cat([p.flatten() for p in twin.parameters()]).tolist()))
    return len(found)


@torch.no_grad()
def accuracy(model: nn.Module, data: Pair) -> float:
    return 100 * (model(data[0]).argmax(1) == data[1]).double().mean().item()


@torch.no_grad()
def along(model: nn.Sequential, twin: nn.Sequential, data: Pair) -> list[float]:
    """Test accuracy on the straight line from a network to its twin."""
    between, values = deepcopy(model), []
    for share in STEPS:
        for target, a, b in zip(between.parameters(), model.parameters(), twin.parameters(), strict=True):  # fmt: skip
            target.copy_(torch.lerp(a, b, share.item()))
        values.append(accuracy(between, data))
    return values


def claim_twins(report: Report, settings: Settings, model: MLP, test: Pair) -> dict[str, list[float]]:  # fmt: skip
    width = 3
    report.claim(f"{width} tanh units have 3! · 2³ twins", count_twins(width), "different weights with one function", equals=factorial(width) * 2**width)  # fmt: skip
    generator = torch.Generator().manual_seed(settings.seed + 1)
    order = torch.randperm(settings.hidden, generator=generator)
    opposite = mix_units(model, -torch.eye(settings.hidden, dtype=torch.float64))
    lines = {"to a reordered twin": along(model, permute_hidden(model, 0, order), test), "to the twin of all signs turned": along(model, opposite, test)}  # fmt: skip
    turned = lines["to the twin of all signs turned"][len(STEPS) // 2]
    twins = [permute_hidden(model, 0, torch.randperm(settings.hidden, generator=generator)) for _ in range(10)]  # fmt: skip
    reordered = float(np.mean([along(model, twin, test)[len(STEPS) // 2] for twin in twins]))
    whole = accuracy(model, test)
    report.claim("halfway to a twin less is right than at either end", whole - reordered, "{} points less, mean of ten orders,", at_least=2)  # fmt: skip
    report.claim("halfway to the turned twin every unit is nothing, and chance is left", turned, "{} % right", at_most=20)  # fmt: skip
    digits = (lgamma(settings.hidden + 1) + settings.hidden * log(2)) / log(10)
    report.text(f"The network of {settings.hidden} units, {whole:.1f} % right, has 10^{digits:.0f} twins: as many minima, all equally good.")  # fmt: skip
    return lines


def parity(data: Pair) -> Pair:
    return data[0].double(), data[1] % 2


def claim_collapse(report: Report, settings: Settings, train: Pair, test: Pair) -> dict[str, list[float]]:  # fmt: skip
    """Even or odd: what depth adds with an activation and without, and linear chains folded to one layer."""
    found: dict[str, list[float]] = {"without activation": [], "tanh": []}
    folded = 0.0
    for depth in settings.depths:
        sizes = (64, *[32] * (depth - 1), 2)
        for name, activation in zip(found, ("identity", "tanh"), strict=True):
            seeds = [1000 * settings.seed + k for k in range(settings.repeats)]
            trained = train_replicas(lambda a=activation, s=sizes: MLP(s, activation=a).double(), parity(train), lr=3e-3, epochs=settings.epochs, batch_size=64, seed=seeds).models  # type: ignore[misc]  # fmt: skip
            found[name].append(float(np.mean([accuracy(model, parity(test)) for model in trained])))
            if activation == "identity":
                assert isinstance(trained[0], nn.Sequential)
                single = collapse_linear(trained[0])
                assert len(single) == 1
                folded = max(folded, distance(trained[0], single, parity(test)[0]))
    linear, bent = found.values()
    report.claim(f"{settings.depths[-1]} layers without activation fold to one", folded, "largest difference of outputs", below=1e-10)  # fmt: skip
    x, y = parity(train)
    one = 100 * (fit_logistic(x, y, weight_decay=1e-3).predict(parity(test)[0]) == test[1] % 2).double().mean().item()  # fmt: skip
    report.claim("and tell even digits from odd no better than one, fitted to its end", max(linear) - one, "{} points more", at_most=1.5)  # fmt: skip
    report.claim("with tanh between them they do", max(bent) - max(linear), "{} points more", at_least=4)  # fmt: skip
    return found


@torch.no_grad()
def as_sigmoid(model: MLP, hidden: int) -> nn.Sequential:
    r"""The same function with sigmoids, as :math:`\tanh a = 2\sigma(2a) - 1`."""
    first, last = (layer for layer in deepcopy(model) if isinstance(layer, nn.Linear))
    first.weight.mul_(2)
    first.bias.mul_(2)
    last.bias.sub_(last.weight.sum(1))
    last.weight.mul_(2)
    return nn.Sequential(nn.Flatten(), first, nn.Sigmoid(), last)


def reorder_patches(images: Tensor, order: Tensor) -> Tensor:
    """Put the patches of images into another order, the same for all."""
    count = images.shape[-1] // PATCH
    patches = images.unfold(2, PATCH, PATCH).unfold(3, PATCH, PATCH).flatten(2, 3)[:, :, order]
    return patches.unflatten(2, (count, count)).transpose(3, 4).flatten(4, 5).flatten(2, 3)


@torch.no_grad()
def reorder_mixing(model: MLPMixer, order: Tensor) -> MLPMixer:
    """A Mixer that makes of reordered patches what the given one makes of patches in place."""
    other = deepcopy(model)
    for name, block in other.stages():
        if name.startswith("block"):
            read, write = (layer for layer in block.token_mixing if isinstance(layer, nn.Linear))  # type: ignore[union-attr]  # fmt: skip
            read.weight.copy_(read.weight[:, order])
            write.weight.copy_(write.weight[order])
            write.bias.copy_(write.bias[order])
    return other


def claim_mixer(report: Report, settings: Settings, train: Pair, test: Pair) -> Tensor:
    """Train a Mixer on digits in place, and its twin on digits whose patches are reordered."""
    order = torch.randperm(16, generator=torch.Generator().manual_seed(settings.seed))
    with seeded(settings.seed):
        model = MLPMixer(8, PATCH, 1, 10, dim=24, num_layers=2, token_dim=24, channel_dim=48).double()  # fmt: skip
    twin = reorder_mixing(model, order)
    images = {"in place": [part[0].double() for part in (train, test)]}
    images["reordered"] = [reorder_patches(part, order) for part in images["in place"]]
    for mixer, (x, _) in zip((model, twin), images.values(), strict=True):
        Trainer(mixer, lr=5e-3, epochs=settings.mixer_epochs, batch_size=64, seed=settings.seed, progress=False).fit((x, train[1]))  # fmt: skip
        mixer.eval()
    with torch.no_grad():
        off = (model(images["in place"][1]) - twin(images["reordered"][1])).abs().max().item()
    right = accuracy(model, (images["in place"][1], test[1]))
    report.claim("a Mixer learns digits with nothing but dense layers", right, "{} % right", at_least=90)  # fmt: skip
    report.claim("its twin learns the same from reordered patches, step by step", off, "largest difference of outputs after training", below=1e-6)  # fmt: skip
    lost = accuracy(model, (images["reordered"][1], test[1]))
    report.claim("the order itself is learned: without its twin's weights, reordered patches are not read", lost, "{} % right", at_most=40)  # fmt: skip
    return order


def run(settings: Settings) -> Report:
    report = Report(
        title="Symmetries",
        summary="A network does not know the order of its hidden units, nor their signs if the activation is odd; layers without "
        "activation fold to one; and a Mixer learns as well from patches in any order, if it is the same for all images.",
    )
    train, test = split_digits(settings.seed, is_flat=True)
    model = train_wide(settings, train)
    x = test[0].double()
    claim_orders(report, settings, model, x)
    lines = claim_twins(report, settings, model, (x, test[1]))
    report.claim("tanh(a) = 2σ(2a) − 1: the same network with sigmoids", distance(model, as_sigmoid(model, settings.hidden), x), "largest difference of outputs", below=1e-12)  # fmt: skip
    depths = claim_collapse(report, settings, train, test)
    order = claim_mixer(report, settings, *split_digits(settings.seed))
    panels = [
        CurvePanel("From a network to its twin", "share of the way", "test accuracy, %", {name: (STEPS, line) for name, line in lines.items()}),
        CurvePanel("Even or odd?", "dense layers", "test accuracy, %", {name: (list(settings.depths), line) for name, line in depths.items()}),
    ]  # fmt: skip
    report.figure("twins", curve_panels(panels, width=5.0, height=3.9), caption="Left: both ends compute the same function, and what lies between does not. Right: depth without activation adds nothing.")  # fmt: skip
    shown = digit_images()[0][:8]
    report.figure("patches", image_grid(torch.cat([shown, reorder_patches(shown, order)])), caption="Digits, and below them their patches of 2 × 2 pixels in the order that the Mixer's twin learned from.")  # fmt: skip
    return report
