"""A process that works on a search is killed: its choice is tried by another, and the result is that of one process."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier

from gradatim.evaluation import tune

SPACE = {"n_neighbors": list(range(1, 9))}


@pytest.mark.parametrize("kept", ["journal", "database"])
@pytest.mark.parametrize("method", ["grid", "random"])
def test_a_killed_helper_costs_nothing_but_time(method, kept, tmp_path):
    rows, mark, asked = load_iris(return_X_y=True), str(tmp_path / "helper"), os.getpid()
    study = tmp_path / "study.log" if kept == "journal" else f"sqlite:///{tmp_path / 'study.db'}"

    def score(model, X, y):
        if os.getpid() != asked and not os.path.exists(f"{mark}.dead"):
            with open(mark, "w") as file:
                file.write(str(os.getpid()))
            time.sleep(60)  # until it is killed, in the middle of a choice
        while not os.path.exists(mark):  # the other process begins
            time.sleep(0.05)
        return float(model.score(X, y))

    killed = []

    def kill():
        while not (os.path.exists(mark) and os.path.getsize(mark)):
            time.sleep(0.05)
        Path(f"{mark}.dead").touch()
        killed.append(int(Path(mark).read_text()))
        os.kill(killed[0], signal.SIGKILL)

    threading.Thread(target=kill, daemon=True).start()
    job = {"method": method, "trials": 40, "folds": 4}
    job["score"] = score
    with pytest.warns(UserWarning, match=r"1 of 2 processes ended early \(exit code -9\)"):
        found = tune(KNeighborsClassifier(), *rows, SPACE, study=study, processes=2, **job)
    assert killed
    Path(mark).touch()
    plain = tune(KNeighborsClassifier(), *rows, SPACE, **(job | {"score": "accuracy"}))
    assert [(t.parameters, t.score) for t in found.trials] == [(t.parameters, t.score) for t in plain.trials]  # fmt: skip
    assert found.best == plain.best
