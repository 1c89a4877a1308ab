"""Opening by name."""

import numpy as np
import pytest

from gradatim.data import catalogue, load
from gradatim.data.entry import Source
from gradatim.errors import InvalidValue, Unavailable

OFFLINE = [e for e in catalogue() if e.archive is None and e.task != "tagging"]


@pytest.mark.parametrize("entry", OFFLINE, ids=lambda entry: entry.name)
def test_offline_sets_load_without_a_cache_and_keep_their_promises(entry, home):
    data = load(entry.name)
    assert data.name == entry.name
    assert len(data.X) == len(data.y) == entry.samples
    if data.X.ndim == 2:
        assert data.X.shape[1] == len(data.feature_names)
    rows = data.X if data.X.dtype == object else [data.X]  # series of unequal length
    assert all(
        np.isfinite(np.asarray(getattr(row, "x", row))).all() for row in rows
    )  # a graph by its features
    if entry.task in ("classification", "segmentation"):
        assert np.unique(data.y).tolist() == list(range(len(data.target_names)))
    assert (data.task, data.origin, data.licence) == (entry.task, entry.origin, entry.licence)
    assert data.description.startswith(entry.summary)
    assert not home.exists()


def test_a_set_that_was_not_fetched_names_the_command(home):
    with pytest.raises(Unavailable) as raised:
        load("mnist")
    assert str(raised.value) == (
        "load: mnist is not in the cache yet. Run 'gradatim data get mnist' once."
    )
    assert raised.value.exit_code == 1


def test_an_unknown_set_gets_a_suggestion():
    with pytest.raises(InvalidValue, match=r"^load: name must be one of .*Try 'fashion-mnist'\.$"):
        load("fashion_mnist")


def test_damage_in_the_cache_names_the_repair(home, register):
    entry = register({"r.json": b"[]"}, (Source("npm", "p@1", "{}", 1),), like="imdb")
    (home / "toy").mkdir(parents=True)
    entry.path("r.json").write_bytes(b"[}")
    with pytest.raises(Unavailable) as raised:
        load("toy")
    assert str(raised.value).startswith("load: the files of toy in the cache cannot be read (")
    assert str(raised.value).endswith("Run 'gradatim data get toy' to repair them.")


def test_two_loads_share_nothing():
    first = load("iris")
    first.X[:] = 0
    assert load("iris").X.max() > 7
