import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from gradatim.errors import InvalidValue
from gradatim.plots.style import PALETTE, new_figure


@pytest.mark.parametrize(("rows", "columns", "shape"), [(1, 3, (3,)), (2, 1, (2,)), (2, 3, (2, 3))])
def test_axes_come_as_figure_subplots_gives_them(rows, columns, shape):
    _, axes = new_figure(rows, columns)
    assert axes.shape == shape


def test_one_panel_is_one_axes_of_the_size_asked_for():
    figure, axes = new_figure(width=5.0, height=2.5)
    assert isinstance(axes, Axes)
    assert tuple(figure.get_size_inches()) == (5.0, 2.5)


def test_global_settings_and_pyplot_stay_untouched():
    import matplotlib.pyplot as plt

    before = dict(mpl.rcParams)
    figure, axes = new_figure()
    axes.plot([0, 1])
    axes.set_title("t")
    figure.draw_without_rendering()
    assert dict(mpl.rcParams) == before
    assert plt.get_fignums() == []


def test_titles_and_legends_can_leave_the_house_style():
    _, axes = new_figure()
    axes.plot([0, 1], label="a")
    axes.set_title("house")
    assert axes.get_title() == "house"
    assert axes.title.get_position()[0] == 0.0
    axes.set_title("right", loc="right", fontsize=7)
    assert axes.get_title(loc="right") == "right"
    assert axes._right_title.get_fontsize() == 7
    axes.set_title("smaller", size=8, ha="right")
    assert axes.title.get_fontsize() == 8
    axes.set_title("as ever", {"fontsize": 6})
    assert axes.title.get_fontsize() == 6
    assert axes.legend(frameon=False).get_frame_on() is False


def luminance(color):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def test_lines_stand_out_from_white():
    # WCAG asks 3:1 of graphics; the two light colours of Okabe and Ito come last and reach 2:1
    ratios = [1.05 / (luminance(color) + 0.05) for color in PALETTE]
    assert min(ratios) > 2.0
    assert min(ratios[:3]) > 3.0


def test_colours_differ_for_readers_without_red_cones():
    # protanopia after Viénot, Brettel and Mollon 1999, in linear RGB; compared in encoded RGB
    blind = np.array([[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]])
    seen = [(blind @ np.array(to_rgb(color)) ** 2.2) ** (1 / 2.2) for color in PALETTE[:4]]
    distances = [np.abs(a - b).max() for i, a in enumerate(seen) for b in seen[:i]]
    assert min(distances) > 0.1


@pytest.mark.parametrize("size", [{"rows": 0}, {"columns": 0}, {"width": 0.0}, {"height": -1.0}])
def test_sizes_must_be_positive(size):
    with pytest.raises(
        InvalidValue, match=r"new_figure: rows, columns, width and height must be positive, got"
    ):
        new_figure(**size)
