"""Whatever changes the numbers of a run is seen before it begins; what does not is not."""

from functools import partial
from types import SimpleNamespace

import pytest
import torch
from tests.training.distributed.test_law import Game, rows
from torch import nn
from torch.nn import functional as F

from gradatim.data import stream
from gradatim.errors import InvalidValue
from gradatim.fitting.rounds import Deadline
from gradatim.models import MLP
from gradatim.training import Callback, Checkpoint, EarlyStopping, Trainer
from gradatim.training.distributed.comparing import check_alike, compare
from gradatim.training.distributed.describing import describe_run, mark
from gradatim.training.starting import Weights, start_batches

X, y = rows()


def built(model=None, *, data=None, weights=None, held_out=None, held_weights=None, **options):
    torch.manual_seed(1)
    trainer = Trainer((model or mlp)(), progress=False, **({"batch_size": 10} | options))
    batches = start_batches(trainer, data or (X, y), weights, is_training=True)
    judged = held_out and start_batches(trainer, held_out, held_weights)
    return describe_run(trainer, batches, judged)


def mlp(width=8):
    return MLP((6, width, 3)).double()


def frozen():
    model = mlp()
    next(model.parameters()).requires_grad_(False)
    return model


def dropping(share):
    return nn.Sequential(nn.Linear(6, 3), nn.Dropout(share)).double()


def game(change=None, **settings):
    """What a run of two players is."""
    torch.manual_seed(1)
    model = MLP((6, 8, 1)).double()
    objective = Game(model)
    if change == "weights":
        with torch.no_grad():
            objective.critic.weight.add_(1.0)
    if change == "lr":
        objective.own["critic"].param_groups[0]["lr"] = 3.0
    trainer = Trainer(model, objective=objective, progress=False, **settings)
    return describe_run(trainer, start_batches(trainer, (X, y), is_training=True))


def moved(is_moved):
    """An optimizer that has, or has not, learned before."""
    torch.manual_seed(1)
    model = mlp()
    optimizer = torch.optim.Adam(model.parameters())
    if is_moved:
        for parameter in model.parameters():
            parameter.grad = torch.zeros_like(parameter)
        optimizer.step()
    trainer = Trainer(model, optimizer=optimizer, progress=False)
    return describe_run(trainer, start_batches(trainer, (X, y), is_training=True))


def slow(t, end):
    return 0.5


class Odd(nn.Linear):
    """A layer that says where it lies in memory."""

    def extra_repr(self):
        return f"of {object()!r}"


class Own(Callback):
    def __init__(self, rank):
        self.rank = rank


heavy = torch.ones(43).index_fill(0, torch.tensor([3]), 2.0).numpy()
cross_entropy = F.cross_entropy
CASES = {
    "seed": (built, {"seed": 1}),
    "loss": (built, {"loss": partial(cross_entropy, label_smoothing=0.1)}),
    "optimizer": (built, {"weight_decay": 0.1}),
    "schedule": (built, {"schedule": "cosine"}),
    "epochs": (built, {"epochs": 9}),
    "batch_size": (built, {"batch_size": 9}),
    "clip_norm": (built, {"clip_norm": 1.0}),
    "clip_value": (built, {"clip_value": 1.0}),
    "metrics": (built, {"metrics": ["accuracy"]}),
    "callbacks": (built, {"callbacks": [EarlyStopping()]}),
    "engine": (built, {"engine": "general"}),
    "spread": (built, {"accumulate": 2}),
    "precision": (partial(built, model=lambda: mlp().float(), data=(X.float(), y)), {"precision": "bf16"}),
    "activation_checkpointing": (built, {"activation_checkpointing": True}),
    "model": (built, {"model": partial(mlp, 9)}),
    "validation": (built, {"held_out": (X, y)}),
    "data": (built, {"data": (X.flip(0), y.flip(0))}),
    "objective": (game, {"change": "weights"}),
    "optimizers of the objective": (game, {"change": "lr"}),
}  # fmt: skip
MORE = {
    "which parameters are trained": ("model", built, {}, {"model": frozen}),
    "a setting of a layer": ("model", partial(built, model=partial(dropping, 0.1)), {}, {"model": partial(dropping, 0.2)}),
    "a number of the data": ("data", built, {}, {"data": (X.index_fill(0, torch.tensor([7]), 0.5), y)}),
    "weights of rows": ("data", built, {"weights": Weights(torch.ones(43))}, {"weights": Weights(heavy)}),
    "weights that draw": ("data", built, {"weights": Weights(heavy)}, {"weights": Weights(heavy, is_sampled=True)}),
    "other rows held out": ("validation", built, {"held_out": (X, y)}, {"held_out": (X[:9], y[:9])}),
    "other weights there": ("validation", built, {"held_out": (X, y)}, {"held_out": (X, y), "held_weights": Weights(heavy)}),
    "patience": ("callbacks", built, {"callbacks": [EarlyStopping(patience=1)]}, {"callbacks": [EarlyStopping(patience=2)]}),
    "when it is saved": ("callbacks", built, {"callbacks": [Checkpoint("run")]}, {"callbacks": [Checkpoint("run", every_steps=3)]}),
    "a schedule of one's own": ("schedule", built, {"schedule": lambda t, end: 0.9}, {"schedule": slow}),
    "what an optimizer has learned": ("optimizer", moved, {"is_moved": False}, {"is_moved": True}),
}  # fmt: skip


def differences(a, b):
    assert list(a) == list(b)
    return [name for name in a if a[name] != b[name]]


@pytest.mark.parametrize("name", CASES)
def test_what_is_given_otherwise_is_named(name):
    make, change = CASES[name]
    found = differences(make(), make(**change))
    assert found == ([name, "objective"] if name == "loss" else [name])  # the objective has it too


@pytest.mark.parametrize("case", MORE)
def test_what_changes_the_numbers_is_seen(case):
    name, make, one, other = MORE[case]
    assert differences(make(**one), make(**other)) == [name]


def test_a_scheduler_of_pytorch_is_seen():
    def run(gamma):
        model = mlp()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2, gamma=gamma)
        trainer = Trainer(model, optimizer=optimizer, schedule=schedule, progress=False)
        return describe_run(trainer, start_batches(trainer, (X, y)))

    torch.manual_seed(1)
    one = run(0.1)
    torch.manual_seed(1)
    assert differences(one, run(0.2)) == ["schedule"]


def test_other_files_of_a_stream_are_seen(tmp_path):
    for name, count in (("a", 20), ("b", 21)):
        lines = [f"{k},{k},0,0,0,0,{k % 3}" for k in range(count)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["a,b,c,d,e,f,y", *lines]))
    one, other = (built(data=stream(tmp_path / f"{name}.csv", "y")) for name in "ab")
    assert differences(one, other) == ["data"]


def test_what_changes_no_number_is_not_seen(tmp_path):
    """Paths, callbacks of one's own that know their rank, and where objects lie in memory."""

    def run(rank):
        model = nn.Sequential(Odd(6, 3)).double()
        callbacks = [Own(rank), Checkpoint(tmp_path / str(rank))]
        return built(lambda: model, callbacks=callbacks, metrics=[lambda output, target: rank])

    torch.manual_seed(1)
    one = run(0)
    torch.manual_seed(1)
    assert one == run(1)


def test_what_one_process_alone_has_to_do_is_not_compared():
    """Of ``fit`` the first process keeps the clock."""
    assert built(callbacks=[Deadline(max)]) == built(callbacks=[Deadline(min)])


def test_one_entry_of_a_large_tensor_at_the_front_is_seen():
    zeros = torch.zeros(3 << 20)
    assert mark(zeros) != mark(zeros.index_fill(0, torch.tensor([0]), 1.0))


def test_one_process_is_not_asked():
    check_alike(SimpleNamespace(group=SimpleNamespace(is_alone=True)), None)


def test_the_sentence_names_rank_and_difference():
    group = SimpleNamespace(gather=lambda own: [own, own, own | {"data": "2"}])
    with pytest.raises(InvalidValue) as caught:
        compare(group, {"seed": "1", "data": "1"})
    assert str(caught.value) == (
        "Trainer: all processes must have the same data, got 2 in rank 2 and 1 in rank 0. "
        "Let all read the same, in the same order."
    )


def test_of_long_settings_the_sentence_tells_what_differs():
    one = built(callbacks=[EarlyStopping(patience=1)])
    other = built(callbacks=[EarlyStopping(patience=2)])
    group = SimpleNamespace(gather=lambda own: [one, other])
    with pytest.raises(InvalidValue, match="the same callbacks, got patience=2 in rank 1 and patience=1 in rank 0"):  # fmt: skip
        compare(group, one)
