"""Half precision: rounding apart the same training; small gradients survive and large ones cost a step."""

import pytest
import torch
from torch import nn

from gradatim.models import MLP
from gradatim.training import Callback, Checkpoint, Trainer
from gradatim.training.precision import FIRST, PATIENCE, Precision

CPU = torch.device("cpu")
X = torch.randn(64, 5, generator=torch.Generator().manual_seed(0))
Y = X[:, :3].argmax(1)


def run(precision, **options):
    torch.manual_seed(0)
    model = MLP((5, 16, 3))
    options = {"lr": 0.02, "epochs": 15, "batch_size": 16} | options
    trainer = Trainer(model, precision=precision, metrics=["accuracy"], progress=False, **options)
    return trainer, trainer.fit((X, Y), validation=(X, Y))


class Types(Callback):
    needs_autograd = True

    def on_fit_start(self, trainer):
        trainer.model[0].register_forward_hook(lambda m, i, output: setattr(self, "seen", output.dtype))  # fmt: skip


@pytest.mark.parametrize(
    ("precision", "dtype"), [("bf16", torch.bfloat16), ("fp16", torch.float16)]
)
def test_products_are_in_half_precision_and_weights_are_not(precision, dtype):
    types = Types()
    _, plain = run("float32")
    trainer, history = run(precision, callbacks=[types])
    assert types.seen == dtype
    assert {p.dtype for p in trainer.model.parameters()} == {torch.float32}
    assert history.engine == ("general", "no chain: a callback asks for autograd")
    assert history["validation_loss"][-1] == pytest.approx(plain["validation_loss"][-1], rel=0.05)
    assert history["validation_accuracy"][-1] > 0.9


def test_half_precision_asks_for_autograd():
    _, history = run("bf16", epochs=1)
    assert history.engine.reason == "no chain: half precision needs autograd"


def test_small_gradients_survive_by_scaling():
    """2^-26 vanishes in fp16, whose smallest number is 2^-24; times 2^16 it does not."""
    weight = nn.Parameter(torch.ones(1, dtype=torch.float16))
    x = torch.tensor([2.0**-13], dtype=torch.float16)
    (weight * x * x).backward()
    assert weight.grad.item() == 0.0
    precision, master = Precision("fp16", CPU, torch.float32), nn.Parameter(torch.ones(1))
    half = master.half()
    half.retain_grad()
    precision.backward((half * (2.0**-13)).float() * 2.0**-13)
    assert precision.unscale([master])
    assert master.grad.item() == 2.0**-26


def test_a_gradient_that_overflows_costs_a_step_and_half_the_scale():
    precision, weight = Precision("fp16", CPU, torch.float32), nn.Parameter(torch.zeros(2))
    weight.grad = torch.tensor([1.0, float("inf")])
    assert not precision.unscale([weight])
    assert precision.state_dict() == {"scale": FIRST / 2, "good": 0}
    for _ in range(PATIENCE):
        weight.grad = torch.ones(2)
        assert precision.unscale([weight])
    assert precision.state_dict() == {"scale": FIRST, "good": 0}

    class Overflow(Callback):
        needs_autograd = True

        def on_fit_start(self, trainer):
            self.weights = [p.detach().clone() for p in trainer.model.parameters()]
            bad = iter([float("inf")])
            next(trainer.model.parameters()).register_hook(lambda g: g * next(bad, 1.0))

        def on_batch_end(self, trainer, loss):
            if trainer.steps == 1:
                now = trainer.model.parameters()
                self.stood = all(torch.equal(a, b) for a, b in zip(self.weights, now, strict=True))

    overflow = Overflow()
    trainer, _ = run("fp16", callbacks=[overflow], epochs=1)
    assert overflow.stood
    assert trainer.precision.scale == FIRST / 2


def test_the_scale_is_kept_in_checkpoints(tmp_path):
    path = tmp_path / "run.safetensors"
    trainer, _ = run("fp16", epochs=1, callbacks=[Checkpoint(path)])
    again = Trainer(MLP((5, 16, 3)), precision="fp16", lr=0.02, callbacks=[Checkpoint(path)])
    again.precision.scale = 1.0
    again.resume(path)
    assert again.precision.state_dict() == trainer.precision.state_dict()
    assert again.precision.good == 4


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"precision": "half"}, "precision must be one of"),
        ({"precision": "bf16", "model": MLP((5, 3)).double()}, "precision='bf16' must come with weights in float32, got float64"),
        ({"precision": "fp16", "optimizer": torch.optim.LBFGS}, "precision='fp16' must go with an optimizer that the trainer steps by one gradient, got LBFGS"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        Trainer(options.pop("model", None) or MLP((5, 3)), **options).fit((X, Y))
