"""The lines that data came through, read from the text of a program."""

import pytest

from gradatim.doctor import origins
from gradatim.doctor.facts import Place
from gradatim.doctor.locating import _mixed

PROGRAM = """\
import numpy as np
table = load()
X = (table.data - 5) / 2
y = table.target
np.random.shuffle(y)
X, y = torch.from_numpy(X), torch.from_numpy(y)
Xt, yt = X[:80], y[:80]
for epoch in range(3):
    for rows in torch.randperm(80).split(10):
        loss = F.mse_loss(net(Xt[rows]), yt[rows])
        loss.backward()
        schedule.step()


def evaluate(model):
    return model(X)


for trial in range(2):
    evaluate(net)
"""


@pytest.fixture
def at(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return lambda line: Place(str(path), line)


def test_inputs_are_followed_back_to_where_they_were_computed(at):
    assert [p.line for p in origins.origins(at(10))] == [7, 6, 3, 2]
    assert origins.scaled(at(10)).line == 3
    assert origins.made_tensor(at(10)).line == 6


def test_targets_are_followed_past_the_rows_that_index_them(at):
    chain = origins.origins(at(10), last=True, indexed=True)
    assert [p.line for p in chain][:4] == [7, 6, 5, 4]
    assert _mixed(chain).line == 5
    assert origins.origins(at(10), last=True)[0].line == 9  # the rows themselves


def test_loops_around_a_line_and_around_its_function_are_counted(at):
    assert origins.loops_around(at(12)) == 2
    assert origins.loops_around(at(16)) == 1
    assert origins.loop_of(at(12)).line == 8
