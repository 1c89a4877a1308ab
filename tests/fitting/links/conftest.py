"""A graph of two blocks, whose nodes know their own kind and have a column that says which it is."""

import numpy as np
import pandas as pd
import pytest

import gradatim
from gradatim.fitting.links import player as players


def write(folder, count=60, *, nodes=True, columns=True, near=0.3, far=0.02, directed=False):
    """A folder: edges mostly within the blocks, with days in the order of the file, and columns that say a little."""
    rng = np.random.default_rng(1)
    block = np.arange(count) % 2
    chance = np.where(block[:, None] == block[None], near, far)
    is_joined = rng.random((count, count)) < chance
    is_pair = ~np.eye(count, dtype=bool) if directed else np.triu(np.ones((count, count), dtype=bool), 1)  # fmt: skip
    source, target = rng.permutation(np.argwhere(is_joined & is_pair)).T
    ids = np.array([f"n{k}" for k in range(count)])
    frame = pd.DataFrame({"id": ids})
    if columns:
        frame["p"], frame["q"] = 2 * block + rng.normal(size=count), rng.normal(size=count)
    folder.mkdir()
    if nodes:
        frame.to_csv(folder / "nodes.csv", index=False)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(len(source)) // 3, "D")
    pairs = pd.DataFrame({"source": ids[source], "target": ids[target], "day": days.strftime("%Y-%m-%d")})  # fmt: skip
    pairs.to_csv(folder / "edges.csv", index=False)
    return folder


@pytest.fixture
def write_graph(tmp_path):
    """Writes a folder below the place of a test."""
    return lambda name="g", **how: write(tmp_path / name, **how)


def fit(folder, output, epochs=4, **options):
    """Fit links with few epochs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(players, "UNTIMED_EPOCHS", epochs)
        return gradatim.fit(folder, links=True, trials=1, output=output, **options)


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """A fit that keeps the test out, and the folder of its graph."""
    place = tmp_path_factory.mktemp("fitted")
    folder = write(place / "g")
    return fit(folder, place / "m", epochs=40, keep_test_out=True), folder


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """A fit of edges alone, and the folder of its graph."""
    place = tmp_path_factory.mktemp("bare")
    folder = write(place / "g", nodes=False)
    return fit(folder, place / "m"), folder
