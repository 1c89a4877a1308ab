"""Several processes on one search: grid and draws as by one, every choice by one process."""

import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier

from gradatim.errors import GradatimError, InvalidValue, Unavailable
from gradatim.evaluation import tune

ROWS = load_iris(return_X_y=True)
SPACE = {"n_neighbors": list(range(1, 13))}


def search(method="grid", trials=12, **options):
    return tune(KNeighborsClassifier(), *ROWS, SPACE, method=method, trials=trials, folds=3, **options)  # fmt: skip


def test_a_grid_by_two_processes_is_a_grid_by_one(tmp_path):
    """The model's class lives in this process alone, as in a script or a notebook."""
    folder = tmp_path / "tried"
    folder.mkdir()

    class Noting(KNeighborsClassifier):
        def fit(self, X, y):
            import time

            (folder / f"{self.n_neighbors}-{os.getpid()}").touch()
            while len({path.name.split("-")[1] for path in folder.iterdir()}) < 2:
                time.sleep(0.05)  # until the other process begins
            return super().fit(X, y)

    Noting.__module__ = "__main__"
    found = tune(Noting(), *ROWS, SPACE, method="grid", folds=3, processes=2)
    assert found == tune(KNeighborsClassifier(), *ROWS, SPACE, method="grid", folds=3)
    tried = [path.name.split("-") for path in folder.iterdir()]
    assert sorted(int(choice) for choice, _ in tried) == list(range(1, 13)), "each by one process"
    assert len({process for _, process in tried}) == 2


@pytest.mark.parametrize("method", ["grid", "random", "bayesian"])
def test_a_database_keeps_what_a_journal_keeps(method, tmp_path):
    url = f"sqlite:///{tmp_path / 'study.db'}"
    whole = search(method, study=tmp_path / "study.log")
    assert search(method, trials=5, study=url).trials == whole.trials[:5] or method == "grid"
    assert search(method, study=url) == whole == search(method)
    with pytest.raises(InvalidValue, match="of one with other seed"):
        search(method, study=url, seed=1)


SHELL = """
import sys
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier
from gradatim.evaluation import tune
found = tune(KNeighborsClassifier(), *load_iris(return_X_y=True), {"n_neighbors": list(range(1, 13))},
             method="bayesian", trials=12, folds=3, study=sys.argv[1])
print(found.trials)
"""


def test_two_shells_with_the_same_call_work_on_one_study(tmp_path):
    command = [sys.executable, "-c", SHELL, str(tmp_path / "study.log")]
    shells = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [shell.communicate()[0] for shell in shells]
    assert [shell.returncode for shell in shells] == [0, 0]
    assert said[0] == said[1] == f"{search('bayesian', study=tmp_path / 'study.log').trials}\n"
    assert said[0].count("Trial(") == 12


def broken(model, X, y):
    raise RuntimeError("no score today")


def test_an_error_ends_the_search_and_gives_its_choices_back(tmp_path):
    study = tmp_path / "study.log"
    with pytest.raises(RuntimeError, match="no score today"):
        search(score=broken, study=study)
    with pytest.raises(RuntimeError, match="no score today"):
        search(score=broken, study=study, processes=2)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"processes": 0}, InvalidValue, "processes must be a whole number from 1, got 0"),
        ({"processes": 1.5}, InvalidValue, "processes must be a whole number from 1, got 1.5"),
        ({"study": "nosuch://x/y"}, InvalidValue, r"study must be a file or the URL of a database, got 'nosuch://x/y' .* Try sqlite"),
        ({"study": "sqlite:////no/such/folder/x.db"}, Unavailable, "x.db cannot be used .unable to open database file"),
        ({"study": "sqlite:///text.db"}, Unavailable, "text.db cannot be used .file is not a database"),
    ],
)  # fmt: skip
def test_messages(options, error, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.db").write_text("my own notes, many of them" * 50)
    with pytest.raises(error, match=message) as raised:
        search(**options)
    assert isinstance(raised.value, GradatimError)
    assert [path.name for path in tmp_path.iterdir()] == ["text.db"]
    assert (tmp_path / "text.db").read_text().startswith("my own notes")


def test_what_cannot_be_sent_is_said():
    lock = __import__("threading").Lock()
    with pytest.raises(
        InvalidValue,
        match=r"other processes can have them, got TypeError: .*lock.* Leave processes out",
    ):
        search(score=lambda model, X, y: 0 if lock else 1, processes=2)  # fmt: skip
    assert np.isfinite(search(score=lambda model, X, y: 0.0).best_score)
