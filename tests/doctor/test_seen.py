"""What the observer makes of loops as people write them: evaluations, optimizers that take turns, layers in no_grad, crashes."""

import inspect

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from gradatim.doctor import watch
from gradatim.doctor.observing import Observer
from gradatim.doctor.repairs import repair


def line():
    return inspect.currentframe().f_back.f_lineno


def rows(n=96, seed=0):
    X = torch.randn(n, 4, generator=torch.Generator().manual_seed(seed))
    return X, (X[:, :1] - X[:, 1:2]).detach()


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))


def learn(model, optimizer, X, y):
    optimizer.zero_grad()
    ((model(X) - y) ** 2).mean().backward()
    optimizer.step()


def test_losses_by_hand_are_read_and_those_of_training_rows_kept_apart():
    X, y = rows()
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    with watch() as seen:
        for _ in range(12):
            learn(model, optimizer, X[:64], y[:64])
            with torch.no_grad():
                known = ((model(X[:64]) - y[:64]) ** 2).mean()
                new = (model(X[64:]) - y[64:]).square().mean()
    found = seen.facts.evaluations
    assert [e.rows for e in found[-2:]] == [64, 32]
    assert found[-2].loss == pytest.approx(known.item())
    assert found[-1].loss == pytest.approx(new.item())
    assert (found[-2].overlap, found[-1].overlap) == (1.0, 0.0)


def test_an_accuracy_is_no_loss():
    X, y = rows()
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    with watch() as seen:
        for _ in range(4):
            learn(model, optimizer, X[:64], y[:64])
            with torch.no_grad():
                ((model(X[64:]) > 0) == (y[64:] > 0)).float().mean()
    assert all(e.loss is None for e in seen.facts.evaluations)


class Dropping(nn.Module):
    def __init__(self, told):
        super().__init__()
        self.body, self.told = network(), told

    def forward(self, x):
        active = {"training": self.training} if self.told else {}
        return self.body(F.dropout(x, 0.2, **active))


@pytest.mark.parametrize(("told", "found"), [(False, ["model.train-in-evaluation"]), (True, [])])
def test_dropout_as_a_function_must_be_told_the_mode(told, found):
    X, y = rows()
    model = Dropping(told)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    with watch() as seen:
        for _ in range(30):
            model.train()
            learn(model, optimizer, X[:64], y[:64])
            model.eval()
            with torch.no_grad():
                F.mse_loss(model(X[64:]), y[64:])
    codes = [f.code for f in seen.diagnosis.findings if f.severity != "note"]
    assert codes == found


def test_optimizers_that_take_turns_are_not_made_anew():
    X, y = rows()
    model = network()
    with watch() as seen:
        at = line() + 1
        one = torch.optim.Adam(model.parameters(), lr=0.01)
        other = torch.optim.Adam(model.parameters(), lr=0.001)
        for _ in range(20):
            learn(model, one, X, y)
            learn(model, other, X, y)
    facts = seen.facts
    assert max(o.made for o in facts.optimizers) <= 2
    assert {o.line for o in facts.optimizers} <= {at, at + 1}


def test_what_runs_within_no_grad_is_placed_there():
    X, y = rows()
    model, head = network(), nn.Linear(1, 1)
    optimizer = torch.optim.Adam([*model.parameters(), *head.parameters()], lr=0.01)

    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.head = model, head

        def forward(self, x):
            with torch.no_grad():
                self.at = line() - 1
                x = self.body(x)
            return self.head(x)

    both = Both()
    with watch() as seen:
        for _ in range(20):
            learn(both, optimizer, X, y)
    first = seen.diagnosis.findings[0]
    assert (first.code, first.where.line) == ("grad.cut", both.at)


def test_a_type_error_is_placed_where_the_numbers_come_from():
    with pytest.raises(RuntimeError), watch() as seen:  # noqa: PT012
        X = torch.ones(8, 4).numpy().astype("float64")
        at = line() + 1
        X = torch.from_numpy(X)
        network()(X)
    first = seen.diagnosis.findings[0]
    assert (first.code, first.where.line) == ("crash.dtype", at)


def test_a_hidden_state_of_another_batch_is_placed_at_the_call():
    rnn = nn.LSTM(4, 8, batch_first=True)
    state = (torch.zeros(1, 32, 8), torch.zeros(1, 32, 8))
    with pytest.raises(RuntimeError), watch() as seen:  # noqa: PT012
        at = line() + 1
        rnn(torch.zeros(20, 5, 4), state)
    assert seen.diagnosis.findings[0].code == "crash.shape"
    assert seen.diagnosis.findings[0].where.line == at


def test_models_that_are_let_go_are_still_described():
    X, y = rows()
    with watch() as seen:
        model = network()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(5):
            learn(model, optimizer, X, y)
        del model, optimizer
    assert [layer.type for layer in seen.facts.models[0].layers] == ["Linear", "ReLU", "Linear"]


def test_the_constant_of_a_weighted_loss_is_its_least():
    torch.manual_seed(0)
    y = (torch.rand(400, 1) < 0.1).float()
    bias = nn.Linear(1, 1)
    optimizer = torch.optim.LBFGS(bias.parameters(), max_iter=50)
    loss_of = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(6.0))

    def closure():
        optimizer.zero_grad()
        loss = loss_of(bias(torch.zeros(400, 1)), y)  # nothing but a constant can be learned
        loss.backward()
        return loss

    with watch() as seen:
        for _ in range(3):
            least = optimizer.step(closure)
    assert seen.facts.losses[0].target.constant_loss == pytest.approx(least.item(), rel=1e-3)


def steps(name, value, rates):
    """The rates that a step used, under a repair of this process, which is undone."""
    from torch.optim import optimizer as module

    before = [dict(h) for h in (module._global_optimizer_pre_hooks, module._global_optimizer_post_hooks)]  # fmt: skip
    parameter = nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([parameter], lr=1.0)
    moved = []
    try:
        repair(Observer(), name, value)
        for rate in rates:
            optimizer.param_groups[0]["lr"] = rate
            parameter.grad, old = torch.full((1,), -10.0), parameter.item()
            optimizer.step()
            moved.append(parameter.item() - old)
    finally:
        for hooks, kept in zip((module._global_optimizer_pre_hooks, module._global_optimizer_post_hooks), before, strict=True):  # fmt: skip
            hooks.clear()
            hooks.update(kept)
    return moved


def test_a_held_rate_rises_but_never_falls():
    assert steps("hold", 1.0, [0.0, 0.5, 0.2, 0.0]) == [0.0, 5.0, 5.0, 5.0]


def test_a_clipped_step_is_as_long_as_the_limit():
    assert steps("clip", 1.0, [1.0, 1.0]) == pytest.approx([1.0, 1.0], rel=1e-4)
