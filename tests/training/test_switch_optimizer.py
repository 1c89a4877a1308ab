"""When the switch happens."""

import pytest
import torch
from torch import nn

from gradatim.errors import InvalidType, InvalidValue
from gradatim.randomness import seeded
from gradatim.training import Checkpoint, SwitchOptimizer, Trainer

X = torch.linspace(-1, 1, 32).unsqueeze(1)


def trainer(switch, *, epochs=8, lr=1e-2, more=()):
    with seeded(0):
        model = nn.Linear(1, 1)
    return Trainer(model, "mse", "adam_then_sgd", lr=lr, epochs=epochs, batch_size=8,
                   callbacks=[switch, *more])  # fmt: skip


def test_at_an_epoch():
    switch = SwitchOptimizer(after_epoch=3)
    run = trainer(switch)
    run.fit((X, 2 * X))
    assert switch.switched_at == 3
    assert run.optimizer.phase == "sgd"


def test_never_within_the_run():
    switch = SwitchOptimizer(after_epoch=99)
    run = trainer(switch)
    run.fit((X, 2 * X))
    assert switch.switched_at is None
    assert run.optimizer.phase == "adam"


def test_on_a_plateau():
    """With rate 0 nothing improves after the first epoch."""
    switch = SwitchOptimizer(patience=2)
    trainer(switch, lr=0.0).fit((X, 2 * X), validation=(X, 2 * X))
    assert switch.switched_at == 3


def test_min_delta_makes_slow_progress_a_plateau():
    patient, strict = SwitchOptimizer(patience=2), SwitchOptimizer(patience=2, min_delta=100.0)
    for switch in (patient, strict):
        trainer(switch, lr=1e-3).fit((X, 2 * X), validation=(X, 2 * X))
    assert patient.switched_at is None
    assert strict.switched_at == 3


@pytest.mark.parametrize("killed_after", [2, 5])
def test_a_killed_run_resumes_to_the_same_weights(tmp_path, killed_after):
    whole = trainer(SwitchOptimizer(after_epoch=3), more=[Checkpoint(tmp_path / "other")])
    whole.fit((X, 2 * X))
    path = tmp_path / "run"
    trainer(SwitchOptimizer(after_epoch=3), epochs=killed_after, more=[Checkpoint(path)]).fit(
        (X, 2 * X)
    )
    switch = SwitchOptimizer(after_epoch=3)
    rest = trainer(switch, more=[Checkpoint(path)])
    rest.resume(path)
    rest.fit((X, 2 * X))
    assert switch.switched_at == 3
    assert torch.equal(whole.model.weight, rest.model.weight)


def test_refuses():
    with pytest.raises(
        InvalidValue, match="SwitchOptimizer: after_epoch must be at least 1, got 0"
    ):
        SwitchOptimizer(after_epoch=0)
    with pytest.raises(InvalidValue, match="SwitchOptimizer: patience must be at least 1, got 0"):
        SwitchOptimizer(patience=0)
    with pytest.raises(InvalidValue, match="SwitchOptimizer: monitor must be one of"):
        trainer(SwitchOptimizer(monitor="validation_los")).fit((X, X), validation=(X, X))
    with pytest.raises(InvalidType, match=r"got Adam\. Try optimizer='adam_then_sgd'"):
        Trainer(nn.Linear(1, 1), "mse", callbacks=[SwitchOptimizer()]).fit((X, X))
