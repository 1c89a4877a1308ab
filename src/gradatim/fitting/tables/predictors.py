r"""Fitted models as arrays, and what they predict: no pickle, and the same bits for the same rows.

Five kinds suffice. A *chain* of dense layers :math:`h_\ell = \phi(h_{\ell-1}W_\ell^\top + b_\ell)` is a network; without
hidden layers it is a ridge, logistic or discriminant model, and with zero weights the mean; a network may read
:mod:`~gradatim.fitting.tables.ladders` beside the features. *Nearest* averages the
:math:`k` nearest training rows. *Trees* adds the leaves of boosted trees to a constant, for a value or for its logarithm;
*forest* averages those of independent trees; a *process* is Gaussian (:mod:`~gradatim.fitting.tables.process_values`). An
*average* holds several of them.

A chain follows a line as far as it goes, and one strange row would do. Its values of a regression are therefore held to the
range of the training targets, widened on each side by its own width :math:`w`: :math:`[\min y - w, \max y + w]`. A trend may
go on as far again as it was seen to go; what lies beyond is an accident of extrapolation. So are those of a process. Neighbours and trees never
leave the range by much.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from torch import Tensor

from gradatim.errors import choose, require
from gradatim.fitting.blocks import by_blocks
from gradatim.fitting.stored import Facts, arrays_from, whole
from gradatim.fitting.tables.ladders import FEATURE, add_ladders, check_ladders
from gradatim.fitting.tables.process_values import (
    check_process,
    process_probabilities,
    process_values,
)
from gradatim.model_folder import tensors_from

BLOCK = 1024  # rows of one product
PROCESS_BLOCK = (
    128  # the same for a process, which compares each of them with all rows that it learned
)
DEEPEST = 10_000  # steps from the root of a tree to a leaf
FAR = "further beyond the training values than their range is wide"


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted model.

    Args:
        kind: ``"chain"``, ``"nearest"``, ``"trees"``, ``"forest"``, ``"process"`` or ``"average"``.
        classes: Number of classes; 0 for regression.
        arrays: Everything learned.
        settings: Plain values: what was chosen, and what the arrays do not say.
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
        """Plain facts, and everything learned."""
        facts = {"kind": self.kind, "classes": self.classes, "settings": self.settings}
        return facts, tensors_from(self.arrays)

    @classmethod
    def restore(cls, facts: Facts, tensors: Mapping[str, Tensor]) -> "Fitted":
        """Undo :meth:`store`; sizes that do not belong to the arrays are refused."""
        fitted = cls(facts["kind"], facts["classes"], arrays_from(tensors), dict(facts["settings"]))
        choose("load_model", "kind", fitted.kind, ["average", *_KINDS])
        for member in members_of(fitted) if fitted.kind == "average" else [fitted]:
            _check_sizes(member)
            check_ladders(member.arrays)
            if member.kind in ("trees", "forest"):
                _check_trees(member)
            if member.kind == "process":
                check_process(member.arrays, member.settings, member.classes)
        return fitted


def _check_sizes(fitted: Fitted) -> None:
    choose("load_model", "kind", fitted.kind, _KINDS)
    largest = max((array.size for array in fitted.arrays.values()), default=0)
    whole({"classes": fitted.classes}, "classes", largest)
    for name in ("depth", "neighbours"):  # of trees, no more than nodes; no more than rows
        if name in fitted.settings:
            whole(fitted.settings, name, min(largest, DEEPEST) if name == "depth" else largest)


def _check_trees(fitted: Fitted) -> None:
    """Refuse nodes that lead out of the arrays or back to where the walk came from; the features are known only to the folder."""
    a = fitted.arrays
    leaves = a["value" if fitted.kind == "trees" else "shares"]
    own = np.arange(len(leaves))
    nodes = [a[name] for name in ("feature", "threshold", "left", "right")]
    require(
        all(array.shape == own.shape for array in nodes)
        and all(a[name].dtype.kind == "i" for name in ("roots", "feature", "left", "right"))
        and all(((a[name] >= own) & (a[name] < len(own))).all() for name in ("left", "right"))
        and ((a["roots"] >= 0) & (a["roots"] < len(own))).all()
        and (a["feature"] >= 0).all(),
        "load_model: nodes of trees must lead to later nodes or to themselves",
        "others",
    )


def rehearse(fitted: Fitted, X: np.ndarray) -> np.ndarray:
    """What a model predicts, once no walk through its trees can ask for features that there are not.

    Example:
        >>> rehearse(Fitted("chain", 0, {"0.0.weight": np.ones((1, 3)), "0.0.bias": np.ones(1)}), np.zeros((2, 3))).tolist()
        [1.0, 1.0]
    """
    asked = [
        a.max()
        for name, a in fitted.arrays.items()
        if name.split(":")[-1] in ("feature", FEATURE) and a.size
    ]
    count = int(max(asked, default=-1)) + 1
    require(
        count <= X.shape[1], f"load_model: features of a model must be among {X.shape[1]}", count
    )
    return predict(fitted, X, block=len(X))


def predict(fitted: Fitted, X: np.ndarray, *, block: int = BLOCK) -> np.ndarray:
    """Return class probabilities ``(N, classes)``, or values ``(N,)`` for regression.

    Args:
        fitted: The model.
        X: Features, shape ``(N, features)``.
        block: Rows of one product; the last bits depend on it.

    Example:
        >>> line = Fitted("chain", 0, {"0.0.weight": np.array([[2.0]]), "0.0.bias": np.array([1.0])})
        >>> predict(line, np.array([[0.0], [3.0]])).tolist()
        [1.0, 7.0]
    """
    if fitted.kind == "average":
        parts = zip(fitted.settings["weights"], members_of(fitted), strict=True)
        return np.sum([weight * predict(member, X, block=block) for weight, member in parts], axis=0)  # fmt: skip
    # trees sum nothing across features: any number of them gives a row the same bits
    block = block if fitted.kind in ("chain", "nearest", "process") else min(block, max(len(X), 1))
    block = min(block, PROCESS_BLOCK) if fitted.kind == "process" else block
    outputs = by_blocks(partial(_KINDS[fitted.kind], fitted), X, block=block)
    return outputs if fitted.classes else outputs[:, 0]


def average(models: Sequence[Fitted], weights: Sequence[float]) -> Fitted:
    """One model that predicts the weighted mean of several.

    Args:
        models: Of one task.
        weights: Their weights, which sum to 1.

    Example:
        >>> low, high = (Fitted("chain", 0, {"0.0.weight": np.zeros((1, 1)), "0.0.bias": np.array([b])}) for b in (1.0, 5.0))
        >>> predict(average([low, high], [0.75, 0.25]), np.zeros((1, 1))).tolist()
        [2.0]
    """
    arrays = {f"{k}:{name}": array for k, m in enumerate(models) for name, array in m.arrays.items()}  # fmt: skip
    members = [{"kind": model.kind, "settings": model.settings} for model in models]
    settings = {"weights": list(weights), "members": members}
    return Fitted("average", models[0].classes, arrays, settings)


def members_of(fitted: Fitted) -> list[Fitted]:
    """The models that an average holds."""
    found = []
    for k, facts in enumerate(fitted.settings["members"]):
        own = {name.removeprefix(f"{k}:"): a for name, a in fitted.arrays.items() if name.startswith(f"{k}:")}  # fmt: skip
        found.append(Fitted(facts["kind"], fitted.classes, own, facts["settings"]))
    return found


def hold(y: np.ndarray) -> dict[str, float]:
    """The range that values of a chain are held to, as its settings keep it; none where it is not finite.

    Args:
        y: Targets of the training rows.

    Example:
        >>> hold(np.array([10.0, 12.0, 11.0]))
        {'low': 8.0, 'high': 14.0}
    """
    with np.errstate(over="ignore"):
        low, high = float(2 * y.min() - y.max()), float(2 * y.max() - y.min())
    return {"low": low, "high": high} if np.isfinite([low, high]).all() else {}


def count_held(fitted: Fitted, outputs: np.ndarray) -> int:
    """How many values lie at an end of the range that they are held to.

    Args:
        fitted: What predicted them.
        outputs: What :func:`predict` gave.

    Example:
        >>> line = Fitted("chain", 0, {"0.0.weight": np.eye(1), "0.0.bias": np.zeros(1)}, hold(np.array([0.0, 1.0])))
        >>> held = predict(line, np.array([[0.5], [7.0]]))
        >>> held.tolist(), count_held(line, held)
        ([0.5, 2.0], 1)
    """
    if fitted.classes or "low" not in fitted.settings:
        return 0
    return int(np.isin(outputs, [fitted.settings["low"], fitted.settings["high"]]).sum())


def softmax(logits: np.ndarray) -> np.ndarray:
    """Probabilities of logits, along the last axis."""
    powers = np.exp(logits - logits.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def _chain(fitted: Fitted, X: np.ndarray) -> np.ndarray:
    """Average over members; every member is a list of layers ``member.layer.weight``."""
    outputs: np.ndarray | float = 0.0
    members, X = layers_of(fitted), add_ladders(fitted.arrays, X)
    for layers in members:
        h = X
        for k, (weight, bias) in enumerate(layers):
            h = h @ weight.T.astype(np.float64) + bias.astype(np.float64)
            if k < len(layers) - 1:
                h = ACTIVATIONS[fitted.settings["activation"]](h)
        outputs = outputs + (softmax(h) if fitted.classes else h)
    outputs = np.asarray(outputs / len(members))
    if fitted.classes:
        return outputs
    values = outputs * fitted.settings.get("scale", 1.0) + fitted.settings.get("center", 0.0)
    return np.clip(values, fitted.settings.get("low", -np.inf), fitted.settings.get("high", np.inf))


ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "relu": lambda z: np.maximum(z, 0.0),
    "tanh": np.tanh,
}


def layers_of(fitted: Fitted) -> list[list[tuple[np.ndarray, np.ndarray]]]:
    """Weights and biases of every member of a chain, from input to output."""
    keys = sorted(tuple(map(int, key.split(".")[:2])) for key in fitted.arrays if "weight" in key)
    members = sorted({member for member, _ in keys})
    return [
        [
            (fitted.arrays[f"{m}.{layer}.weight"], fitted.arrays[f"{m}.{layer}.bias"])
            for member, layer in keys
            if member == m
        ]
        for m in members
    ]


def _nearest(fitted: Fitted, X: np.ndarray) -> np.ndarray:
    rows, target = fitted.arrays["rows"].astype(np.float64), fitted.arrays["target"]
    k = fitted.settings["neighbours"]
    squares = (rows**2).sum(1)
    distance = (X**2).sum(1)[:, None] + squares - 2.0 * (X @ rows.T)
    near = np.argpartition(distance, k - 1, axis=1)[:, :k] if k < len(rows) else None
    found = target[near] if near is not None else np.broadcast_to(target, (len(X), len(rows)))
    if not fitted.classes:
        return found.mean(1, keepdims=True)
    votes = np.stack([(found == c).sum(1) for c in range(fitted.classes)], axis=1)
    # one vote more, shared as the classes are: no class is impossible for having no neighbour
    return (votes + fitted.arrays["prior"]) / (k + 1.0)


def _trees(fitted: Fitted, X: np.ndarray) -> np.ndarray:
    a = fitted.arrays
    roots = a["roots"]  # (iterations, outputs)
    node = np.broadcast_to(roots.ravel(), (len(X), roots.size)).copy()
    row = np.arange(len(X))[:, None]
    for _ in range(fitted.settings["depth"]):
        left = X[row, a["feature"][node]] <= a["threshold"][node]
        node = np.where(left, a["left"][node], a["right"][node])
    leaves = a["value"][node].reshape(len(X), *roots.shape)
    raw = np.broadcast_to(a["start"], (len(X), roots.shape[1])).copy()
    for k in range(len(roots)):
        raw += leaves[:, k]
    if not fitted.classes:
        return np.exp(raw) if fitted.settings.get("is_log") else raw
    if roots.shape[1] == 1:
        raw = np.concatenate([np.zeros_like(raw), raw], axis=1)
    return softmax(raw)


def _forest(fitted: Fitted, X: np.ndarray) -> np.ndarray:
    """The mean of the trees' values; of votes, with those of one tree more that votes as the classes are shared."""
    a = fitted.arrays
    X = X.astype(np.float32)  # as the trees were grown
    node = np.broadcast_to(a["roots"], (len(X), len(a["roots"]))).copy()
    row = np.arange(len(X))[:, None]
    for _ in range(fitted.settings["depth"]):
        left = X[row, a["feature"][node]] <= a["threshold"][node]
        node = np.where(left, a["left"][node], a["right"][node])
    votes = sum(a["shares"][node[:, k]].astype(np.float64) for k in range(node.shape[1]))
    if not fitted.classes:
        return votes / node.shape[1]
    return (votes + a["prior"]) / (node.shape[1] + 1.0)


def _process(fitted: Fitted, X: np.ndarray) -> np.ndarray:
    if fitted.classes:
        return process_probabilities(fitted.arrays, fitted.settings, X, fitted.classes)
    return process_values(fitted.arrays, fitted.settings, X)


_KINDS = {
    "chain": _chain,
    "nearest": _nearest,
    "trees": _trees,
    "forest": _forest,
    "process": _process,
}
