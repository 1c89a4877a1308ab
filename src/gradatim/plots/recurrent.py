"""Figures of recurrent networks: gradients against lag."""

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from gradatim.errors import InvalidValue
from gradatim.instruments import TimeGradients
from gradatim.plots.style import INK, MARKERS, MUTED, PALETTE, new_figure
from gradatim.plots.words import Formula


def gradient_against_lag(gradients: Mapping[str, TimeGradients], *, floor: float = 1e-12) -> Figure:
    r"""Draw what is left of a gradient against the steps it has gone back, with its bound dotted.

    Args:
        gradients: Results of :func:`gradatim.instruments.gradient_through_time` by label.
        floor: Smallest share shown.

    Example:
        >>> from gradatim.nn import Recurrent
        >>> from gradatim.instruments import gradient_through_time
        >>> import torch
        >>> result = gradient_through_time(Recurrent("elman", 1, 4), torch.randn(2, 9, 1))
        >>> gradient_against_lag({"tanh": result}).axes[0].get_yscale()
        'log'
    """
    if not gradients:
        raise InvalidValue("gradient_against_lag: gradients must hold a result, got none.")
    figure, panel = new_figure(width=7.0, height=4.3)
    for place, (label, result) in enumerate(gradients.items()):
        color = PALETTE[place % len(PALETTE)]
        share = np.maximum(np.asarray(result.norms) / result.norms[0], floor)
        step = max(1, len(share) // 12)
        panel.plot(
            result.lags, share, color=color, label=label,
            marker=MARKERS[place % len(MARKERS)], markersize=4, markevery=step,
        )  # fmt: skip
        if result.bound is not None:
            bound = np.asarray(result.bound) / result.bound[0]
            shown = (bound >= floor) & (bound <= 1e6)
            panel.plot(
                np.asarray(result.lags)[shown], bound[shown], ":", color=color, linewidth=1.3
            )
    panel.axhline(1.0, color=MUTED, linewidth=0.8, zorder=0)
    panel.set(yscale="log", xlabel=Formula("lag $t-k$"))
    panel.set_ylabel(
        Formula(r"$\|\partial E_t/\partial h_k\| \;/\; \|\partial E_t/\partial h_t\|$")
    )
    panel.plot([], [], ":", color=INK, linewidth=1.3, label=Formula(r"bound $\gamma^{t-k}$"))
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    return figure
