"""Figures of approximation show what they were given."""

import numpy as np
import pytest
import torch

from gradatim.models import MLP
from gradatim.plots.approximation import error_curves, fit_panels, rate_curves, ridge_functions
from gradatim.theory import Approximation


def record(width, depth, activation, sup):
    return Approximation(
        width=width,
        depth=depth,
        activation=activation,
        num_parameters=3 * width + depth,
        sup_error=sup,
        l2_error=sup / 2,
        restart_errors=(sup,),
        model=MLP((1, width, 1)),
    )


def test_error_curves_group_by_activation_and_depth():
    results = [
        record(w, d, a, 1 / (w + d)) for a in ("tanh", "relu") for d in (1, 2) for w in (1, 4)
    ]
    (axis,) = error_curves(results).axes
    labels = [line.get_label() for line in axis.lines]
    assert labels == ["tanh, 1 layer", "tanh, 2 layers", "relu, 1 layer", "relu, 2 layers"]
    assert list(axis.lines[1].get_xdata()) == [1, 4]
    assert list(axis.lines[1].get_ydata()) == [1 / 3, 1 / 6]
    (axis,) = error_curves(results[:2], size="num_parameters", error="l2_error").axes
    assert list(axis.lines[0].get_xdata()) == [4, 13]
    assert list(axis.lines[0].get_ydata()) == [0.25, 0.1]
    assert axis.lines[0].get_label() == "tanh"


@pytest.mark.parametrize("argument", ["size", "error"])
def test_error_curves_refuse_an_unknown_axis(argument):
    with pytest.raises(ValueError, match=f"error_curves: {argument} must be one of"):
        error_curves([record(1, 1, "tanh", 1.0)], **{argument: "depth"})


def test_bounds_take_the_colour_of_their_curve():
    figure = rate_curves(
        {"a": ([1, 10], [1.0, 0.1])},
        bounds={"a": ([1, 10], [2.0, 0.2]), "law": ([1, 10], [3.0, 0.3])},
        xlabel="m",
        ylabel="error",
    )
    curve, own, law, _ = figure.axes[0].lines
    assert own.get_color() == curve.get_color() != law.get_color()
    texts = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert texts == ["a", "law", "bound"]


def test_fit_panels_draw_function_and_network():
    model = MLP((1, 3, 1)).double()
    figure = fit_panels({"one": model, "two": model, "three": model}, torch.cos, (-1.0, 2.0))
    figure.draw_without_rendering()
    function, network = figure.axes[0].lines
    x = torch.tensor(np.array(network.get_xdata()).ravel())[:, None]
    np.testing.assert_allclose(np.ravel(network.get_ydata()), model(x).detach().numpy().ravel())
    np.testing.assert_allclose(np.ravel(function.get_ydata()), x.cos().numpy().ravel())
    assert not figure.axes[3].axison


def test_ridges_on_a_line_add_up_to_the_network():
    model = MLP((1, 5, 1), activation="tanh").double()
    left, right = ridge_functions(model, torch.sin, [(-2.0, 2.0)]).axes
    parts = sum(np.ravel(line.get_ydata()) for line in left.lines)
    total = np.ravel(right.lines[1].get_ydata())
    assert len(left.lines) == 5
    np.testing.assert_allclose(parts + model[2].bias.item(), total, atol=1e-12)


def test_ridges_on_the_plane_show_the_strongest_units():
    model = MLP((2, 6, 1), activation="tanh").double()
    figure = ridge_functions(model, lambda x: x.prod(dim=1), [(-1.0, 1.0)] * 2, num_units=2)
    titles = [axis.get_title() for axis in figure.axes if axis.axison]
    assert titles[2:] == ["sum of all", "function"]
    images = [np.asarray(axis.images[0].get_array()) for axis in figure.axes if axis.axison]
    assert images[0].std() >= images[1].std()
    side = np.linspace(-1, 1, 121)
    np.testing.assert_allclose(images[3], np.outer(side, side), atol=1e-12)


@pytest.mark.parametrize(("sizes", "pairs"), [((1, 3, 3, 1), 1), ((2, 3, 1), 1), ((3, 3, 1), 3)])
def test_ridges_refuse_other_shapes(sizes, pairs):
    with pytest.raises(ValueError, match="ridge_functions: model must have one hidden layer and"):
        ridge_functions(MLP(sizes), torch.sin, [(-1.0, 1.0)] * pairs)
