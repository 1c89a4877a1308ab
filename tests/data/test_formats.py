"""From files in the cache to records, on small files made by hand."""

import io
import json
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets

from gradatim.data import entries, load
from gradatim.data.entry import Source
from gradatim.errors import Unavailable

SOURCES = (Source("pip", "p==1", "{}", 1),)
RNG = np.random.default_rng(0)


@pytest.fixture
def shelve(home, register):
    """Put files in the cache under a set that is read like ``like``."""

    def put(like, files):
        entry = register(files, SOURCES, like=like)
        (home / "toy").mkdir(parents=True)
        for name, content in files.items():
            entry.path(name).write_bytes(content)
        return entry

    return put


@pytest.fixture
def shelve_table(home, monkeypatch):
    """Replace the tables of the book by small ones, with the catalogue's own names and targets."""

    def put(name, files):
        entry = entries._entries()[name]
        members = tuple(
            replace(member, size=len(files[member.name]))
            for member in entry.archive.members
            if member.name in files
        )
        small = replace(entry, archive=replace(entry.archive, members=members))
        monkeypatch.setitem(entries._entries(), name, small)
        (home / "islp").mkdir(parents=True, exist_ok=True)
        for file, content in files.items():
            small.path(file).write_bytes(content)

    return put


def _idx(values):
    return (
        struct.pack(f">BBBB{values.ndim}I", 0, 0, 8, values.ndim, *values.shape) + values.tobytes()
    )


def test_idx_images_are_scaled_channels_first_and_split(shelve):
    images = RNG.integers(0, 256, (5, 28, 28), dtype=np.uint8)
    labels = np.array([7, 2, 1, 0, 4], np.uint8)
    files = {
        "train-images": _idx(images[:3]),
        "train-labels": _idx(labels[:3]),
        "test-images": _idx(images[3:]),
        "test-labels": _idx(labels[3:]),
    }
    shelve("mnist", files)
    data = load("toy")
    assert data.X.shape == (5, 1, 28, 28)
    assert np.allclose(data.X[:, 0], images / 255, atol=1e-7)
    assert data.y.tolist() == labels.tolist()
    assert data.y.dtype == np.int64
    assert [len(part) for part in (*data.train, *data.test)] == [3, 3, 2, 2]
    assert data.target_names == tuple("0123456789")
    assert data.licence == "CC BY-SA 3.0"
    assert np.array_equal(load("toy", raw=True).X[:, 0], images)


def test_cifar_joins_six_batches(shelve):
    batches = [RNG.integers(0, 256, (2, 32, 32, 3), dtype=np.uint8) for _ in range(6)]
    files = {f"batch{i}": batch.tobytes() for i, batch in enumerate(batches)}
    files["train"] = json.dumps(list(range(10))).encode()
    files["test"] = b"[4,2]"
    shelve("cifar10", files)
    data = load("toy")
    assert data.X.shape == (12, 3, 32, 32)
    assert np.allclose(data.X[3, :, 5, 7], batches[1][1, 5, 7] / 255, atol=1e-7)
    assert data.y.tolist() == [*range(10), 4, 2]
    assert [len(part) for part in (*data.train, *data.test)] == [10, 10, 2, 2]
    assert data.target_names[6] == "frog"
    assert load("toy", raw=True).X.dtype == np.uint8


def test_weights_are_paths_of_files(shelve):
    shelve("cifar10-resnets", {"resnet20.th": b"1", "resnet32.th": b"2"})
    assert [Path(path).name for path in load("toy").X] == ["resnet20.th", "resnet32.th"]


def test_zip_code_is_split(shelve):
    row = " 0" * 256
    files = {
        "train": f"10 256\n3{row}\n5{row}\n-1\n".encode(),
        "test": f"10 256\n8{row}\n-1\n".encode(),
    }
    shelve("zip-code", files)
    data = load("toy")
    assert data.X.shape == (3, 1, 16, 16)
    assert data.train[1].tolist() == [3, 5]
    assert data.test[1].tolist() == [8]


def test_spam_has_57_named_columns_and_a_label(shelve):
    shelve("spam", {"spam.csv": ",".join(map(str, [*range(57), 1])).encode() + b"\n"})
    data = load("toy")
    assert data.X.tolist() == [list(map(float, range(57)))]
    assert data.y.tolist() == [1]
    assert len(set(data.feature_names)) == 57
    # The numbering of the published documentation.
    assert data.feature_names[0] == "word_freq_make"
    assert data.feature_names[26] == "word_freq_george"
    assert data.feature_names[51] == "char_freq_!"
    assert data.feature_names[56] == "capital_run_length_total"
    assert data.target_names == ("email", "spam")


def test_reviews_are_texts_with_labels(shelve):
    shelve("imdb", {"r.json": b'[{"t": "awful", "s": 0}, {"t": "fine", "s": 1}]'})
    data = load("toy")
    assert data.X.tolist() == ["awful", "fine"]
    assert [data.target_names[label] for label in data.y] == ["negative", "positive"]
    assert data.task == "text"


def test_a_language_set_is_one_text(shelve):
    shelve("tiny-shakespeare", {"t.txt": "To be,\nor not – to be".encode()})
    data = load("toy")
    assert data.text == "To be,\nor not – to be"
    assert data.y is None
    assert data.X.shape == (1,)


def test_utterances_are_arrays_of_different_length(shelve):
    file = io.BytesIO()
    np.savez(file, X=np.arange(6.0).reshape(3, 2), y=[7, 1], lengths=[1, 2])
    shelve("spoken-digits", {"d.npz": file.getvalue()})
    data = load("toy")
    assert [x.tolist() for x in data.X] == [[[0, 1]], [[2, 3], [4, 5]]]
    assert [data.target_names[label] for label in data.y] == ["7", "1"]


def test_series_with_labels_are_split_and_classes_in_order(shelve):
    shelve(
        "basic-motions", {"train": b"@data\n1,2:3,4:run\n", "test": b"@data\n5:6:fly\n7:8:run\n"}
    )
    data = load("toy")
    assert data.train[0][0].tolist() == [[1, 3], [2, 4]]
    assert data.X.shape == (3,)
    assert [data.target_names[label] for label in data.y] == ["run", "fly", "run"]
    assert data.y.tolist() == [1, 0, 1]
    assert len(data.test[0]) == 2


def test_classes_of_series_have_the_names_of_the_catalogue(shelve):
    lines = "".join(f"{n}:{n}\n" for n in range(9, 0, -1))
    shelve("japanese-vowels", {"train": f"@data\n{lines}".encode(), "test": b"@data\n5:3\n"})
    data = load("toy")
    assert data.target_names[data.y[-1]] == "speaker 3"
    assert data.y.tolist() == [8, 7, 6, 5, 4, 3, 2, 1, 0, 2]


def test_series_of_fewer_classes_than_announced_are_refused(shelve):
    shelve("japanese-vowels", {"train": b"@data\n1:1\n", "test": b"@data\n5:2\n"})
    with pytest.raises(Unavailable, match="9 classes are announced, 2 are there"):
        load("toy")


def test_ucr_series_lose_the_filling_at_their_end_and_keep_gaps(shelve):
    shelve("ucr-ECG5000", {"train": b"10\t1\tNaN\t3\n", "test": b"9\t5\tNaN\tNaN\n-1\t6\t7\t8\n"})
    data = load("toy")
    assert [x.shape for x in data.X] == [(3, 1), (1, 1), (3, 1)]
    assert np.isnan(data.X[0][1, 0])
    assert data.target_names == ("-1", "9", "10")
    assert data.y.tolist() == [2, 1, 0]


def test_pairs_of_sentences_are_inputs_and_targets(shelve):
    shelve("tatoeba-spa", {"spa.tsv": b"Go.\tVe.\tCK\nHi.\tHola.\tCK\n"})
    data = load("toy")
    assert data.X.tolist() == ["Go.", "Hi."]
    assert data.y.tolist() == ["Ve.", "Hola."]
    assert data.task == "translation"


def test_a_table_with_words_is_a_frame_and_classes_are_in_order(shelve_table):
    csv = b"default,student,balance,income\nNo,Yes,1.5,2\nYes,No,3,4\nNo,No,5,6\n"
    shelve_table("islp-default", {"Default.csv": csv})
    data = load("islp-default")
    assert isinstance(data.X, pd.DataFrame)
    assert data.feature_names == tuple(data.X) == ("student", "balance", "income")
    assert data.y.tolist() == [0, 1, 0]
    assert data.target_names == ("No", "Yes")


def test_a_table_of_numbers_is_an_array(shelve_table):
    shelve_table("islp-boston", {"Boston.csv": b"crim,chas,medv\n0.5,1,24\n0.25,0,21.6\n"})
    data = load("islp-boston")
    assert data.X.tolist() == [[0.5, 1.0], [0.25, 0.0]]
    assert data.y.tolist() == [24.0, 21.6]
    assert data.target_names is None


def test_missing_targets_stay_as_nan(shelve_table):
    shelve_table("islp-hitters", {"Hitters.csv": b"Hits,League,Salary\n66,A,NA\n81,N,475\n"})
    data = load("islp-hitters")
    assert len(data.X) == 2
    assert np.isnan(data.y).tolist() == [True, False]
    assert "59 players have no salary" in data.description


def test_a_table_without_a_target_is_whole(shelve_table):
    shelve_table("islp-portfolio", {"Portfolio.csv": b"X,Y\n1,2\n3,4\n"})
    data = load("islp-portfolio")
    assert data.X.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert data.y is None


def test_nyse_takes_the_split_from_the_file(shelve_table):
    csv = b"date,log_volume,train\n1962-12-03,0.1,True\n1962-12-04,0.2,True\n1986-01-02,0.3,False\n"
    shelve_table("islp-nyse", {"NYSE.csv": csv})
    data = load("islp-nyse")
    assert data.train[1].tolist() == [0.1, 0.2]
    assert data.test[0]["date"].tolist() == ["1986-01-02"]
    assert "train" not in data.X


def test_khan_joins_its_four_files(shelve_table):
    files = {
        "Khan_xtrain.csv": b"V1,V2\n1,2\n3,4\n",
        "Khan_ytrain.csv": b"x\n2\n4\n",
        "Khan_xtest.csv": b"V1,V2\n5,6\n",
        "Khan_ytest.csv": b"x\n1\n",
    }
    shelve_table("islp-khan", files)
    data = load("islp-khan")
    assert data.X.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert [data.target_names[label] for label in data.y] == ["2", "4", "1"]
    assert data.train[1].tolist() == [1, 2]
    assert data.feature_names == ("V1", "V2")


def test_nci60_reads_numbers_but_no_objects(shelve_table):
    def saved(array):
        file = io.BytesIO()
        np.save(file, array, allow_pickle=True)
        return file.getvalue()

    labels = b'label\n"CNS"\n"BREAST"\n'
    files = {"NCI60data.npy": saved(np.eye(2)), "NCI60labs.csv": labels}
    shelve_table("islp-nci60", files)
    data = load("islp-nci60")
    assert data.X.tolist() == [[1, 0], [0, 1]]
    assert [data.target_names[label] for label in data.y] == ["CNS", "BREAST"]
    evil = {"NCI60data.npy": saved(np.array([{}], dtype=object)), "NCI60labs.csv": labels}
    shelve_table("islp-nci60", evil)
    with pytest.raises(OSError, match="cannot be read"):
        load("islp-nci60")


@pytest.mark.parametrize("name", ["iris", "wine", "breast-cancer", "diabetes"])
def test_offline_tables_are_those_of_scikit_learn(name):
    X, y = getattr(sklearn.datasets, f"load_{name.replace('-', '_')}")(return_X_y=True)
    data = load(name)
    assert np.array_equal(data.X, X)
    assert np.array_equal(data.y, y)
    assert len(data.feature_names) == X.shape[1]
    assert (data.target_names is None) == (name == "diabetes")


def test_digits_are_scaled_by_sixteen():
    X, y = sklearn.datasets.load_digits(return_X_y=True)
    scaled, raw = load("digits"), load("digits", raw=True)
    assert np.array_equal(scaled.X * 16, X)
    assert scaled.X.dtype == np.float32
    assert raw.X.dtype == np.uint8
    assert np.array_equal(raw.X, X)
    assert np.array_equal(raw.y, y)
