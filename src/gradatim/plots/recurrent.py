"""Figures of recurrent networks: gradients against lag, gates over time, memory against lag, scans."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from gradatim.errors import InvalidValue
from gradatim.instruments import TimeGradients
from gradatim.plots.style import INK, MUTED, PALETTE, SEQUENTIAL, new_figure

MARKERS = ("o", "s", "D", "^", "v", "P", "X")


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
    panel.set_yscale("log")
    panel.set_xlabel("lag $t-k$")
    panel.set_ylabel(r"$\|\partial E_t/\partial h_k\| \;/\; \|\partial E_t/\partial h_t\|$")
    panel.plot([], [], ":", color=INK, linewidth=1.3, label=r"bound $\gamma^{t-k}$")
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    return figure


def matrix_powers(
    norms: ArrayLike, *, spectral_norm: float, spectral_radius: float, title: str = ""
) -> Figure:
    r"""Draw :math:`\|U^k\|_2` between what its norm allows and what its radius promises.

    Args:
        norms: :math:`\|U^k\|_2` for :math:`k = 0, 1, \dots`.
        spectral_norm: :math:`\|U\|_2`.
        spectral_radius: Largest :math:`|\lambda|` of :math:`U`.
        title: Title of the figure.

    Example:
        >>> len(matrix_powers([1.0, 0.5, 0.25], spectral_norm=0.5, spectral_radius=0.5).axes[0].lines)
        4
    """
    values = np.asarray(norms, dtype=float)
    k = np.arange(len(values))
    figure, panel = new_figure(width=6.5, height=3.9)
    panel.plot(k, values, marker="o", markersize=3, label=r"$\|U^k\|_2$, measured")
    panel.plot(k, spectral_norm ** k.astype(float), ":", label=r"$\|U\|_2^{\,k}$, the bound")
    panel.plot(
        k, spectral_radius ** k.astype(float), "--", label=r"$\rho(U)^k$, what eigenvalues suggest"
    )
    panel.axhline(1.0, color=MUTED, linewidth=0.8, zorder=0)
    panel.set_yscale("log")
    panel.set_ylim(min(values.min(), 1.0) / 10, values.max() * 100)
    panel.set_xlabel("steps $k$")
    panel.set_ylabel("largest growth of a gradient")
    panel.set_title(title)
    panel.legend()
    return figure


def score_against_lag(
    scores: Mapping[str, Mapping[str, Mapping[int, float]]],
    *,
    chance: Mapping[str, float],
    ylabel: str = "accuracy",
) -> Figure:
    """Draw how well models remember against how long, one panel a task.

    Args:
        scores: Score by lag, by model, by task.
        chance: What guessing gives, by task.
        ylabel: What the score is.

    Example:
        >>> figure = score_against_lag({"copy": {"gru": {10: 1.0, 100: 0.5}}}, chance={"copy": 0.1})
        >>> figure.axes[0].get_title()
        'copy'
    """
    figure, axes = new_figure(columns=len(scores), width=4.3 * len(scores), height=3.9, sharey=True)
    for panel, (task, models) in zip(np.atleast_1d(axes), scores.items(), strict=True):
        for place, (model, by_lag) in enumerate(models.items()):
            panel.plot(
                list(by_lag), list(by_lag.values()), label=model if panel is figure.axes[0] else None,
                marker=MARKERS[place % len(MARKERS)], markersize=5, color=PALETTE[place % len(PALETTE)],
            )  # fmt: skip
        panel.axhline(chance[task], color=MUTED, linestyle=":", linewidth=1.2)
        panel.annotate(
            "chance", (0.0, chance[task]), xycoords=("axes fraction", "data"), xytext=(3, 3),
            textcoords="offset points", fontsize=8, color=MUTED,
        )  # fmt: skip
        panel.set_xscale("log")
        lags = sorted({lag for by_lag in models.values() for lag in by_lag})
        panel.set_xticks(lags, [str(lag) for lag in lags])
        panel.minorticks_off()
        panel.set_ylim(-0.03, 1.05)
        panel.set_title(task)
        panel.set_xlabel("lag (steps to remember over)")
    figure.axes[0].set_ylabel(ylabel)
    figure.legend(loc="outside lower center", ncols=6, frameon=False, fontsize=9)
    return figure


def score_by_offset(
    scores: Mapping[str, Mapping[int, float]],
    *,
    chance: float,
    xlabel: str,
    ylabel: str = "accuracy",
) -> Figure:
    """Draw scores against where the information stands: to the left in the past, to the right in the future.

    Args:
        scores: Score by offset in steps, by model.
        chance: What guessing gives.
        xlabel: What the offset is.
        ylabel: What the score is.

    Example:
        >>> figure = score_by_offset({"forward": {-1: 1.0, 1: 0.5}}, chance=0.5, xlabel="offset")
        >>> len(figure.axes[0].lines)
        3
    """
    figure, panel = new_figure(width=7.0, height=3.9)
    for place, (label, by_offset) in enumerate(scores.items()):
        offsets = sorted(by_offset)
        panel.plot(
            offsets, [by_offset[offset] for offset in offsets], label=label,
            marker=MARKERS[place % len(MARKERS)], markersize=5,
        )  # fmt: skip
    panel.axvline(0, color=MUTED, linewidth=0.8, zorder=0)
    panel.axhline(chance, color=MUTED, linestyle=":", linewidth=1.2, zorder=0)
    panel.annotate("past", (0, 1.07), (-6, 0), textcoords="offset points", ha="right", fontsize=9, color=MUTED)  # fmt: skip
    panel.annotate("future", (0, 1.07), (6, 0), textcoords="offset points", ha="left", fontsize=9, color=MUTED)  # fmt: skip
    panel.set_ylim(0.0, 1.14)
    panel.set_xlabel(xlabel)
    panel.set_ylabel(ylabel)
    panel.legend(loc="lower left")
    return figure


def gates_over_time(
    signals: Mapping[str, ArrayLike],
    gates: Mapping[str, ArrayLike],
    marks: Sequence[int] = (),
    *,
    mark_label: str = "write",
) -> Figure:
    """Draw what goes in and out of a cell, and under it its gates, against time.

    Args:
        signals: Curves of the upper panel by label, each ``(T,)``.
        gates: Rows of the lower panel by label, each ``(T,)`` with values in [0, 1].
        marks: Times of events, drawn as vertical lines.
        mark_label: What happens then.

    Example:
        >>> figure = gates_over_time({"x": [0, 1, 0]}, {"input": [0, 1, 0], "forget": [1, 0, 1]}, [1])
        >>> [label.get_text() for label in figure.axes[1].get_yticklabels()]
        ['input', 'forget']
    """
    figure, (upper, lower) = new_figure(2, 1, width=8.0, height=4.6, sharex=True)
    for place, (label, curve) in enumerate(signals.items()):
        upper.step(np.arange(len(np.asarray(curve))), np.asarray(curve), where="mid", label=label, color=PALETTE[place])  # fmt: skip
    for panel in (upper, lower):
        for number, mark in enumerate(marks):
            panel.axvline(
                mark, color=PALETTE[4], linewidth=1.2, alpha=0.8, zorder=1,
                label=mark_label if number == 0 and panel is upper else None,
            )  # fmt: skip
    upper.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=5, borderaxespad=0.2)
    upper.set_ylabel("value")
    rows = np.stack([np.asarray(row, dtype=float) for row in gates.values()])
    image = lower.imshow(
        rows, aspect="auto", cmap=SEQUENTIAL, vmin=0.0, vmax=1.0, interpolation="nearest"
    )
    lower.set_yticks(range(len(rows)), list(gates))
    lower.grid(False)
    lower.set_xlabel("time step")
    figure.colorbar(image, ax=lower, label="opening", pad=0.01)
    return figure


def error_by_step(errors: Mapping[str, ArrayLike]) -> Figure:
    """Draw the error of every step of a sequence, on a logarithmic scale, pairs of lines in one colour.

    Args:
        errors: Errors ``(T,)`` by label; labels with the same words before a comma share a colour.

    Example:
        >>> len(error_by_step({"GRU, zero": [1.0, 0.1], "GRU, learned": [0.2, 0.1]}).axes[0].lines)
        2
    """
    figure, panel = new_figure(width=7.0, height=3.9)
    families = list(dict.fromkeys(label.partition(",")[0] for label in errors))
    for place, (label, curve) in enumerate(errors.items()):
        values = np.asarray(curve, dtype=float)
        family = families.index(label.partition(",")[0])
        is_first = place == [name.partition(",")[0] for name in errors].index(families[family])
        panel.plot(
            np.arange(1, len(values) + 1), values, "--" if is_first else "-",
            color=PALETTE[family % len(PALETTE)], label=label,
        )  # fmt: skip
    panel.set_yscale("log")
    panel.set_xlabel("time step")
    panel.set_ylabel("mean squared error")
    panel.legend()
    return figure


def scan_costs(seconds: Mapping[str, Mapping[int, float]], *, title: str = "") -> Figure:
    """Draw seconds against length, both on logarithmic scales, beside the slope of linear growth.

    Args:
        seconds: Seconds by length, by method.
        title: Title of the figure.

    Example:
        >>> figure = scan_costs({"loop": {10: 0.1, 100: 1.0}})
        >>> figure.axes[0].get_xscale()
        'log'
    """
    figure, panel = new_figure(width=6.5, height=4.0)
    for place, (label, by_length) in enumerate(seconds.items()):
        milliseconds = [1e3 * value for value in by_length.values()]
        panel.plot(list(by_length), milliseconds, marker=MARKERS[place % len(MARKERS)], label=label)
    lengths = sorted({length for by_length in seconds.values() for length in by_length})
    least = 1e3 * min(value for by_length in seconds.values() for value in by_length.values())
    panel.plot(lengths, [0.5 * least * n / lengths[0] for n in lengths], ":", color=MUTED, label="∝ length")  # fmt: skip
    panel.set_xscale("log", base=2)
    panel.set_yscale("log")
    panel.set_xticks(lengths, [f"{n:,}" for n in lengths])
    panel.set_xlabel("length $T$")
    panel.set_ylabel("milliseconds")
    panel.set_title(title)
    panel.legend()
    return figure
