r"""A linear head on what a published network says of images, and the network with that head.

.. math:: z = W\,(h - \mu)\oslash\sigma + b

:math:`h` are the features, :math:`\mu` and :math:`\sigma` their mean and deviation. How strongly :math:`W` is held to zero, and
whether mirror images are looked at too, is chosen by folds of the images that are learned from.
"""

from collections.abc import Sequence
from copy import deepcopy
from typing import NamedTuple

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression, Ridge
from torch import nn

from gradatim.evaluation.metrics import score
from gradatim.evaluation.splits import make_folds
from gradatim.fitting.blocks import by_blocks
from gradatim.fitting.images.fitted import ImageNetwork
from gradatim.fitting.images.inputs import as_inputs, block_of
from gradatim.fitting.images.problem import strata_of
from gradatim.fitting.images.tags import measure_tags
from gradatim.fitting.learning import Target
from gradatim.fitting.tables.candidates import from_logits, quietly
from gradatim.models import MobileNetV2, ResNet
from gradatim.models.published import MEAN, STD
from gradatim.nn.training_modes import evaluation_mode
from gradatim.training import replace_head

Published = MobileNetV2 | ResNet
PIXEL_MEAN, PIXEL_STD = [255.0 * m for m in MEAN], [255.0 * s for s in STD]
PENALTIES = (10_000.0, 1_000.0, 100.0, 10.0, 1.0)
FOLDS = 4  # of the images, on which the penalty is chosen
MANY = 1_000  # images, above which one of them tells enough
FEWEST = 20  # images, below which nothing is chosen
READOUT = ("drop", "readout")  # links of a published network that are not the features


class Head(NamedTuple):
    """A linear map of features.

    Args:
        weight: Shape ``(outputs, dim)``.
        bias: Shape ``(outputs,)``.
        penalty: How strongly weights were held to zero.
        views: Ways to look at a picture.
    """

    weight: np.ndarray
    bias: np.ndarray
    penalty: float
    views: int = 1


def read_features(module: Published, tiles: np.ndarray, side: int) -> np.ndarray:
    """What a published network makes of pictures before its readout, shape ``(N, dim)``.

    Args:
        module: The network.
        tiles: Pictures, shape ``(N, H, W, 3)``.
        side: Pixels along each side to which they are scaled.
    """

    def apply(part: np.ndarray) -> np.ndarray:
        h = as_inputs(part, PIXEL_MEAN, PIXEL_STD, side)
        h = h.contiguous(memory_format=torch.channels_last)
        for name, stage in module.stages():
            h = h if name in READOUT else stage(h)
        return h.numpy()

    with evaluation_mode(module), torch.inference_mode():
        return by_blocks(apply, tiles, block=block_of(side))


def read_out(model: ImageNetwork, features: np.ndarray) -> np.ndarray:
    """Logits of features, as the whole network gives them of pictures, bit by bit."""
    readout = model.module.get_submodule("readout")

    def apply(part: np.ndarray) -> np.ndarray:
        return readout(torch.from_numpy(part)).double().numpy()

    with torch.inference_mode():
        return by_blocks(apply, features, block=block_of(model.settings["side"]))


def fit_head(
    features: Sequence[np.ndarray],
    y: np.ndarray,
    target: Target,
    seed: int,
    groups: np.ndarray | None = None,
    chosen: Head | None = None,
) -> Head:
    """Fit a head.

    Args:
        features: Of each view of the images, shape ``(N, tiles, dim)``; more than one are looked at only if that helps.
        y: Targets of the images.
        target: What they are.
        seed: Fixes the folds.
        groups: Group of every image, if groups must stay together.
        chosen: A head whose penalty and views stay.
    """
    plain = features[0]
    if chosen is not None:
        return _fit(plain, y, target, chosen.penalty)._replace(views=chosen.views)
    if len(y) < FEWEST:
        return _fit(plain, y, target, PENALTIES[len(PENALTIES) // 2])
    rng = np.random.default_rng([seed, 5])
    folds = make_folds(strata_of(y, range(target.classes)), FOLDS, rng, groups=groups)
    folds = folds if len(y) <= MANY else folds[:1]
    losses = np.zeros((len(PENALTIES), 2))  # with one view, and with all
    for inner, held in folds:
        for k, penalty in enumerate(PENALTIES):
            head = _fit(plain[inner], y[inner], target, penalty)
            logits = [_logits(head, own[held]) for own in features]
            losses[k] += _loss(logits[:1], y[held], target), _loss(logits, y[held], target)
    best = int(losses[:, 0].argmin())
    views = len(features) if losses[best, 1] < losses[best, 0] else 1
    return _fit(plain, y, target, PENALTIES[best])._replace(views=views)


def _logits(head: Head, features: np.ndarray) -> np.ndarray:
    return features @ head.weight.T + head.bias  # (N, tiles, outputs)


def _loss(logits: Sequence[np.ndarray], y: np.ndarray, target: Target) -> float:
    """The deciding figure of what all views and tiles say together."""
    shape = logits[0].shape
    said = np.mean([target.decode(z.reshape(-1, shape[-1])) for z in logits], axis=0)
    said = said.reshape(*shape[:2], *said.shape[1:]).mean(1)
    if target.is_tagged:
        return next(iter(measure_tags(y, said).values()))
    return score(y, said, target.classes)


def _fit(features: np.ndarray, y: np.ndarray, target: Target, penalty: float) -> Head:
    """Learn every tile as a row of its own; the scale of features becomes part of the weights."""
    tiles = features.shape[1]
    X = features.reshape(-1, features.shape[-1]).astype(np.float64)
    center, scale = X.mean(0), np.maximum(X.std(0), 1e-6)
    Z, truths = (X - center) / scale, np.repeat(y, tiles, axis=0)
    with quietly():
        if target.is_tagged:
            rows = [_one_tag(Z, own, penalty) for own in truths.T]
            weight, bias = np.stack([w for w, _ in rows]), np.array([b for _, b in rows])
        elif target.classes:
            weight, bias = _classes(Z, truths, target.classes, penalty)
        else:
            ridge = Ridge(penalty).fit(Z, target.encode(truths)[:, 0])
            weight, bias = ridge.coef_[None], np.array([ridge.intercept_])
    weight = weight / scale
    return Head(weight, bias - weight @ center, penalty)


def _classes(Z: np.ndarray, y: np.ndarray, classes: int, penalty: float) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    model = LogisticRegression(C=1 / penalty, max_iter=100, tol=1e-3).fit(Z, y)
    arrays = from_logits(model.coef_, model.intercept_, model.classes_, classes).arrays
    return arrays["0.0.weight"], arrays["0.0.bias"]


def _one_tag(Z: np.ndarray, marks: np.ndarray, penalty: float) -> tuple[np.ndarray, float]:
    """Weights of one label; where all have it, or none, only how many."""
    if 0 < marks.sum() < len(marks):
        weight, bias = _classes(Z, marks, 2, penalty)
        return weight[1] - weight[0], float(bias[1] - bias[0])
    share = (marks.sum() + 0.5) / (len(marks) + 1.0)
    return np.zeros(Z.shape[1]), float(np.log(share / (1 - share)))


def put_on(module: Published, head: Head) -> Published:
    """A copy of a published network with another head.

    Args:
        module: The network.
        head: What it says.
    """
    copy = replace_head(deepcopy(module), len(head.bias))
    readout = copy.get_submodule("readout")
    assert isinstance(readout, nn.Linear)
    with torch.no_grad():
        readout.weight.copy_(torch.from_numpy(head.weight))
        readout.bias.copy_(torch.from_numpy(head.bias))
    return copy.eval()


def with_head(module: Published, head: Head, y: np.ndarray, target: Target, side: int, tiles: int) -> ImageNetwork:  # fmt: skip
    """A published network whose head alone was learned.

    Args:
        module: The network.
        head: Its head.
        y: What the head learned.
        target: What that is.
        side: Pixels along each side that it sees.
        tiles: Parts along each side of a picture.
    """
    settings = {"penalty": head.penalty, "views": head.views, "is_frozen": True}
    return ImageNetwork.of(put_on(module, head), target, y, settings | published_inputs(side), tiles)  # fmt: skip


def published_inputs(side: int) -> dict[str, object]:
    """What settings say of the inputs of a published network."""
    return {"mean": PIXEL_MEAN, "spread": PIXEL_STD, "side": side, "is_published": True}
