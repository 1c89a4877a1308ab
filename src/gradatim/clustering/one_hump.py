r"""Tables without groups: the same columns, the same correlations, one hump.

What would k-means find if there were nothing to find? Every column is shuffled, so that its values stay and groups go; two
things stay that are no groups but would look like them next to independent columns. Correlation makes a cloud longer than
wide, and k-means cuts what is long: so the ranks of the shuffled columns are correlated as those of the data,

.. math:: \tilde x_j = Q_j(\Phi(g_j)), \qquad g \sim N(0, R), \qquad R = \operatorname{corr}\bigl(\Phi^{-1}(\operatorname{rank}_j)\bigr)

And a column with several humps, shuffled, still has them: so :math:`Q_j` are the quantiles of the nearest distribution with one
hump, whose density rises up to a point and falls from there on. Uniform and Gaussian data stay what they are.
"""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.stats import norm, rankdata

from gradatim.errors import require, require_seed

MODES = 25  # places tried for the hump
FEW = 10  # values; a column with fewer different ones has no gaps to fill


def one_hump_quantiles(values: np.ndarray, shares: np.ndarray) -> np.ndarray:
    r"""Quantiles of the distribution with one hump that is nearest to some values.

    Between neighbouring values the density is constant. For a hump at :math:`m` the densities are those nearest to the data's own
    (by least squares with the gaps as weights) that rise before :math:`m` and fall behind it: the slopes of the greatest convex
    and the least concave function below and above the distribution function :math:`F`. Of some :math:`m` that one is taken for which
    :math:`\max |F - F_m|` is least.

    Args:
        values: Shape ``(N,)``, at least two different ones.
        shares: Where to ask, from 0 to 1.

    Example:
        >>> two_humps = np.r_[np.linspace(0, 1, 50), np.linspace(9, 10, 50)]
        >>> one_hump_quantiles(two_humps, np.array([0.1, 0.4, 0.6])).round(1).tolist()
        [0.2, 0.8, 2.9]

    Reference:
        Hartigan and Hartigan, The Dip Test of Unimodality, 1985.
    """
    values = np.asarray(values, dtype=np.float64)
    is_row = values.ndim == 1 and bool(np.isfinite(values).all())
    require(is_row, "one_hump_quantiles: values must be finite, of shape (N,)", f"shape {values.shape}")  # fmt: skip
    count = len(np.unique(values))
    require(count > 1, "one_hump_quantiles: values must hold two different ones at least", count)
    return np.interp(shares, *_nearest(values))


def _nearest(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nearest distribution function with one hump at all different values, and these values."""
    places, counts = np.unique(values, return_counts=True)
    F = (np.cumsum(counts) - 0.5 * counts) / len(values)
    gaps = np.diff(places)
    densities = np.diff(F) / gaps
    tried = np.unique(np.linspace(0, len(gaps), MODES).round().astype(int))
    fits = [F[0] + np.r_[0.0, np.cumsum(_one_hump(densities, gaps, m) * gaps)] for m in tried]
    return min(fits, key=lambda fit: float(np.abs(fit - F).max())), places


def _one_hump(densities: np.ndarray, gaps: np.ndarray, m: int) -> np.ndarray:
    """Densities that rise up to gap number ``m`` and fall from there on."""
    sides = ((densities[:m], gaps[:m], True), (densities[m:], gaps[m:], False))
    return np.concatenate([isotonic_regression(d, weights=w, increasing=up).x for d, w, up in sides if len(d)])  # fmt: skip


class OneHump:
    """Draws tables that have the columns and correlations of another one, and no groups.

    Args:
        x: Rows, shape ``(N, d)``.
        blocks: Columns that belong together, such as the marks of one category: their rows are drawn whole and gaps between
            them stay; by default every column stands alone.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> x = np.r_[rng.normal(-5, 1, (200, 2)), rng.normal(5, 1, (200, 2))]
        >>> drawn = OneHump(x).draw(seed=0)
        >>> bool(np.mean(abs(x[:, 0]) < 2) < 0.01), bool(np.mean(abs(drawn[:, 0]) < 2) > 0.1)
        (True, True)
    """

    def __init__(self, x: np.ndarray, blocks: Sequence[Sequence[int]] | None = None) -> None:
        x = np.asarray(x, dtype=np.float64)
        require(x.ndim == 2 and x.size and np.isfinite(x).all(), "OneHump: x must be finite rows, of shape (N, d)", f"shape {x.shape}")  # fmt: skip
        self.blocks = [np.array(own) for own in blocks or [[k] for k in range(x.shape[1])]]
        named = sorted(np.concatenate(self.blocks).tolist())
        require(
            named == list(range(x.shape[1])), "OneHump: blocks must hold every column once", named
        )
        keys = self._keys(x)
        scores = norm.ppf((rankdata(keys, axis=0) - 0.5) / len(x))
        self.factor = _factor(scores)
        orders = keys.argsort(0, kind="stable")
        self.sorted = [x[order][:, own] for own, order in zip(self.blocks, orders.T, strict=True)]
        # a column of many values has its gaps filled, others stay as they are
        has_curve = [rows.shape[1] == 1 and len(np.unique(rows)) > FEW for rows in self.sorted]
        self.curves = [_nearest(rows[:, 0]) if c else None for rows, c in zip(self.sorted, has_curve, strict=True)]  # fmt: skip

    def _keys(self, x: np.ndarray) -> np.ndarray:
        """A number for each block by which its rows have an order: what it adds to the first principal component."""
        centred = x - x.mean(0)
        main = np.linalg.eigh(centred.T @ centred)[1][:, -1]
        main = np.where(main == 0, 1.0, main)
        return np.stack([x[:, own] @ main[own] if len(own) > 1 else x[:, own[0]] for own in self.blocks], 1)  # fmt: skip

    def draw(self, *, seed: int) -> np.ndarray:
        """A table of as many rows.

        Args:
            seed: Fixes the draw.
        """
        require_seed("OneHump", seed)
        count = len(self.sorted[0])
        g = np.random.default_rng(seed).standard_normal((count, len(self.factor))) @ self.factor.T
        shares = norm.cdf(g)
        drawn = np.empty((count, sum(len(own) for own in self.blocks)))
        parts = zip(self.blocks, self.sorted, self.curves, shares.T, strict=True)
        for own, rows, curve, share in parts:
            if curve is None:
                drawn[:, own] = rows[np.minimum((share * count).astype(int), count - 1)]
            else:
                drawn[:, own[0]] = np.interp(share, *curve)
        return drawn


def _factor(scores: np.ndarray) -> np.ndarray:
    """A root of the correlations of columns; one that never changes has none."""
    spread = scores.std(0)
    centred = (scores - scores.mean(0)) / np.where(spread > 0, spread, 1.0)
    correlations = centred.T @ centred / len(scores)
    np.fill_diagonal(correlations, 1.0)
    values, vectors = np.linalg.eigh(correlations)
    root: np.ndarray = vectors * np.sqrt(values.clip(0.0))
    return root
