"""Odd models are attacked and left as they were; impossible ones are refused in a sentence."""

from functools import partial

import pytest
import torch
from torch import nn

from gradatim.errors import InvalidType, InvalidValue
from gradatim.robust import deepfool, fgsm, pgd, robust_accuracy
from gradatim.robust.victim import under_attack

from .conftest import make_network, make_samples

ATTACKS = {
    "fgsm": partial(fgsm, eps=0.1),
    "pgd": partial(pgd, eps=0.1, steps=2),
    "pgd, early exit": partial(pgd, eps=0.1, steps=2, early_exit=True),
    "pgd, round": partial(pgd, eps=0.1, steps=2, norm=2),
    "deepfool": lambda model, x, y: deepfool(model, x, steps=3),
}
every_attack = pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)


@every_attack
@pytest.mark.parametrize("mode", ["train", "eval", "mixed"])
def test_the_model_is_left_as_it_was(attack, mode, network, samples, witness):
    network.train(mode != "eval")
    if mode == "mixed":
        network[1].eval()
        network[0].weight.requires_grad_(False)
    check = witness(network)
    x, y = samples
    before = x.clone()
    found = attack(network, x, y)
    check()
    assert torch.equal(x, before)
    assert not found.requires_grad
    assert found.data_ptr() != x.data_ptr()


@every_attack
def test_also_after_an_exception(attack, samples, witness):
    class Breaks(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner, self.calls = make_network(), 0

        def forward(self, x):
            self.calls += 1
            if self.calls == 2 or x.requires_grad:
                raise KeyError("broken")
            return self.inner(x)

    model = Breaks()
    model.inner[3].eval()
    check = witness(model)
    with pytest.raises(KeyError):
        attack(model, *samples)
    check()


@every_attack
def test_batch_norm_and_dropout_act_as_in_evaluation(attack, network, samples):
    x, y = samples
    found = attack(network.train(), x, y)
    assert torch.equal(found, attack(network.eval(), x, y))


@every_attack
@pytest.mark.parametrize("context", [torch.no_grad, torch.inference_mode, torch.enable_grad])
def test_works_wherever_gradients_are_switched_off(attack, context, network, samples):
    x, y = samples
    with context():
        inside = attack(network, x * 1, y)
    assert torch.equal(inside, attack(network, x, y))


@every_attack
def test_inputs_may_belong_to_a_graph(attack, network, samples):
    x, y = samples
    grown = (x.clone().requires_grad_() * 1.0,)
    assert torch.equal(attack(network, *grown, y), attack(network, x, y))


@every_attack
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_keeps_the_type(attack, dtype):
    x, y = make_samples(dtype=torch.float32)
    assert attack(make_network(dtype=dtype), x.to(dtype), y).dtype == dtype


@every_attack
def test_an_empty_batch_is_an_empty_batch(attack, network, samples):
    x, y = samples
    assert attack(network, x[:0], y[:0]).shape == (0, 6)


@every_attack
def test_a_model_without_parameters(attack):
    x = torch.tensor([[0.2, 0.4], [0.9, 0.1]])
    found = attack(nn.Tanh(), x, torch.tensor([1, 0]))
    assert (found != x).any()


@every_attack
def test_frozen_parameters_do_not_stop_an_attack(attack, network, samples):
    x, y = samples
    expected = attack(network, x, y)
    assert torch.equal(attack(network.requires_grad_(False), x, y), expected)


class Constantly(nn.Module):
    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def forward(self, x):
        return self.answer(x)


@every_attack
def test_gradients_that_are_not_numbers_move_nothing(attack):
    """The root of |x| - |x| has an infinite slope times zero."""
    model = Constantly(lambda x: x[:, :2] + (x - x).abs().sqrt()[:, 2:])
    x = torch.rand(3, 4)
    assert attack(model, x, torch.tensor([0, 1, 0])).isfinite().all()


@every_attack
def test_refuses_what_it_cannot_attack(attack, network, samples):
    x, y = samples
    with pytest.raises(InvalidType, match=r"x must be a tensor of floats, got torch\.int64"):
        attack(network, x.long(), y)
    assert torch.equal(attack(network, x.numpy(), y.numpy()), attack(network, x, y))
    bad = x.clone()
    bad[2, 1] = torch.nan
    bad[3, 0] = torch.inf
    with pytest.raises(InvalidValue, match="x must be finite, got NaN or infinity in 2 of 8"):
        attack(network, bad, y)
    with pytest.raises(InvalidValue, match="must hold numbers, got tensors on the meta device"):
        attack(make_network().to("meta"), x, y)
    with pytest.raises(InvalidValue, match="must hold numbers, got tensors on the meta device"):
        attack(network, x.to("meta"), y)


@every_attack
def test_refuses_models_that_are_no_classifiers(attack, samples):
    x, y = samples
    with pytest.raises(InvalidValue, match=r"model must return scores of shape \(8, K\) or \(8,\)"):
        attack(Constantly(lambda x: (x, x)), x, y)
    with pytest.raises(InvalidValue, match=r"got \(8, 6, 1\)\."):
        attack(Constantly(lambda x: x.unsqueeze(2)), x, y)
    with pytest.raises(InvalidValue, match="model must be differentiable, got scores that do not"):
        attack(Constantly(lambda x: x.detach()), x, y)


def test_modes_come_back_when_the_model_cannot_be_evaluated():
    class Stubborn(nn.Sequential):
        def eval(self):
            self[0].training = False
            raise RuntimeError("no")

    model = Stubborn(nn.Dropout())
    with pytest.raises(RuntimeError), under_attack(model):
        pass
    assert model[0].training


def test_accuracy_reads_the_device_of_models_without_parameters():
    data = (torch.tensor([[0.0, 1.0]]), torch.tensor([1]))
    assert robust_accuracy(nn.Identity(), data, partial(fgsm, eps=0.1)) == 1.0
