"""A loss must see the model: what cannot learn is refused or said, whatever the loss."""

import warnings
from functools import partial

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.losses import LOSSES, huber, quantile_loss, token_cross_entropy
from gradatim.models import MLP
from gradatim.training import Augmented, GradientNormPenalty, MixUp, Trainer, train_replicas
from gradatim.training.loss_sight import PATIENCE, LossSight, RefuseBroadcast

X = torch.randn(40, 4, generator=torch.Generator().manual_seed(0))
LINE = X @ torch.tensor([1.0, -2.0, 0.5, 0.0])


@pytest.fixture(autouse=True)
def _same_weights():
    torch.manual_seed(0)


def quiet(model, loss=None, **options):
    options = {"epochs": 2, "batch_size": 8, "progress": False} | options
    return Trainer(model, loss, **options)


BLIND = [
    (None, LINE[:, None]),
    ("cross_entropy", LINE[:, None]),
    ("cross_entropy", torch.ones(40, 1)),
    ("cross_entropy", torch.zeros(40).long()),
    ("smoothed_cross_entropy", torch.zeros(40)),
    (nn.CrossEntropyLoss(), LINE[:, None]),
    (nn.CrossEntropyLoss(), torch.zeros(40).long()),
    (lambda output, target: output.log_softmax(1).sum(), LINE),
    (lambda output, target: (output.detach() - target[:, None]).square().mean(), LINE),
    (lambda output, target: 0.0 * output.sum(), LINE),
]


@pytest.mark.parametrize("engine", ["auto", "general"])
@pytest.mark.parametrize(("loss", "target"), BLIND)
def test_a_loss_that_cannot_see_the_model_is_refused(loss, target, engine):
    for model in (nn.Linear(4, 1), MLP((4, 8, 1))):
        with pytest.raises(InvalidValue, match=r"Trainer|cross_entropy"):
            quiet(model, loss, engine=engine).fit((X, target))
        with pytest.raises(InvalidValue, match=r"Trainer|cross_entropy"):
            quiet(model, loss, engine=engine).fit([(X, target)])


def test_replicas_are_refused_too():
    with pytest.raises(InvalidValue, match="cross_entropy"):
        train_replicas(lambda: nn.Linear(4, 1), (X, LINE[:, None]), epochs=1)
    with pytest.raises(InvalidValue, match="at least 2 classes"):
        train_replicas(lambda: MLP((4, 3, 1)), (X, torch.zeros(40).long()), epochs=1)


@pytest.mark.parametrize(
    "objective",
    [Augmented(lambda x: x), MixUp(), GradientNormPenalty(0.1)],
    ids=lambda objective: type(objective).__name__,
)
def test_objectives_take_the_loss_of_the_trainer_or_refuse_it(objective):
    history = quiet(nn.Linear(4, 1), "mse", objective=objective).fit((X, LINE))
    assert history["train_loss"][-1] > 0
    with pytest.raises(InvalidValue, match="cross_entropy"):
        quiet(nn.Linear(4, 1), objective=objective).fit((X, LINE[:, None]))


def test_an_objective_that_does_not_reach_the_model_is_refused():
    weight = torch.ones((), requires_grad=True)
    for objective in (
        lambda model, batch: (model(batch[0]).detach() * weight).mean(),
        lambda model, batch: weight * model(batch[0]).argmax(1).double().mean(),
        lambda model, batch: torch.zeros(()),
    ):
        with pytest.raises(InvalidValue, match="reaches none of its parameters"):
            quiet(nn.Linear(4, 3), objective=objective).fit((X, LINE))


SPREAD = [
    nn.MSELoss(),
    nn.L1Loss(),
    nn.SmoothL1Loss(),
    nn.HuberLoss(),
    nn.PoissonNLLLoss(),
    F.mse_loss,
    lambda output, target: (output - target).square().mean(),
    lambda output, target: (target - output).abs().mean(),
    lambda output, target: torch.dist(output, target),
    lambda output, target: (output.exp() - target.log1p()).square().mean(),
    lambda output, target: (torch.sub(other=target.neg(), input=output) ** 2).mean(),
    lambda output, target: (1 - target * output).clamp(min=0).mean(),
    partial(F.huber_loss, delta=0.5),
]


@pytest.mark.parametrize("loss", SPREAD, ids=range(len(SPREAD)))
@pytest.mark.parametrize("is_stream", [False, True])
def test_shapes_that_broadcast_are_refused(loss, is_stream):
    for output, target in ((1, LINE), (1, X[:, :3]), (3, LINE[:, None])):
        data = (X, target.abs())
        with pytest.raises(InvalidValue, match=r"must have the same shape where .* entry by entry"):
            quiet(nn.Linear(4, output), loss).fit([data] if is_stream else data)
    model = nn.Linear(4, 1)
    trainer = quiet(model, loss, epochs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trainer.fit((X, LINE[:, None].abs()), (X, LINE[:, None].abs()))
    with pytest.raises(InvalidValue, match="entry by entry"):
        trainer.evaluate((X, LINE.abs()))


def test_a_metric_that_broadcasts_is_refused():
    def gap(output, target):
        return (output - target).abs().mean()

    with pytest.raises(InvalidValue, match=r"got \(40, 1\) and \(40,\), of which sub would make"):
        quiet(nn.Linear(4, 1), "mse").evaluate((X, LINE), [gap])


@pytest.mark.parametrize("target", [torch.tensor([-1.0, 1.0] * 20), torch.arange(40) % 3])
def test_labels_that_bce_cannot_mean_are_refused(target):
    for data in ((X, target), [(X, target)]):
        with pytest.raises(
            InvalidValue, match=r"target of bce must be from 0 to 1, got .* Map the"
        ):
            quiet(nn.Linear(4, 1), "bce").fit(data)


@pytest.mark.parametrize(
    ("width", "loss", "target"),
    [
        (1, quantile_loss((0.9,)), LINE),
        (8, quantile_loss(tuple(k / 9 for k in range(1, 9))), LINE),  # as many quantiles as rows
        (8, nn.CrossEntropyLoss(), torch.arange(40) % 8),  # as many classes as rows
        (8, lambda output, target: -output.log_softmax(1)[range(len(target)), target].mean(), torch.arange(40) % 8),
        (1, lambda output, target: (output[:, 0] - target).square().mean(), LINE),
        (3, lambda output, target: (output - target[:, None]).square().mean(), LINE),
        (2, "cross_entropy", X[:, :2].softmax(1)),
        (1, "bce", (LINE > 0).float()),
        (1, "perceptron", (LINE > 0).long()),
    ],
)  # fmt: skip
def test_losses_that_know_what_they_do_are_left_alone(width, loss, target):
    history = quiet(nn.Linear(4, width), loss).fit((X, target), (X, target))
    assert history["train_loss"][-1] < history["train_loss"][0]


@pytest.mark.parametrize("loss", ["mse", "mae", "huber", partial(huber, delta=0.1), nn.MSELoss()])
def test_a_perfect_start_is_said_not_refused(loss):
    model = nn.Linear(4, 1, bias=False)
    model.weight.data = torch.tensor([[1.0, -2.0, 0.5, 0.0]])
    with torch.no_grad():
        target = model(X)
    with pytest.warns(UserWarning, match=r"no gradient has reached.*\(5\)"):
        quiet(model, loss, epochs=1, engine="general").fit((X, target))


@pytest.mark.parametrize("engine", ["auto", "general"])
def test_a_dead_network_is_said_not_refused(engine):
    model = MLP((4, 3, 1), bias=False)
    model[0].weight.data.fill_(-1.0)
    with pytest.warns(UserWarning, match="All units may be dead"):
        quiet(model, "mse", engine=engine, epochs=1).fit((X.abs(), LINE))


def test_padding_at_the_start_is_waited_for():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(5, 4), nn.Linear(4, 5))
    tokens = torch.randint(5, (4, 3))
    padding = (tokens, torch.full((4, 3), -100))
    batches = [padding] * (PATIENCE - 1) + [(tokens, tokens)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quiet(model, token_cross_entropy).fit(batches)
    with pytest.raises(InvalidValue, match="the same whatever the model says"):
        quiet(model, token_cross_entropy).fit([padding] * PATIENCE)


def test_nothing_is_changed_and_nothing_is_left_behind(monkeypatch):
    def train():
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.3), nn.Linear(4, 1))
        trainer = quiet(model, loss, optimizer="sgd", lr=0.1)
        trainer.fit((X, LINE[:, None]))
        return trainer

    loss = nn.MSELoss()
    watched = train()
    assert watched.objective.loss is loss
    assert not any(p._backward_hooks for p in watched.model.parameters())
    monkeypatch.setattr(LossSight, "step", lambda self, engine, batch: engine(batch))
    monkeypatch.setattr(LossSight, "conclude", lambda self: None)
    alone = train()
    for ours, plain in zip(watched.model.parameters(), alone.model.parameters(), strict=True):
        assert torch.equal(ours, plain)


def test_an_optimizer_that_clears_its_gradients_is_no_cause_for_alarm():
    class Clearing(torch.optim.SGD):
        def step(self, closure=None):
            super().step(closure)
            self.zero_grad(set_to_none=True)

    model = nn.Linear(4, 1)
    history = quiet(model, "mse", optimizer=Clearing(model.parameters(), 0.1)).fit((X, LINE))
    assert history["train_loss"][1] < history["train_loss"][0]


def test_sparse_gradients_are_seen():
    model = nn.Sequential(nn.Embedding(5, 3, sparse=True), nn.Flatten())
    optimizer = torch.optim.SparseAdam(model.parameters())
    tokens = torch.arange(10)[:, None] % 5
    quiet(model, nn.CrossEntropyLoss(), optimizer=optimizer).fit([(tokens, tokens[:, 0] % 3)])


@pytest.mark.parametrize("name", LOSSES)
def test_no_named_loss_broadcasts(name):
    output = torch.randn(5, 1)
    for target in (torch.rand(5), torch.rand(5, 1)):
        if "cross_entropy" in name:
            continue
        with RefuseBroadcast(output, target):
            LOSSES[name](output, target)


def test_the_watch_ends_with_the_first_gradient(monkeypatch):
    steps = []
    step = LossSight.step
    monkeypatch.setattr(LossSight, "step", lambda *a: steps.append(1) or step(*a))
    trainer = quiet(nn.Linear(4, 1), "mse")
    trainer.fit((X, LINE))
    assert len(steps) == 1
    trainer.fit((X, LINE))
    assert len(steps) == 2
