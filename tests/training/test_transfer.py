"""Transfer: what is frozen does not move, the new head does, rates fall layer by layer."""

from copy import deepcopy

import pytest
import torch
from torch import nn

from gradatim.errors import GradatimError
from gradatim.models import MLP, CifarResNet, describe, rebuild
from gradatim.training import Trainer, freeze, layerwise_groups, replace_head, unfreeze

X, Y = torch.randn(40, 4, generator=torch.Generator().manual_seed(0)), torch.arange(40) % 2


def test_frozen_parts_stay_and_the_head_learns():
    model = replace_head(MLP((4, 8, 10)), 2)
    freeze(model, "0")
    trunk, head = model[0].weight.detach().clone(), model[2].weight.detach().clone()
    Trainer(model, epochs=2, lr=0.1, weight_decay=0.1).fit((X, Y))
    assert torch.equal(model[0].weight, trunk)
    assert not torch.equal(model[2].weight, head)
    unfreeze(model)
    Trainer(model, epochs=2, lr=0.1).fit((X, Y))
    assert not torch.equal(model[0].weight, trunk)


def test_the_new_head_is_fixed_by_its_seed_and_known_to_the_description():
    a, b, c = (replace_head(MLP((4, 8, 10)), 3, seed=s)[2].weight for s in (1, 1, 2))
    assert torch.equal(a, b)
    assert not torch.equal(a, c)
    model = replace_head(MLP((4, 8, 10), bias=False).double(), 3)
    assert model[2].bias is None
    assert model[2].weight.dtype == torch.float64
    rebuild(describe(model)).double().load_state_dict(model.state_dict())


def test_a_named_head_deep_inside():
    model = nn.Sequential(nn.Sequential(nn.Linear(4, 5)), nn.Linear(5, 6))
    replace_head(model, 7, name="0.0")
    assert model[0][0].out_features == 7
    assert model[1].in_features == 5


def test_rates_fall_and_schedules_scale_them():
    model = MLP((4, 8, 8, 2))
    groups = layerwise_groups(model, 0.1, decay=0.5, weight_decay=0.01)
    assert [g["lr"] for g in groups] == pytest.approx([0.025, 0.025, 0.05, 0.05, 0.1, 0.1])
    assert [g["weight_decay"] for g in groups] == [0.01, 0.0] * 3
    optimizer = torch.optim.SGD(groups)
    assert sum(len(g["params"]) for g in optimizer.param_groups) == 6
    trainer = Trainer(model, optimizer=optimizer, schedule="cosine", epochs=2, batch_size=40)
    trainer.fit((X, Y))
    rates = [g["lr"] for g in optimizer.param_groups]
    assert rates == pytest.approx([0.0125, 0.0125, 0.025, 0.025, 0.05, 0.05])


def test_frozen_parts_have_no_group():
    assert len(layerwise_groups(freeze(MLP((4, 8, 2)), "0"), 0.1)) == 1


def normed():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Linear(6, 2))


def test_kept_statistics_stay_and_are_used_in_training():
    model = normed()
    Trainer(model, epochs=2, lr=0.01).fit((X, Y))
    norm = model[1]
    before = norm.running_mean.clone(), norm.running_var.clone(), norm.num_batches_tracked.clone()
    unfreeze(freeze(model, statistics=True))
    expected = model.eval()(X)
    torch.testing.assert_close(model.train()(X), expected)
    copied = deepcopy(model).train()
    torch.testing.assert_close(copied(X), expected)
    weight = norm.weight.detach().clone()
    Trainer(model, epochs=2, lr=0.1).fit((X + 5.0, Y))
    after = norm.running_mean, norm.running_var, norm.num_batches_tracked
    assert all(torch.equal(a, b) for a, b in zip(before, after, strict=True))
    assert not torch.equal(norm.weight, weight)
    unfreeze(model, statistics=True).train()
    model(X + 5.0)
    assert not torch.equal(norm.running_mean, before[0])
    assert not norm._forward_pre_hooks


def test_without_being_asked_statistics_follow_the_data():
    model = freeze(normed()).train()
    before = model[1].running_mean.clone()
    model(X)
    assert not torch.equal(model[1].running_mean, before)


def test_only_named_parts_keep_their_statistics():
    model = nn.Sequential(nn.BatchNorm1d(4), nn.BatchNorm1d(4))
    freeze(freeze(model, "0", statistics=True), "0", statistics=True)
    assert [len(part._forward_pre_hooks) for part in model] == [1, 0]


def test_a_new_head_of_a_classifier_is_known_to_the_description():
    model = replace_head(CifarResNet(8, 10), 3)
    assert describe(model)["arguments"]["num_classes"] == 3
    rebuild(describe(model)).load_state_dict(model.state_dict())


def test_errors():
    with pytest.raises(GradatimError, match=r"freeze: names must be one of .*got 'trunk'"):
        freeze(MLP((4, 8, 2)), "trunk")
    with pytest.raises(GradatimError, match=r"replace_head: name must be one of .*got 'head'"):
        replace_head(MLP((4, 8, 2)), 3, name="head")
    with pytest.raises(GradatimError, match="must contain a dense layer, got none within Linear"):
        replace_head(nn.Linear(2, 2), 3)
    with pytest.raises(GradatimError, match=r"decay must be in \(0, 1\], got 0"):
        layerwise_groups(MLP((4, 2)), 0.1, decay=0)
    with pytest.raises(GradatimError, match="must have a part that learns, got none"):
        layerwise_groups(freeze(MLP((4, 2))), 0.1)
