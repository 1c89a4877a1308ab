"""Distillation by step: the loss it takes, the teacher it leaves alone."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from gradatim.errors import GradatimError
from gradatim.losses import distillation_loss
from gradatim.models import MLP
from gradatim.training import Distillation, Trainer

X = torch.randn(60, 4, generator=torch.Generator().manual_seed(0))
Y = torch.arange(60) % 3


def test_trains_on_the_mix_and_validates_on_labels():
    teacher, student = nn.Linear(4, 3), nn.Linear(4, 3)
    step = Distillation(teacher, temperature=3.0, mix=0.7)
    expected = distillation_loss(student(X), teacher(X), Y, temperature=3.0, mix=0.7)
    torch.testing.assert_close(step(student, (X, Y)), expected)
    student.eval()
    torch.testing.assert_close(step(student, (X, Y)), F.cross_entropy(student(X), Y))


def test_a_student_of_the_same_kind_copies_its_teacher_without_labels():
    teacher, student = MLP((4, 3), init="xavier"), MLP((4, 3), init="xavier")
    before = {name: value.clone() for name, value in teacher.state_dict().items()}
    wrong = (Y + 1) % 3
    step = Distillation(teacher.train(), temperature=2.0, mix=1.0)
    Trainer(student, "cross_entropy", lr=0.05, epochs=150, batch_size=60, objective=step).fit(
        (X, wrong)
    )
    torch.testing.assert_close(student(X).softmax(1), teacher(X).softmax(1), atol=5e-3, rtol=0)
    assert not teacher.training
    assert all(torch.equal(value, before[name]) for name, value in teacher.state_dict().items())


def test_errors():
    with pytest.raises(GradatimError, match="temperature must be more than 0, got -1"):
        Distillation(nn.Linear(1, 1), temperature=-1)


def test_teacher_and_student_see_the_same_distorted_inputs():
    seen = {"teacher": [], "student": []}

    class Watched(nn.Linear):
        def __init__(self, name):
            super().__init__(2, 2)
            self.name = name

        def forward(self, x):
            seen[self.name].append(x.clone())
            return super().forward(x)

    student = Watched("student")
    step = Distillation(Watched("teacher"), augment=[lambda x: x + 1, lambda x: 2 * x])
    X, y = torch.zeros(3, 2), torch.tensor([0, 1, 0])
    step(student.train(), (X, y))
    step(student.eval(), (X, y))  # validation is clean, and asks no teacher
    assert [x.unique().tolist() for x in seen["student"]] == [[2.0], [0.0]]
    assert [x.unique().tolist() for x in seen["teacher"]] == [[2.0]]


def test_mixing_reaches_inputs_and_target_of_both():
    teacher, student = nn.Linear(4, 3), nn.Linear(4, 3)

    def swap(x, y):
        return x.flip(0), y.flip(0)

    step = Distillation(teacher, temperature=3.0, mix=0.7, mixing=swap)
    x, y = X.flip(0), Y.flip(0)
    expected = distillation_loss(student(x), teacher(x), y, temperature=3.0, mix=0.7)
    torch.testing.assert_close(step(student, (X, Y)), expected)
