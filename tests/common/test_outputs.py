"""The law of outputs, over everything public that writes: no file of the user's is lost, a bad place gets one sentence."""

import os

import pytest
import torch
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier
from torch import nn

from gradatim import experiments
from gradatim.backprop import computation_graph
from gradatim.errors import GradatimError
from gradatim.estimators import NeuralRegressor
from gradatim.evaluation import tune
from gradatim.reports import Report
from gradatim.training import Checkpoint, TensorBoard, Trainer

X, Y = load_iris(return_X_y=True)


def draw(ending):
    def write(place):
        w = torch.tensor(2.0, requires_grad=True)
        computation_graph(w * w).save(place)

    write.ending = ending
    return write


def train(callback):
    def write(place):
        trainer = Trainer(nn.Linear(2, 1), "mse", epochs=1, callbacks=[callback(place)], progress=False)  # fmt: skip
        trainer.fit((torch.zeros(4, 2), torch.zeros(4, 1)))

    return write


def search(place):
    tune(KNeighborsClassifier(), X, Y, {"n_neighbors": [5, 9]}, method="grid", folds=2, study=place)


def estimate(place):
    NeuralRegressor(epochs=1, hidden=(2,)).fit([[0.0], [1.0]] * 10, [0.0, 1.0] * 10).save(place)


FILES = {
    "ComputationGraph.save svg": draw("svg"),
    "ComputationGraph.save png": draw("png"),
    "ComputationGraph.save pdf": draw("pdf"),
    "Checkpoint": train(Checkpoint),
    "tune": search,
}
FOLDERS = {
    "NeuralRegressor.save": estimate,
    "Report.write": lambda place: Report(title="A").write(place),
    "TensorBoard": train(TensorBoard),
}
WRITERS = FILES | FOLDERS
PLANNERS = {"experiments.run": lambda place: experiments.run("xor", output=place)}


def name_of(write):
    return f"place.{getattr(write, 'ending', 'out')}"


def listed(folder):
    return {p.relative_to(folder): p.lstat().st_ino for p in folder.rglob("*")}


def make_pipe(place):
    os.mkfifo(place)


PLACES = {
    "a file of the user": lambda place: place.write_bytes(b"a,b\n1,2\n"),
    "a document of the user": lambda place: place.write_bytes(b'{"format": 1, "study_name": 2}'),
    "a pipe": make_pipe,
    "a device": lambda place: place.symlink_to("/dev/null"),
    "a link to nothing": lambda place: place.symlink_to(place.with_name("gone")),
    "a link to itself": lambda place: place.symlink_to(place),
    "a file in the way": lambda place: place.parent.joinpath("way").write_bytes(b"mine"),
}


@pytest.mark.parametrize("what", PLACES)
@pytest.mark.parametrize("writer", WRITERS | PLANNERS)
def test_a_bad_place_gets_one_sentence_and_stays_as_it_is(writer, what, tmp_path):
    write = (WRITERS | PLANNERS)[writer]
    place = tmp_path / name_of(write)
    PLACES[what](place)
    before = listed(tmp_path)
    content = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    if what == "a file in the way":
        place = tmp_path / "way" / place.name
    with pytest.raises(GradatimError) as caught:
        write(place)
    assert "\n" not in str(caught.value)
    assert listed(tmp_path) == before
    assert all(p.read_bytes() == own for p, own in content.items())


@pytest.mark.parametrize("writer", FILES)
def test_a_folder_in_the_place_of_a_file_gets_one_sentence(writer, tmp_path):
    place = tmp_path / name_of(FILES[writer])
    place.mkdir()
    (place / "mine.txt").write_bytes(b"mine")
    with pytest.raises(GradatimError, match="it is a folder"):
        FILES[writer](place)
    assert (place / "mine.txt").read_bytes() == b"mine"


@pytest.mark.parametrize("writer", FOLDERS)
def test_files_of_the_user_stay_in_a_folder(writer, tmp_path):
    (tmp_path / "place").mkdir()
    (tmp_path / "place" / "mine.txt").write_bytes(b"mine")
    try:
        FOLDERS[writer](tmp_path / "place")
    except GradatimError:
        assert [p.name for p in (tmp_path / "place").iterdir()] == ["mine.txt"]
    assert (tmp_path / "place" / "mine.txt").read_bytes() == b"mine"


@pytest.mark.parametrize("writer", WRITERS)
def test_what_was_written_before_is_written_again_through_a_link(writer, tmp_path):
    write = WRITERS[writer]
    place = tmp_path / "new" / name_of(write)
    write(place)
    link = tmp_path / place.name
    link.symlink_to(place)
    write(link)
    assert link.is_symlink()
    assert place.exists()
