import numpy as np
import pandas as pd
import pytest

from gradatim import fit
from gradatim.fitting.tables import networks


def make_frame(rows=120, seed=0):
    """Numbers, categories, truth values, dates and missing cells, with a target of each kind."""
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=rows), rng.normal(size=rows)
    town = rng.choice(["Basel", "Zürich", "Genève"], rows)
    frame = pd.DataFrame(
        {
            "x": x,
            "z": z,
            "town": town,
            "flag": np.where(rng.random(rows) < 0.5, "yes", "no"),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, rows), "D"),
        }
    )
    frame["day"] = frame["day"].dt.strftime("%Y-%m-%d")
    frame["price"] = 3.0 * x + (town == "Basel") + 0.1 * rng.normal(size=rows)
    frame["kind"] = np.where(frame["price"] + 0.5 * rng.normal(size=rows) > 0, "high", "low")
    frame.loc[::11, "x"] = np.nan
    frame.loc[::13, "town"] = None
    return frame


@pytest.fixture
def frame():
    return make_frame()


@pytest.fixture(scope="session")
def fitted(tmp_path_factory):
    """Two model folders from one file: a classification and a regression."""
    place = tmp_path_factory.mktemp("fitted")
    path = place / "table.csv"
    make_frame().to_csv(path, index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            networks.NetworkSettings, "__init__", _short(networks.NetworkSettings.__init__)
        )
        results = {
            target: fit(
                path, target, output=place / target, trials=2, drop=[other], keep_test_out=True
            )
            for target, other in (("kind", "price"), ("price", "kind"))
        }
    return path, results


def _short(build):
    """Settings that train for a few steps only."""

    def init(self, **arguments):
        build(self, **{**arguments, "steps": 60})

    return init
