"""The simple models of pixels: class frequencies, a threshold, and logistic regression on what lies around a pixel."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from scipy.ndimage import gaussian_filter
from sklearn.linear_model import LogisticRegression
from torch import Tensor

from gradatim.data.mask_files import MOST_COLOURS
from gradatim.errors import InvalidValue, choose, require
from gradatim.evaluation import measure_overlap
from gradatim.fitting.stored import Facts, arrays_from, whole
from gradatim.fitting.tables.candidates import quietly
from gradatim.fitting.tables.predictors import softmax
from gradatim.model_folder import tensors_from

FREQUENCIES, THRESHOLD, PIXELS = "class frequencies", "threshold", "logistic regression on pixels"
SIMPLE = (FREQUENCIES, THRESHOLD, PIXELS)
SCALES = (1.0, 2.0, 4.0)  # widths of the blurs that a pixel's features are read from
SAMPLE = 20_000  # pixels that logistic regression learns from
LOOKED_AT = 40  # images on which its weights of classes are chosen
GREY, CHANNELS = "brightness", ("brightness", "red", "green", "blue", "saturation")
FREQUENT = 5  # classes of each side of a threshold that may be said of it
IMPOSSIBLE = -30.0  # logit of a class that was never seen


@dataclass
class SimpleMasks:
    """A simple model.

    Args:
        kind: Its name.
        classes: Number of classes.
        arrays: What was learned, by name.
        settings: What was chosen, as plain data.
    """

    kind: str
    classes: int
    arrays: dict[str, np.ndarray]
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def parameters(self) -> int:
        """Numbers stored."""
        return sum(array.size for array in self.arrays.values())

    def store(self) -> tuple[Facts, dict[str, Tensor]]:
        """Plain facts, and what was learned."""
        facts = {"kind": self.kind, "classes": self.classes, "settings": self.settings}
        return facts, tensors_from(self.arrays)

    @classmethod
    def restore(cls, facts: Facts, tensors: Mapping[str, Tensor]) -> "SimpleMasks":
        """Undo :meth:`store`."""
        kind = choose("load_model", "a model of masks", facts["kind"], SIMPLE)
        classes, arrays = whole(facts, "classes", MOST_COLOURS), arrays_from(tensors)
        wanted = {FREQUENCIES: (classes,), THRESHOLD: (2, classes)}.get(kind)
        fits = wanted is None or arrays["shares"].shape == wanted
        require(fits, f"load_model: shares of a {kind} must have shape {wanted}", "another")
        return cls(kind, classes, arrays, facts["settings"])

    def outputs(self, images: np.ndarray) -> np.ndarray:
        """Probabilities ``(N, classes, side, side)`` of pictures ``(N, side, side, channels)``."""
        say = {FREQUENCIES: _say_frequencies, THRESHOLD: _say_threshold, PIXELS: _say_pixels}
        shape = (len(images), self.classes, *images.shape[1:3])
        found = np.empty(shape, dtype=np.float32)
        for image, own in zip(images, found, strict=True):  # alone, so that mates change no bit
            said = say[self.kind](self, image)
            if said.shape[-1] != self.classes:
                raise InvalidValue(
                    f"load_model: models must have an output for each of {self.classes} labels, got {said.shape[-1]}."
                )
            own[:] = np.moveaxis(said, -1, 0)
        return found


def fit_simple(
    name: str, images: np.ndarray, y: np.ndarray, classes: int, seed: int, chosen: Mapping[str, Any] | None = None
) -> SimpleMasks:  # fmt: skip
    """Fit a simple model to the pixels of pictures.

    Args:
        name: One of ``SIMPLE``.
        images: Shape ``(N, side, side, channels)``.
        y: Class of every pixel, shape ``(N, side, side)``.
        classes: Number of classes.
        seed: Fixes the sample of pixels.
        chosen: Settings of the same model on fewer images; they stay.
    """
    if name == FREQUENCIES:
        return SimpleMasks(name, classes, {"shares": _shares(np.bincount(y.ravel(), minlength=classes))})  # fmt: skip
    if name == THRESHOLD:
        return _fit_threshold(images, y, classes, chosen)
    return _fit_pixels(images, y, classes, seed, chosen)


def _shares(counts: np.ndarray) -> np.ndarray:
    """Shares of classes along the last axis, with half a pixel more of each: none is impossible."""
    more = counts + 0.5
    return more / more.sum(-1, keepdims=True)


def _say_frequencies(model: SimpleMasks, image: np.ndarray) -> np.ndarray:
    shares = model.arrays["shares"]
    return np.broadcast_to(shares, (*image.shape[:2], *shares.shape))


# --- a threshold


def otsu(counts: np.ndarray) -> np.ndarray:
    r"""The threshold that leaves the least variance on its two sides, of every histogram.

    .. math:: t^* = \arg\max_t\; \omega_0(t)\,\omega_1(t)\,\bigl(\mu_0(t) - \mu_1(t)\bigr)^2

    Args:
        counts: Pixels by brightness, shape ``(..., 256)``.

    Returns:
        :math:`t`, shape ``(...)``; pixels above it are the bright side.

    Example:
        >>> int(otsu(np.bincount([10, 10, 11, 200, 201], minlength=256)))
        11

    Reference:
        Otsu, A Threshold Selection Method from Gray-Level Histograms, 1979.
    """
    share = np.cumsum(counts, -1, dtype=float)
    total = np.cumsum(counts * np.arange(counts.shape[-1]), -1, dtype=float)
    all_pixels, whole = share[..., -1:], total[..., -1:]
    between = (whole * share - total * all_pixels) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.where(share * (all_pixels - share) > 0, between / (share * (all_pixels - share)), 0.0)  # fmt: skip
    return spread.argmax(-1)


def channel_of(images: np.ndarray, name: str) -> np.ndarray:
    """One number from 0 to 255 for every pixel.

    Args:
        images: Shape ``(..., channels)``, whole numbers from 0 to 255.
        name: ``"brightness"``, or of colours ``"red"``, ``"green"``, ``"blue"``, ``"saturation"``.
    """
    if images.shape[-1] == 1:
        return images[..., 0]
    if name == GREY:
        return np.rint(images @ np.array([0.299, 0.587, 0.114])).astype(np.uint8)
    if name == "saturation":
        return images.max(-1) - images.min(-1)
    return images[..., CHANNELS[1:4].index(name)]


def _fit_threshold(images: np.ndarray, y: np.ndarray, classes: int, chosen: Mapping[str, Any] | None) -> SimpleMasks:  # fmt: skip
    """Otsu's threshold on the channel that overlaps best, one for all images or one for each."""
    names = CHANNELS if images.shape[-1] > 1 else (GREY,)
    ways = [(name, is_local) for name in names for is_local in (False, True)]
    if chosen is not None:
        ways = [(chosen["channel"], chosen["is_local"])]
    best, found = -1.0, None
    for name, is_local in ways:
        values = channel_of(images, name)
        counts = np.stack([np.bincount(own.ravel(), minlength=256) for own in values])
        whole = otsu(counts.sum(0))
        limits = otsu(counts) if is_local else np.full(len(images), whole)
        bright = values > limits[:, None, None]
        table = np.bincount(bright.ravel() * classes + y.ravel(), minlength=2 * classes).reshape(2, classes)  # fmt: skip
        overlap, said = _best_sides(table, classes)
        if overlap > best:
            shares = 0.5 * _shares(table) + 0.5 * np.eye(classes)[list(said)]
            arrays = {"shares": shares, "threshold": np.array([float(whole)])}
            best = overlap
            found = SimpleMasks(THRESHOLD, classes, arrays, {"channel": name, "is_local": is_local})
    assert found is not None
    return found


def _best_sides(table: np.ndarray, classes: int) -> tuple[float, tuple[int, int]]:
    """What to say of each side of a threshold, one of its frequent classes, so that masks overlap best.

    Args:
        table: Pixels of each side by class, shape ``(2, K)``.
        classes: Number of classes.
    """
    frequent = np.argsort(-table, axis=1, kind="stable")[:, :FREQUENT].tolist()
    found = []
    for said in product(*frequent):
        counts = np.zeros((classes, classes))
        for side, own in zip(said, table, strict=True):
            counts[:, side] += own
        found.append((float(measure_overlap(counts).mean_iou), said))
    return max(found)


def _say_threshold(model: SimpleMasks, image: np.ndarray) -> np.ndarray:
    values = channel_of(image, choose("load_model", "a channel", model.settings["channel"], CHANNELS))  # fmt: skip
    limit = model.arrays["threshold"][0]
    if model.settings["is_local"]:
        limit = otsu(np.bincount(values.ravel(), minlength=256))
    return model.arrays["shares"][(values > limit).astype(int)]


# --- logistic regression


def pixel_features(image: np.ndarray) -> np.ndarray:
    """Colours of every pixel and of its surroundings at three scales, and how steep brightness is there.

    Args:
        image: Shape ``(side, side, channels)``, whole numbers from 0 to 255.

    Returns:
        Shape ``(side, side, 4 · channels + 3)``.

    Example:
        >>> pixel_features(np.zeros((8, 8, 3), np.uint8)).shape
        (8, 8, 15)
    """
    x = image.astype(np.float32) / 255.0
    parts = [x]
    for scale in SCALES:
        soft = gaussian_filter(x, (scale, scale, 0.0), mode="nearest", truncate=3.0)
        down, right = np.gradient(soft.mean(-1))
        parts += [soft, np.sqrt(down**2 + right**2)[..., None]]
    return np.concatenate(parts, axis=-1)


def _fit_pixels(images: np.ndarray, y: np.ndarray, classes: int, seed: int, chosen: Mapping[str, Any] | None) -> SimpleMasks:  # fmt: skip
    """Logistic regression on a sample of pixels; whether classes weigh alike is chosen by the overlap."""
    rng = np.random.default_rng([seed, 4])
    each = max(SAMPLE // len(images), 1)
    rows = rng.permutation(len(images))[:SAMPLE]
    pixels, truth = [], []
    for row in rows.tolist():
        places = rng.choice(y[row].size, min(each, y[row].size), replace=False)
        pixels.append(pixel_features(images[row]).reshape(y[row].size, -1)[places])
        truth.append(y[row].ravel()[places])
    X, t = np.concatenate(pixels).astype(np.float64), np.concatenate(truth)
    ways = [False, True] if chosen is None else [chosen["is_balanced"]]
    models = [_regress(X, t, classes, is_balanced) for is_balanced in ways]
    if len(models) == 1:
        return models[0]
    looked = rows[:LOOKED_AT]
    return max(models, key=lambda model: _overlap(model, images[looked], y[looked]))


def _overlap(model: SimpleMasks, images: np.ndarray, y: np.ndarray) -> float:
    said = model.outputs(images).argmax(1)
    pairs = np.bincount((y.astype(int) * model.classes + said).ravel(), minlength=model.classes**2)
    return float(measure_overlap(pairs.reshape(model.classes, -1)).mean_iou)


def _regress(X: np.ndarray, t: np.ndarray, classes: int, is_balanced: bool) -> SimpleMasks:
    center, scale = X.mean(0), X.std(0)
    scale = np.where(scale > 0, scale, 1.0)
    weight, bias = np.zeros((classes, X.shape[1])), np.full(classes, IMPOSSIBLE)
    seen = np.unique(t)
    if len(seen) == 1:
        bias[seen] = 0.0
    else:
        with quietly():
            how = "balanced" if is_balanced else None
            model = LogisticRegression(C=1.0, max_iter=100, tol=1e-3, class_weight=how).fit((X - center) / scale, t)  # fmt: skip
        is_pair = len(model.coef_) == 1  # of two classes one has logits, the other none
        weight[seen[-1:] if is_pair else seen] = model.coef_
        bias[seen] = 0.0
        bias[seen[-1:] if is_pair else seen] = model.intercept_
    arrays = {"weight": weight, "bias": bias, "center": center, "scale": scale}
    return SimpleMasks(PIXELS, classes, arrays, {"is_balanced": is_balanced})


def _say_pixels(model: SimpleMasks, image: np.ndarray) -> np.ndarray:
    a = model.arrays
    X = (pixel_features(image).astype(np.float64) - a["center"]) / a["scale"]
    return softmax(X @ a["weight"].T + a["bias"])
