"""Trees of scikit-learn, boosted or averaged, as plain arrays."""

from typing import Any

import numpy as np

from gradatim.fitting.tables.predictors import Fitted


def tree_arrays(model: Any, classes: int) -> Fitted:
    """Write every node of a fitted ``HistGradientBoosting…`` as rows of arrays.

    A leaf leads to itself, so that all rows can walk ``depth`` steps at once.

    Args:
        model: The fitted estimator, trained without missing values or categorical columns.
        classes: Number of classes; 0 for regression.
    """
    trees = [[predictor.nodes for predictor in iteration] for iteration in model._predictors]
    sizes = np.array([[len(nodes) for nodes in iteration] for iteration in trees])
    roots = (np.cumsum(sizes.ravel()) - sizes.ravel()).reshape(sizes.shape)
    nodes = np.concatenate([nodes for iteration in trees for nodes in iteration])
    offset = np.repeat(roots.ravel(), sizes.ravel())
    own, leaf = np.arange(len(nodes)), nodes["is_leaf"].astype(bool)
    arrays = {
        "roots": roots.astype(np.int32),
        "feature": np.where(leaf, 0, nodes["feature_idx"]).astype(np.int32),
        "threshold": np.where(leaf, np.inf, nodes["num_threshold"]).astype(np.float64),
        "left": np.where(leaf, own, offset + nodes["left"]).astype(np.int32),
        "right": np.where(leaf, own, offset + nodes["right"]).astype(np.int32),
        "value": np.where(leaf, nodes["value"], 0.0).astype(np.float64),
        "start": np.asarray(model._baseline_prediction, dtype=np.float64).reshape(1, -1),
    }
    fitted = Fitted(
        "trees", classes, arrays, {"depth": int(nodes["depth"].max()), "trees": len(trees)}
    )
    present = getattr(model, "classes_", np.arange(classes))
    return fitted if len(present) == classes or not classes else _spread(fitted, present, classes)


def first_trees(fitted: Fitted, trees: int) -> Fitted:
    """The first rounds of boosted trees, as if no more had been grown.

    Args:
        fitted: Boosted trees, of a target or of its logarithm.
        trees: Rounds.
    """
    arrays = {**fitted.arrays, "roots": fitted.arrays["roots"][:trees]}
    return Fitted(fitted.kind, fitted.classes, arrays, {**fitted.settings, "trees": trees})


def forest_arrays(forest: Any, prior: np.ndarray | None) -> Fitted:
    """Write every node of a fitted forest as rows of arrays; a leaf leads to itself.

    Args:
        forest: The fitted estimator: a random forest or extra trees.
        prior: Share of each class, which gets the vote of one tree more: no class is impossible. ``None`` for values.
    """
    trees = [estimator.tree_ for estimator in forest.estimators_]
    sizes = np.array([tree.node_count for tree in trees])
    roots = np.cumsum(sizes) - sizes
    offset = np.repeat(roots, sizes)
    left, right = (np.concatenate([getattr(t, f"children_{s}") for t in trees]) for s in ("left", "right"))  # fmt: skip
    is_leaf, own = left < 0, np.arange(len(left))
    values = np.concatenate([tree.value[:, 0] for tree in trees])  # (nodes, outputs)
    arrays = {
        "roots": roots.astype(np.int32),
        "feature": np.where(is_leaf, 0, np.concatenate([t.feature for t in trees])).astype(np.int32),
        "threshold": np.where(is_leaf, np.inf, np.concatenate([t.threshold for t in trees])),
        "left": np.where(is_leaf, own, offset + left).astype(np.int32),
        "right": np.where(is_leaf, own, offset + right).astype(np.int32),
    }  # fmt: skip
    if prior is None:
        arrays["shares"] = values
    else:
        shares = np.zeros((len(values), len(prior)), dtype=np.float32)
        shares[:, forest.classes_] = values / values.sum(1, keepdims=True)
        arrays |= {"shares": shares, "prior": prior}
    classes = 0 if prior is None else len(prior)
    return Fitted("forest", classes, arrays, {"depth": max(t.max_depth for t in trees)})


def _spread(fitted: Fitted, present: np.ndarray, classes: int) -> Fitted:
    """Give classes that training never saw a constant of their own, far below the others."""
    arrays = dict(fitted.arrays)
    roots, start = arrays["roots"], arrays["start"]
    if len(present) == 2:  # one logit stands for two
        raise ValueError("a fold saw two classes only")
    stub = len(arrays["value"])
    for key, value in (("feature", 0), ("threshold", np.inf), ("left", stub), ("right", stub), ("value", 0.0)):  # fmt: skip
        arrays[key] = np.append(arrays[key], value).astype(arrays[key].dtype)
    arrays["roots"] = np.full((len(roots), classes), stub, dtype=np.int32)
    arrays["roots"][:, present] = roots
    arrays["start"] = np.full((1, classes), -30.0)
    arrays["start"][:, present] = start
    return Fitted("trees", classes, arrays, fitted.settings)
