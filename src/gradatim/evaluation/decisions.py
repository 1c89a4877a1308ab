r"""Which class to say, for a score that the likeliest class does not serve.

A decision is a weight for every class: said is :math:`\arg\max_k w_k p_k`; of two classes that is a threshold
:math:`t = w_0/(w_0 + w_1)` of the second. The weights are those with the best score on rows that the model has not learned from.
Rows of a rare class are few, so what was counted, :math:`M`, is mixed with what the probabilities themselves expect,
:math:`\hat M = \sum_i p_i \otimes \mathbb 1[\text{said}_i]`:

.. math:: \frac{n\,M + m\,\hat M}{n + m}, \qquad m = 20

with :math:`n` rows of the rarest class: few rows hardly move the threshold from where calibrated probabilities put it, many decide
alone. To judge a decision without flattering it, each part of the rows is decided by weights that are best on the other parts.
"""

import numpy as np

from gradatim.evaluation.criteria import Criterion
from gradatim.evaluation.judged import decide_classes

DECIDED = ("balanced_accuracy", "macro_f1", "f1")
EXPECTED_ROWS = 20  # of the rarest class that count as much as what the probabilities expect
MOST_CLASSES = 20  # whose weights are looked for one by one
PARTS = {2: 5}  # of the rows, by classes; two parts for more classes
_STEPS = np.exp(np.linspace(-1.5, 1.5, 13))
_TINY = 1e-12


def is_decided(criterion: Criterion | None) -> bool:
    """Whether another class than the likeliest may serve a criterion better.

    Example:
        >>> is_decided(Criterion("macro_f1", "macro F1")), is_decided(Criterion("auc", "AUC"))
        (True, False)
    """
    return criterion is not None and criterion.name in DECIDED


def _score(name: str, hits: np.ndarray, said: np.ndarray, there: np.ndarray) -> np.ndarray:
    """The score from the weight of each class (last axis) that is hit, said and there."""
    if name == "balanced_accuracy":
        return (hits / np.maximum(there, _TINY))[..., there > 0].mean(-1)
    f1 = 2 * hits / np.maximum(said + there, _TINY)
    return f1[..., 1] if name == "f1" and len(there) == 2 else f1.mean(-1)


def choose_weights(criterion: Criterion, y: np.ndarray, output: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:  # fmt: skip
    """The class weights with the best score, of geometric mean 1.

    Args:
        criterion: One of :data:`DECIDED`.
        y: Class codes, shape ``(N,)``.
        output: Probabilities, shape ``(N, K)``.
        weight: Of every row.

    Example:
        >>> p = np.linspace(0.01, 0.3, 400)
        >>> y = (np.random.default_rng(0).random(400) < p).astype(int)
        >>> w = choose_weights(Criterion("balanced_accuracy", ""), y, np.stack([1 - p, p], 1))
        >>> bool(0.1 < w[0] / w.sum() < 0.25)
        True
    """
    each = np.ones(len(y)) if weight is None else weight
    classes = output.shape[1]
    n = float(np.bincount(y, minlength=classes)[np.unique(y)].min()) if len(y) else 0.0
    # each row's share in every class: its own class, mixed with what the model expects
    mixed = np.eye(classes)[y] * (n / (n + EXPECTED_ROWS)) + output * (EXPECTED_ROWS / (n + EXPECTED_ROWS))  # fmt: skip
    mixed = mixed * each[:, None]
    if classes == 2:
        found = _best_threshold(criterion.name, output[:, 1], mixed)
    else:
        found = _best_weights(criterion.name, output, mixed, each)
    return found / np.exp(np.log(found).mean())


def _best_threshold(name: str, p: np.ndarray, mixed: np.ndarray) -> np.ndarray:
    order = np.argsort(-p, kind="stable")
    is_last = np.append(np.diff(p[order]) != 0, True)  # of rows with equal probabilities
    # by cut and true class, of rows that are said to be of the second; the first cut lies above all rows
    sums = np.concatenate([np.zeros((1, 2)), np.cumsum(mixed[order], axis=0)[is_last]])
    there = mixed.sum(0)
    hits = np.stack([there[0] - sums[:, 0], sums[:, 1]], 1)
    said = np.stack([there.sum() - sums.sum(1), sums.sum(1)], 1)
    best = int(_score(name, hits, said, there).argmax())
    cuts = np.clip(p[order][is_last], 1e-6, 1 - 1e-6)
    logits = np.log(cuts / (1 - cuts))
    ends = np.concatenate([[logits[0] + 2.0], logits, [logits[-1] - 2.0]])
    place = ends[best : best + 2].mean()  # half-way to the next row
    t = 1 / (1 + np.exp(-place))
    return np.array([t, 1 - t])


def _best_weights(name: str, output: np.ndarray, mixed: np.ndarray, each: np.ndarray) -> np.ndarray:
    classes, there = output.shape[1], mixed.sum(0)
    weights = np.maximum(there.sum(), _TINY) / np.maximum(classes * there, _TINY)
    if name != "balanced_accuracy":
        weights = np.sqrt(weights)
    if classes > MOST_CLASSES:
        return weights if name == "balanced_accuracy" else np.ones(classes)

    def score(said: np.ndarray) -> float:
        hits = np.bincount(said, mixed[np.arange(len(said)), said], classes)
        return float(_score(name, hits, np.bincount(said, each, classes), there))

    starts = (np.ones(classes), weights)
    weights = max(starts, key=lambda own: score(decide_classes(output, own))).copy()
    best = score(decide_classes(output, weights))
    for k in [*range(classes)] * 2:
        others = output * weights
        own = others[:, k].copy()
        others[:, k] = -1.0
        rival, beaten = others.argmax(1), others.max(1)
        found = [score(np.where(own * step > beaten, k, rival)) for step in _STEPS]
        if max(found) > best + 1e-9:
            best = max(found)
            weights[k] *= _STEPS[int(np.argmax(found))]
    return weights


def say_honestly(criterion: Criterion, y: np.ndarray, output: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:  # fmt: skip
    """The class that is said of every row, by weights that are best on other rows.

    Args:
        criterion: One of :data:`DECIDED`.
        y: Class codes, shape ``(N,)``.
        output: Probabilities, shape ``(N, K)``.
        weight: Of every row.
    """
    parts = PARTS.get(output.shape[1], 2)
    order = np.argsort(y, kind="stable")
    part = np.empty(len(y), dtype=int)
    part[order] = np.arange(len(y)) % parts  # every class in every part
    said = np.empty(len(y), dtype=int)
    for k in range(parts):
        own, others = part == k, part != k
        if own.any():
            given = None if weight is None else weight[others]
            chosen = choose_weights(criterion, y[others], output[others], given) if others.any() else None  # fmt: skip
            said[own] = decide_classes(output[own], chosen)
    return said
