"""Figures that only the experiments of this chapter draw show what they were given."""

import numpy as np
import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.experiments.linear.basis_functions import basis_fits
from gradatim.experiments.linear.likelihoods import likelihood_curves
from gradatim.experiments.linear.linear_classifiers import class_regions
from gradatim.experiments.linear.min_norm import solution_line
from gradatim.linear import Affine, fit_lda


def test_solution_line_solves_its_equation():
    x, y = torch.tensor([1.0, 2.0]), 2.0
    figure = solution_line(x, y, {"from 0": torch.zeros(3, 2)}, {"far": torch.ones(4)})
    plane, distance = figure.axes
    w1, w2 = (np.asarray(part) for part in plane.lines[0].get_data())
    np.testing.assert_allclose(w1 + 2 * w2, 2.0, rtol=1e-6)
    (star,) = (line for line in plane.lines if line.get_label() == "$X^+y$")
    assert [float(part[0]) for part in star.get_data()] == pytest.approx([0.4, 0.8])
    assert list(distance.lines[0].get_ydata()) == [1, 1, 1, 1]


def test_basis_functions_add_up_to_the_fit():
    grid = torch.linspace(0, 1, 11, dtype=torch.float64)
    features = torch.stack([grid, grid**2], dim=1)
    fit = Affine(torch.tensor([2.0, -1.0]), torch.tensor(0.5))
    figure = basis_fits(
        grid, grid, grid, {"one": (features, fit), "two": (features, fit), "three": (features, fit)}
    )
    first, second, _, total = figure.axes[0].lines
    np.testing.assert_allclose(first.get_ydata() + second.get_ydata() + 0.5, total.get_ydata())
    assert not figure.axes[3].axison


def test_likelihood_curves_mark_the_minimum():
    target = torch.tensor([1.0, 2.0, 6.0], dtype=torch.float64)
    grid = torch.linspace(0, 6, 601, dtype=torch.float64)
    curve, mark = likelihood_curves({"gaussian": target}, grid=grid).axes[0].lines
    best = np.asarray(curve.get_xdata())[np.argmin(curve.get_ydata())]
    assert best == pytest.approx(3.0)
    assert mark.get_xdata()[0] == pytest.approx(3.0)
    with pytest.raises(InvalidValue, match=r"likelihood_curves: targets must have scalar outputs"):
        likelihood_curves({"categorical": torch.tensor([0])}, grid=grid)


def test_class_regions_show_accuracy_and_every_point():
    X = torch.tensor([[0.0, 0.0], [1.0, 0.5], [4.0, 1.0], [5.0, 2.0]])
    y = torch.tensor([3, 3, 7, 7])
    figure = class_regions(X, y, {"LDA": fit_lda(X, y)}, resolution=20)
    axes = figure.axes[0]
    assert axes.get_title() == "LDA: 100.0%"
    assert sum(len(line.get_xdata()) for line in axes.lines) == 4
    figure.draw_without_rendering()
