"""Text of the data is text in every figure: no formula, no warning, no box, no page-long name."""

import ast
import io
from pathlib import Path

import numpy as np
import pytest
import torch
from matplotlib.cbook import is_math_text
from matplotlib.text import Text

import gradatim
from gradatim import plots
from gradatim.instruments import gradient_through_time, schedule_curve
from gradatim.models import MLP
from gradatim.neurons import boolean_network
from gradatim.nn import Recurrent
from gradatim.plots import words
from gradatim.plots.importance import importance_bars
from gradatim.plots.residuals import residuals
from gradatim.plots.style import new_figure
from gradatim.plots.words import Formula, families, plain
from gradatim.robust import RobustnessCurve

NASTY = {
    "price": "$20 to $30^", "subscript": "_{", "hidden": "_child", "command": "\\frac{1}", "lone dollar": "$",
    "escape": "\x1b[31mred", "emoji": "\U0001f468\u200d\U0001f469\u200d\U0001f467", "cjk": "中文名字", "rtl": "שלום \u202eא",
    "line": "a\nb", "long": "x" * 5000, "surrogate": "b\udcff", "empty": "", "null": "\x00", "escaped": "\\$5 \\$6",
    "private": "\ue000\U0010ffff", "lines": "a\n" * 100,
}  # fmt: skip
SQUARE = np.ones((4, 4))
CURVE = (np.arange(1.0, 4.0), np.arange(1.0, 4.0))


# every function of gradatim.plots that takes names, called with one
CALLS = {
    "adversarial_triples": lambda n: plots.adversarial_triples(SQUARE[None], SQUARE[None], [(n, n)]),
    "alignment_maps": lambda n: plots.alignment_maps([(np.eye(2), [n, "b"], ["c", n])]),
    "comparison_bars": lambda n: plots.comparison_bars({n: 1.0, "b": 2.0}, label=n, title=n, highlight=n, intervals={n: (0, 2), "b": (1, 3)}),
    "confusion_matrix": lambda n: plots.confusion_matrix([[8, 2], [1, 9]], [n, "b"], title=n),
    "curve_panels": lambda n: plots.curve_panels([plots.CurvePanel(n, n, n, {n: CURVE}, {n: CURVE}, is_log_x=True)]),
    "decay_curves": lambda n: plots.decay_curves({n: CURVE[0]}, title=n, ylabel=n, bounds={n: CURVE[0]}),
    "schedule_curves": lambda n: plots.schedule_curves({n: schedule_curve("cosine", epochs=10)}),
    "decision_regions": lambda n: plots.decision_regions({n: lambda x: x.sum(1) > 0}, np.eye(2), [0, 1]),
    "error_surfaces": lambda n: plots.error_surfaces([plots.SurfacePanel(n, lambda w: (w**2).sum(-1), ((-1, 1), (-1, 1)), {n: torch.zeros(2, 2)})]),
    "feature_map_grid": lambda n: plots.feature_map_grid(SQUARE, {n: np.ones((2, 4, 4))}),
    "filter_grid": lambda n: plots.filter_grid(SQUARE[None], [n]),
    "fit_panels": lambda n: plots.fit_panels({n: MLP((1, 2, 1)).double()}, torch.sin, (0.0, 1.0)),
    "forecast_bands": lambda n: plots.forecast_bands(CURVE[0], {n: (CURVE[0], CURVE[0] - 1, CURVE[0] + 1)}, ylabel=n, title=n),
    "gradient_against_lag": lambda n: plots.gradient_against_lag({n: gradient_through_time(Recurrent("elman", 1, 4), torch.randn(2, 9, 1))}),
    "head_grid": lambda n: plots.head_grid({n: np.ones((2, 2, 2))}, queries=[n, "b"], keys=["a", n]),
    "image_grid": lambda n: plots.image_grid(SQUARE[None], [n]),
    "learning_curves": lambda n: plots.learning_curves({n: {"train_loss": [2.0, 1.0], "validation_loss": [3.0, 2.0]}, "b": {"train_loss": [2.0, 1.0]}}, title=n),
    "numbered_matrices": lambda n: plots.numbered_matrices({n: SQUARE}),
    "perturbation_histogram": lambda n: plots.perturbation_histogram({n: CURVE[0]}, xlabel=n),
    "picture_panels": lambda n: plots.picture_panels({n: SQUARE}),
    "rate_curves": lambda n: plots.rate_curves({n: CURVE}, xlabel=n, ylabel=n, bounds={n: CURVE}),
    "robustness_curves": lambda n: plots.robustness_curves({n: RobustnessCurve(torch.arange(3.0), torch.ones(3))}, xlabel=n),
    "sensitivity_maps": lambda n: plots.sensitivity_maps({n: SQUARE}, {n: 2}),
    "threshold_network": lambda n: plots.threshold_network(boolean_network([0, 1, 1, 0]), inputs=[n, "b"], outputs=[n]),
    "return_curves": lambda n: plots.return_curves({n: plots.SeedCurves(CURVE[0], np.arange(15.0).reshape(5, 3))}, title=n, xlabel=n, ylabel=n),
    "grid_panels": lambda n: plots.grid_panels([plots.GridPanel(n, ["S.", ".G"])]),
    "image_rows": lambda n: plots.image_rows({n: np.ones((2, 4, 4))}),
    "latent_map": lambda n: plots.latent_map(np.eye(2), [0, 1], names=(n, "b"), title=n),
    "pole_frames": lambda n: plots.pole_frames(np.zeros((1, 4)), [n]),
    "importance_bars": lambda n: importance_bars({n: 1.0, "b": 2.0}, label=n),
    "residuals": lambda n: residuals(CURVE[0], CURVE[1], label=n),
}  # fmt: skip
# those that draw a model, a graph or records without names of the user's
NAMELESS = {
    "CurvePanel", "Formula", "chain_figure", "SurfacePanel", "attention_map", "error_curves", "graph_figure", "jacobian_cost_figure",
    "linear_pieces", "lr_range_figure", "new_figure", "region_maps", "ridge_functions", "trace_figure", "variance_profiles", "GridPanel", "SeedCurves", "image_sheet",
}  # fmt: skip


def draw(figure):
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=30)
    return buffer.getvalue()


def test_every_function_is_tried():
    assert set(plots.__all__) - NAMELESS == set(CALLS) & set(plots.__all__)


@pytest.mark.parametrize("kind", ["price", "long", "hidden", "escape"])
@pytest.mark.parametrize("function", CALLS)
def test_any_name_is_drawn(function, kind):
    """Warnings are errors here: a glyph that a font lacks would be one."""
    figure = CALLS[function](NASTY[kind])
    draw(figure)
    drawn = [label.get_text() for label in figure.findobj(Text)]
    assert max(map(len, drawn)) <= words.SENTENCE
    mine = [t for t in drawn if is_math_text(t) and "20" in t]
    assert not mine


@pytest.mark.parametrize("function", ["comparison_bars", "confusion_matrix", "curve_panels"])
@pytest.mark.parametrize("kind", NASTY)
def test_every_name_is_drawn_as_tick_title_and_in_a_legend(function, kind):
    draw(CALLS[function](NASTY[kind]))


def test_a_name_with_an_underscore_stands_in_the_legend():
    figure, axes = new_figure()
    axes.plot([1, 2], label="_a")
    axes.fill_between([0, 1], [1, 2], label="_b")
    axes.bar([0, 1], [1, 2], label="_c")
    axes.scatter([0, 1], [1, 2], label="_d")
    axes.plot([1, 2])
    legend = axes.legend()
    draw(figure)
    assert sorted(label.get_text() for label in legend.get_texts()) == ["_a", "_b", "_c", "_d"]


def test_a_formula_is_said_to_be_one():
    figure, axes = new_figure()
    axes.plot([1, 2], label=Formula("$x^2$"))
    axes.set(xlabel=Formula(r"$\epsilon$"), ylabel="$y$", yscale="log")
    axes.legend()
    draw(figure)
    draw(figure)  # the second time says nothing else
    found = {label.get_text() for label in figure.findobj(Text)}
    assert {"$x^2$", r"$\epsilon$", r"\$y\$"} <= found
    assert "$\\mathdefault{10^{0}}$" in found  # what Matplotlib writes itself


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("$20 to $30^", r"\$20 to \$30^"),
        ("\x1b[31m", r"\x1b[31m"),
        ("中", r"\u4e2d"),
        ("été ∈ שלום", "été ∈ שלום"),
        (7, "7"),
        (Formula("$x$"), "$x$"),
    ],
)
def test_plain_words(text, drawn):
    assert plain(text) == drawn


def test_a_font_that_has_the_character_is_used(monkeypatch):
    usual = words._fonts()[words.FONT]
    monkeypatch.setattr(words, "_fonts", lambda: {words.FONT: usual, "Other": frozenset({0x4E2D})})
    assert plain("中a文") == "中a\\u6587"
    assert families("中a") == [words.FONT, "Other"]
    assert families("a") == [words.FONT]
    _, axes = new_figure()
    label = axes.set_xlabel("中")
    words.write_plainly(label)
    assert label.get_fontfamily() == [words.FONT, "Other"]


def test_all_figures_come_from_one_place():
    source = Path(gradatim.__file__).parent
    makers = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", getattr(node.func, "attr", "")) in ("Figure", "_HouseFigure")
        and path.parts[-2] in ("plots", "experiments", "reports")
    }  # fmt: skip
    assert makers == {"plots/style.py"}
