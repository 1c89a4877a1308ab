"""Figures of what flows through a network, layer by layer."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from gradatim.instruments import LayerStatistics
from gradatim.plots.style import MUTED, PALETTE, STYLES, new_figure


def variance_profiles(
    profiles: Mapping[str, Sequence[LayerStatistics]], *, kind: str = "Linear"
) -> Figure:
    """Draw the variance of outputs and of gradients against depth, one line a network.

    Args:
        profiles: Results of ``variance_profile`` by label.
        kind: Layers to draw, by the name of their class.

    Example:
        >>> import torch
        >>> from gradatim.instruments import variance_profile
        >>> model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 3))
        >>> figure = variance_profiles({"default": variance_profile(model, torch.ones(4, 3))})
        >>> [axes.get_title() for axes in figure.axes]
        ['Forward: outputs', 'Backward: gradients']
    """
    figure, (forward, backward) = new_figure(columns=2, width=9.0, height=3.9)
    for place, (label, profile) in enumerate(profiles.items()):
        rows = [row for row in profile if row.kind == kind]
        depth = np.arange(1, len(rows) + 1)
        style = {"color": PALETTE[place % len(PALETTE)], "linestyle": STYLES[place % len(STYLES)]}
        forward.plot(depth, [row.activation_variance for row in rows], label=label, **style)
        backward.plot(depth, [row.gradient_variance for row in rows], **style)
    for panel, title in ((forward, "Forward: outputs"), (backward, "Backward: gradients")):
        panel.set(title=title, yscale="log", xlabel="layer", ylabel="variance")
        panel.axhline(1.0, color=MUTED, linewidth=0.8, zorder=0)
    figure.legend(loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    return figure
