"""Models that return (output, state) train, validate and predict like any others."""

from functools import partial

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from gradatim.losses import token_cross_entropy
from gradatim.nn import Recurrent
from gradatim.training import (
    Augmented,
    Distillation,
    GradientVariancePenalty,
    Supervised,
    Trainer,
)
from gradatim.training.model_outputs import judge

X = torch.randn(12, 6, 2, generator=torch.Generator().manual_seed(0))
SUMS = X.cumsum(1)[..., :1].tanh()
LABELS = (SUMS[..., 0] > 0).long()


class Plain(nn.Module):
    """The same model without its state."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)[0]


def squares(output, target):
    return (output - target).square().mean()


@pytest.mark.parametrize(
    "build", [lambda k: Recurrent("gru", 2, k), lambda k: nn.LSTM(2, k, batch_first=True)]
)
@pytest.mark.parametrize(
    ("width", "loss", "target", "metrics"),
    [
        (1, "mse", SUMS, ["r2", "mae", "rmse"]),
        (1, nn.MSELoss(), SUMS, ["mse", squares]),
        (1, squares, SUMS, [squares]),
        (1, lambda output, target: F.l1_loss(output, target), SUMS, []),
        (2, "cross_entropy", LABELS, ["accuracy", "f1", "auc", "log_loss"]),
        (2, token_cross_entropy, LABELS, ["accuracy"]),
        (2, partial(token_cross_entropy, padding=0), LABELS, ["error"]),
    ],
)  # fmt: skip
def test_the_numbers_are_those_of_the_output_alone(build, width, loss, target, metrics):
    results = []
    for wrap in (lambda model: model, Plain):
        torch.manual_seed(0)
        options = {"epochs": 2, "batch_size": 4, "metrics": metrics, "progress": False}
        trainer = Trainer(wrap(build(width)), loss, **options)
        history = trainer.fit((X, target), (X, target))
        results.append([[v for k, v in r.items() if k != "seconds"] for r in history])
        assert trainer.predict(X).shape == (12, 6, width)
    assert results[0] == results[1]


@pytest.mark.parametrize(
    "objective",
    [
        lambda: Supervised("cross_entropy"),
        lambda: Augmented(lambda x: x, "cross_entropy"),
        lambda: GradientVariancePenalty(0.1, loss="cross_entropy"),
    ],
)
def test_other_objectives_too(objective):
    model = nn.RNN(2, 2, batch_first=True)
    trainer = Trainer(model, objective=objective(), epochs=1, progress=False)
    assert trainer.fit((X, LABELS), (X, LABELS))["validation_loss"][0] > 0


def test_a_teacher_with_a_state():
    class Last(nn.RNN):
        def forward(self, x):
            output, state = super().forward(x)
            return output[:, -1], state

    student, teacher = (Last(2, 2, batch_first=True) for _ in range(2))
    trainer = Trainer(student, objective=Distillation(teacher), epochs=1, progress=False)
    data = (X, LABELS[:, -1])
    assert trainer.fit(data, data)["validation_loss"][0] > 0


def test_a_loss_of_ones_own_may_see_the_whole_pair():
    class Gaussian(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(2, 2)

        def forward(self, x):
            mean, scale = self.linear(x).unbind(-1)
            return mean, scale.exp()

    def likelihood(output, target):
        mean, scale = output
        return F.gaussian_nll_loss(mean, target, scale)

    trainer = Trainer(Gaussian(), likelihood, epochs=1, progress=False)
    trainer.fit((X, SUMS[..., 0]), (X, SUMS[..., 0]))
    assert judge(lambda output, target: len(output), (SUMS, None), SUMS) == 2
    assert judge(lambda output, target: len(output), (SUMS, None, None), SUMS) == 3
