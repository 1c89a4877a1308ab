"""A graph of three classes whose nodes know their own kind."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def write_graph(tmp_path):
    """Writes a folder: classes 0, 1, 2 in turn, edges mostly within them, columns that say a little."""

    def write(name="g", count=90, *, columns=True, blank=0, edges=True, **more):
        rng = np.random.default_rng(1)
        y = np.arange(count) % 3
        frame = pd.DataFrame({"id": [f"n{k}" for k in range(count)]})
        if columns:
            frame["p"], frame["q"] = y + rng.normal(size=count), rng.normal(size=count)
        frame = frame.assign(**{n: v(count, rng) if callable(v) else v for n, v in more.items()})
        frame["label"] = np.array(["red", "green", "blue"])[y]
        frame.loc[frame.index[count - blank :], "label"] = None
        near = np.where(y[:, None] == y[None], 8.0 / count, 1.0 / count)
        source, target = np.nonzero(np.triu(rng.random((count, count)) < near, 1))
        if not edges:
            source, target = source[:0], target[:0]
        folder = tmp_path / name
        folder.mkdir()
        frame.to_csv(folder / "nodes.csv", index=False)
        pairs = pd.DataFrame({"source": frame["id"].to_numpy()[source], "target": frame["id"].to_numpy()[target]})  # fmt: skip
        pairs.to_csv(folder / "edges.csv", index=False)
        return folder

    return write
