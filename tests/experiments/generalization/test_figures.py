"""Figures that only the experiments of this chapter draw show what they were given."""

import numpy as np
import pytest

from gradatim.experiments.generalization.batchnorm import batch_histograms, error_curves
from gradatim.experiments.generalization.bias_variance import error_parts
from gradatim.experiments.generalization.distillation import tempered_odds
from gradatim.experiments.generalization.dropout_is_ridge import weight_paths
from gradatim.experiments.generalization.early_stopping_is_weight_decay import shrinkage_and_risk
from gradatim.experiments.generalization.lottery_ticket import ticket_curves
from gradatim.experiments.generalization.weight_decay_path import decay_path, smooth_fits
from gradatim.plots.style import PALETTE


def line(panel, label):
    return next(each for each in panel.get_lines() if each.get_label() == label)


def test_error_parts_stack_up_to_the_sum():
    figure = error_parts(
        [1, 2], [1.0, 0.5], [0.1, 0.4], 0.2, error=[1.3, 1.1], xlabel="w", is_log_x=True
    )
    tops = [area.get_datalim(figure.axes[0].transData).y1 for area in figure.axes[0].collections]
    assert tops == pytest.approx([0.2, 1.2, 1.3])


def test_shrinkage_marks_the_best_risk_and_ends_at_the_solution():
    x = np.array([0.1, 1.0, 10.0])
    paths = {"a": np.array([[0.0, 0.0], [1.0, 2.0]]), "b": np.array([[0.0, 0.0], [1.0, 2.0]])}
    risks = {"a": (x, [3.0, 1.0, 2.0]), "b": (x, [3.0, 2.0, 1.5])}
    figure = shrinkage_and_risk(x, {"a": x, "b": 2 * x}, risks, paths, np.eye(2))
    left, middle, right = figure.axes
    assert line(left, "b").get_ydata().tolist() == [0.2, 2.0, 20.0]
    dots = [each for each in right.get_lines() if each.get_marker() == "o"]
    assert [tuple(d.get_data()[0]) + tuple(d.get_data()[1]) for d in dots] == [
        (1.0, 1.0),
        (10.0, 1.5),
    ]
    assert [d.get_color() for d in dots] == list(PALETTE[:2])
    star = next(each for each in middle.get_lines() if each.get_marker() == "*")
    assert (star.get_xdata()[0], star.get_ydata()[0]) == (1.0, 2.0)


def test_weight_paths_keep_dots_with_their_lines():
    paths = {"low": [0.0, -1.0], "high": [0.0, 1.0]}
    panel = weight_paths([0.5, 1.0], paths, ([1.0], [[-0.9, 0.8]]), xlabel="keep").axes[0]
    dots = {d.get_color(): d.get_ydata()[0] for d in panel.get_lines() if d.get_marker() == "o"}
    assert dots == {line(panel, "low").get_color(): -0.9, line(panel, "high").get_color(): 0.8}
    assert [text.get_text() for text in panel.get_legend().get_texts()] == ["high", "low"]


def test_decay_path_stars_the_least_validation_error():
    left = decay_path([0.1, 1.0, 10.0], [0, 1, 2], [3.0, 1.0, 2.0], [9, 5, 1]).axes[0]
    star = next(each for each in left.get_lines() if each.get_marker() == "*")
    assert (star.get_xdata()[0], star.get_ydata()[0]) == (1.0, 1.0)


def test_one_panel_each():
    fits = {"a": [0.0, 1.0], "b": [1.0, 0.0]}
    assert [p.get_title() for p in smooth_fits([0], [0], [0, 1], [0, 1], fits).axes] == ["a", "b"]
    panels = {"rate": ([0.1, 1.0], {"plain": [5.0, 90.0]}), "scale": ([1.0], {"plain": [4.0]})}
    assert [p.get_xlabel() for p in error_curves(panels).axes] == ["rate", "scale"]
    histograms = batch_histograms({"before": {"1": [0.0, 2.0], "2": [1.0, 1.0]}})
    assert len(histograms.axes) == 1


def test_ticket_curves_draw_means_from_all_to_few():
    panel = ticket_curves([100, 10, 1], {"ticket": [[2.0, 3.0, 9.0], [4.0, 3.0, 11.0]]}).axes[0]
    assert line(panel, "ticket").get_ydata().tolist() == [3.0, 3.0, 10.0]
    assert panel.get_xlim()[0] > panel.get_xlim()[1]


def test_tempered_odds_give_every_class_a_bar_a_temperature():
    odds = {"T = 1": [0.9, 0.1, 0.0], "T = 4": [0.5, 0.3, 0.2]}
    figure = tempered_odds(np.eye(4), odds, {"labels": 0.0, "odds": 60.0}, accuracy_label="%")
    _, middle, right = figure.axes
    assert [bar.get_height() for bar in middle.patches] == pytest.approx(
        [0.9, 0.1, 0, 0.5, 0.3, 0.2]
    )
    assert [bar.get_width() for bar in right.patches] == [0.0, 60.0]
