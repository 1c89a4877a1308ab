r"""The linear discriminant of a table with more columns than rows, without a matrix of columns by columns.

Within class :math:`c`, with share :math:`p_c`, :math:`n_c` rows and standard deviations :math:`D_c`, the covariance is shrunk
by Ledoit and Wolf after scaling:

.. math:: \Sigma = \sum_c p_c D_c\bigl((1-s_c) Z_c^\top Z_c/n_c + s_c\mu_c I\bigr)D_c = \Lambda + A^\top A

with a diagonal :math:`\Lambda` and one row of :math:`A` for every row of the table. So :math:`\Sigma^{-1}M` for the class
means :math:`M` follows from a system of rows by rows (Woodbury),

.. math:: \Sigma^{-1} = \Lambda^{-1} - \Lambda^{-1}A^\top(I + A\Lambda^{-1}A^\top)^{-1}A\Lambda^{-1}

which takes :math:`O(N^2D)` where the covariance takes :math:`O(D^3)`: milliseconds instead of minutes for 10,000 columns.
"""

import numpy as np

RIDGE = 1e-9  # of the mean variance, the least that a column has


def wide_discriminant(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights, constants and classes of the linear discriminant with shrinkage, as scikit-learn's ``lsqr`` solver finds them.

    Args:
        X: Features, shape ``(N, D)``.
        y: Class codes.

    Returns:
        Weights ``(classes, D)`` and constants ``(classes,)``; for two classes one row, the second against the first. And
        the codes of the classes that are there.

    Example:
        >>> X = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [5.0, 5.0, 1.0], [6.0, 5.0, 0.0]])
        >>> weights, constants, classes = wide_discriminant(X, np.array([0, 0, 1, 1]))
        >>> (X @ weights[0] + constants[0] > 0).tolist()
        [False, False, True, True]

    Reference:
        Ledoit and Wolf, Honey, I Shrunk the Sample Covariance Matrix, 2004.
    """
    present, codes = np.unique(y, return_inverse=True)
    shares = np.bincount(codes) / len(y)
    means = np.stack([X[codes == c].mean(0) for c in range(len(present))])
    diagonal, rows = np.zeros(X.shape[1]), []
    for c, share in enumerate(shares):
        centred = X[codes == c] - means[c]
        scale = centred.std(0)
        scale[scale < 10 * np.finfo(float).eps * np.abs(means[c])] = 0.0
        scale[scale == 0.0] = 1.0
        shrinkage, size = _ledoit_wolf(centred / scale)
        diagonal += share * shrinkage * size * scale**2
        rows.append(np.sqrt(share * (1 - shrinkage) / len(centred)) * centred)
    A = np.concatenate(rows)
    floor = RIDGE * float((A**2).sum() + diagonal.sum()) / X.shape[1]
    diagonal = np.maximum(
        diagonal, floor or 1.0
    )  # where nothing is shrunk, the rest would have no inverse
    inner = np.eye(len(A)) + (A / diagonal) @ A.T
    scaled = means.T / diagonal[:, None]  # (D, classes)
    weights = (scaled - (A / diagonal).T @ np.linalg.solve(inner, A @ scaled)).T
    constants = -0.5 * (means * weights).sum(1) + np.log(shares)
    if len(present) == 2:
        weights, constants = weights[1:] - weights[:1], constants[1:] - constants[:1]
    return weights, constants, present


def _ledoit_wolf(Z: np.ndarray) -> tuple[float, float]:
    r"""Shrinkage :math:`s` and mean variance :math:`\mu` of centred rows, from products of rows with rows."""
    n, d = Z.shape
    if n == 1:
        return 0.0, 0.0
    lengths = (Z**2).sum(1)
    mean = lengths.sum() / (n * d)
    squares = ((Z @ Z.T) ** 2).sum() / n**2  # all squared entries of the covariance
    spread = (squares - d * mean**2) / d
    noise = min(((lengths**2).sum() / n - squares) / (n * d), spread)
    return (0.0 if noise <= 0 else float(noise / spread)), float(mean)
