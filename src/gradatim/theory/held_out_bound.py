r"""What rows that nothing was learned from promise: the plain bound beside which all others stand."""

from scipy.stats import beta

from gradatim.errors import require, require_whole


def held_out_bound(mistakes: int, n: int, delta: float = 0.05) -> float:
    r"""The largest error rate at which so few mistakes are not yet too unlikely.

    .. math:: \max\{r : P(\mathrm{Bin}(n, r)\le k)\ge\delta\}

    It needs no prior and cannot be improved upon for one network, but its rows are lost for learning.

    Args:
        mistakes: :math:`k`, counted on the held-out rows.
        n: Held-out rows.
        delta: Probability :math:`\delta` that the bound fails.

    Example:
        >>> round(held_out_bound(0, 59), 4)  # 1 - δ^(1/n)
        0.0495

    Reference:
        Langford, Tutorial on Practical Prediction Theory for Classification, 2005.
    """
    owner = "held_out_bound"
    require_whole(owner, n=n)
    require(0 <= mistakes <= n, f"{owner}: mistakes must be from 0 to n = {n}", mistakes)
    require(0 < delta < 1, f"{owner}: delta must be in (0, 1)", delta, "Try 0.05.")
    return 1.0 if mistakes == n else float(beta.ppf(1 - delta, mistakes + 1, n - mistakes))
