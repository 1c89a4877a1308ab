"""The perceptron loss: its formula, its link to Rosenblatt's rule, its zero."""

import pytest
import torch

from gradatim.errors import GradatimError
from gradatim.losses import perceptron
from gradatim.training import Trainer


def test_formulas_in_a_slow_loop():
    generator = torch.Generator().manual_seed(0)
    z = torch.randn(7, 3, generator=generator, dtype=torch.float64)
    y = torch.randint(3, (7,), generator=generator)
    slow = sum(max(row) - row[k] for row, k in zip(z.tolist(), y.tolist(), strict=True)) / 7
    assert perceptron(z, y).item() == pytest.approx(slow)
    for signs in (torch.tensor([1, -1, -1]), torch.tensor([1, 0, 0])):
        loss = perceptron(torch.tensor([[-2.0], [-3.0], [1.0]]), signs)
        assert loss.item() == pytest.approx((2 + 0 + 1) / 3)


def test_its_gradient_step_is_the_rule_of_rosenblatt():
    w = torch.tensor([0.5, -1.0], requires_grad=True)
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([1.0])
    perceptron((w @ x).reshape(1), y).backward()
    torch.testing.assert_close(w - w.grad, w + y * x)


def test_training_on_separable_data_ends_at_zero():
    X = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = torch.tensor([0, 0, 0, 1])
    model = torch.nn.Linear(2, 1)
    trainer = Trainer(model, "perceptron", "sgd", lr=0.1, epochs=200, batch_size=1, progress=False)
    trainer.fit((X, y))
    assert trainer.evaluate((X, y))["loss"] == 0.0
    assert torch.equal(trainer.predict(X).squeeze(1) > 0, y == 1)


def test_gradcheck():
    z = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    y = torch.tensor([0, 1, 2, 2])
    assert torch.autograd.gradcheck(lambda z: perceptron(z, y), z)


def test_shapes_are_checked():
    with pytest.raises(GradatimError, match=r"one label per row of output, 3, got shape \(2,\)"):
        perceptron(torch.zeros(3, 2), torch.zeros(2))
