"""The multi-task step is the weighted sum of its losses."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from gradatim.errors import GradatimError
from gradatim.nn import MultiTask
from gradatim.training import MultiTaskObjective, Trainer

X = torch.randn(40, 3, generator=torch.Generator().manual_seed(0))
SIZE, KIND = X[:, 0] * 2, (X[:, 1] > 0).long()


def build():
    torch.manual_seed(0)
    return MultiTask(nn.Linear(3, 8), {"size": nn.Linear(8, 1), "kind": nn.Linear(8, 2)})


def test_weighted_sum():
    model = build()
    step = MultiTaskObjective({"size": "mse", "kind": "cross_entropy"}, {"size": 0.25})
    figures = step(model, (X, SIZE, KIND))
    out = model(X)
    size, kind = F.mse_loss(out["size"].squeeze(1), SIZE), F.cross_entropy(out["kind"], KIND)
    torch.testing.assert_close(figures["loss"], 0.25 * size + kind)
    torch.testing.assert_close(figures["size"], size)
    torch.testing.assert_close(figures["kind"], kind)


def test_both_tasks_are_learned():
    step = MultiTaskObjective({"size": "mse", "kind": "cross_entropy"})
    trainer = Trainer(build(), objective=step, lr=0.03, epochs=60, batch_size=10)
    history = trainer.fit((X, SIZE, KIND), (X, SIZE, KIND))
    assert history["validation_size"][-1] < 0.02
    assert history["validation_kind"][-1] < 0.2


def test_errors():
    with pytest.raises(GradatimError, match="weights must be one of size, got 'sise'"):
        MultiTaskObjective({"size": "mse"}, {"sise": 1.0})
    with pytest.raises(
        GradatimError, match=r"one target a task, 2, got 1. Fit on \(X, size, kind\)"
    ):
        MultiTaskObjective({"size": "mse", "kind": "bce"})(build(), (X, SIZE))
