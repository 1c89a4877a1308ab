import numpy as np
import pandas as pd
import pytest

from gradatim.errors import InvalidValue
from gradatim.plots.tables import marginal_panels, pair_maps


def test_every_column_has_a_panel_on_one_scale():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": np.where(rng.random(90) < 0.8, 0.0, rng.random(90)), "c": rng.choice(["u", "v"], 90)})  # fmt: skip
    figure = marginal_panels({"real": table, "made": table}, ["x", "c"])
    steps, bars = figure.axes
    assert [axis.get_title() for axis in figure.axes] == ["x", "c"]
    assert np.allclose(steps.patches[0].get_data().values, steps.patches[1].get_data().values)
    heights = [patch.get_height() for patch in bars.patches]
    assert heights[:2] == heights[2:]
    assert sum(heights) == pytest.approx(2.0)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["real", "made"]


def test_bins_of_rounded_numbers_hold_equally_many_values():
    """Tenths from 0 to 9.9, each as often: with bins of another width some would hold twice as many as others."""
    table = pd.DataFrame({"x": np.repeat(np.arange(100) / 10, 300), "n": np.arange(30_000) % 7})
    tenths, whole = marginal_panels({"real": table}, ["x", "n"]).axes
    shares, edges, _ = tenths.patches[0].get_data()
    assert len(shares) == 20
    assert shares == pytest.approx(0.05)
    assert edges[:2] == pytest.approx([-0.05, 0.45])
    shares, edges, _ = whole.patches[0].get_data()
    assert shares == pytest.approx(1 / 7, rel=1e-3)
    assert edges == pytest.approx(np.arange(8) - 0.5)


def test_days_since_1970_are_marked_as_dates():
    table = pd.DataFrame({"day": np.linspace(18_262, 19_358, 90)})  # 2020 to 2022
    for dates, marks in ((["day"], {"2020", "2021", "2022"}), ([], {"18500", "19000"})):
        figure = marginal_panels({"real": table}, ["day"], dates=dates)
        figure.canvas.draw()
        assert marks <= {label.get_text() for label in figure.axes[0].get_xticklabels()}


def test_maps_of_pairs():
    table = pd.DataFrame([[np.nan, 0.7], [0.7, np.nan]], index=list("ab"), columns=list("ab"))
    figure = pair_maps({"copula": table, "network": table})
    assert [axis.get_title() for axis in figure.axes[:2]] == ["copula", "network"]
    shown = figure.axes[0].images[0].get_array()
    assert shown[0, 1] == pytest.approx(0.3)


def test_nothing_to_draw():
    with pytest.raises(InvalidValue, match="columns must name at least one, got none"):
        marginal_panels({}, [])
