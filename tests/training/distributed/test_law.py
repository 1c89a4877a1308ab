"""The number of processes and of parts changes nothing: the weights, history and metrics are those of one process."""

from contextlib import nullcontext
from functools import cache, partial

import pytest
import torch
from tests.training.distributed.processes import in_group
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from gradatim.losses import token_cross_entropy
from gradatim.models import GPT, MLP
from gradatim.nn import Recurrent
from gradatim.training import Callback, Objective, Trainer

TOLERANCE = 1e-9


def generator():
    return torch.Generator().manual_seed(0)


def rows(n=43):
    X = torch.randn(n, 6, generator=generator(), dtype=torch.float64)
    return X, (X[:, :3] + 0.3 * X[:, 3:]).argmax(1)


class Plain(Callback):
    needs_autograd = True


def mlp(**options):
    model = MLP((6, 8, 3)).double()
    return Trainer(model, epochs=25, batch_size=10, metrics=["accuracy", "auc"], **options), rows()


def general(**options):
    return mlp(callbacks=[Plain()], **options)


def clipped(**options):
    return mlp(clip_norm=0.05, clip_value=0.03, schedule="cosine", optimizer="sgd", lr=0.5, **options)  # fmt: skip


def clipped_general(**options):
    return clipped(callbacks=[Plain()], **options)


def summed(**options):
    X, _ = rows()
    model = MLP((6, 8, 1)).double()
    return Trainer(model, "sse", lr=1e-3, epochs=5, batch_size=7, **options), (X, X.sum(1))


class Images(nn.Module):
    def __init__(self, norm=False):
        super().__init__()
        middle = [nn.BatchNorm2d(4)] if norm else []
        self.body = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), *middle, nn.ReLU())
        self.head = nn.Linear(4, 3)

    def forward(self, x):
        return self.head(self.body(x).mean((2, 3)))


def cnn(**options):
    X = torch.randn(31, 1, 5, 5, generator=generator(), dtype=torch.float64)
    model = Images().double()
    return Trainer(model, epochs=4, batch_size=9, **options), (
        X,
        X.sum((1, 2, 3)).long().clamp(0, 2),
    )


def normalized(**options):
    """The last batch has rows for some processes only."""
    X = torch.randn(29, 1, 5, 5, generator=generator(), dtype=torch.float64)
    options = {"sync_batch_norm": True} | options
    trainer = Trainer(Images(norm=True).double(), epochs=4, batch_size=9, **options)
    return trainer, (X, X.sum((1, 2, 3)).long().clamp(0, 2))


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = Recurrent("lstm", 2, 5)
        self.head = nn.Linear(5, 3)

    def forward(self, x, lengths):
        return self.head(self.lstm(x, lengths=lengths)[0])


def lstm(**options):
    X = torch.randn(25, 6, 2, generator=generator(), dtype=torch.float64)
    lengths = torch.randint(1, 7, (25,), generator=generator())
    y = (X.sum(2) > 0).long().masked_fill(torch.arange(6) >= lengths[:, None], -100)
    trainer = Trainer(Tagger().double(), token_cross_entropy, epochs=4, batch_size=8, **options)
    return trainer, (X, lengths, y)


def gpt(**options):
    """Texts of very different lengths, two of them of nothing but padding."""
    tokens = torch.randint(1, 9, (20, 7), generator=generator())
    lengths = torch.randint(0, 7, (20, 1), generator=generator())
    y = tokens.roll(-1, 1).masked_fill(torch.arange(7) >= lengths, 0)
    model = GPT(9, context=7, dim=8, num_layers=1, num_heads=2, dropout=0.0).double()
    loss = partial(token_cross_entropy, padding=0)
    return Trainer(model, loss, "adamw", epochs=4, batch_size=6, **options), (tokens, y)


def own_loss(**options):
    """A function of the user's own counts rows."""
    X, y = rows()
    loss = lambda output, target: ((output[:, 0] - target) ** 4).mean()  # noqa: E731
    return Trainer(MLP((6, 8, 1)).double(), loss, epochs=4, batch_size=10, **options), (X, y)


def streamed(**options):
    X, y = rows()
    loader = DataLoader(TensorDataset(X, y), batch_size=10, shuffle=True)
    return Trainer(MLP((6, 8, 3)).double(), epochs=5, **options), loader


class Game(Objective):
    """Two players with an optimizer each: one predicts, the other guesses the error of the first."""

    def __init__(self, model):
        torch.manual_seed(5)
        self.critic = nn.Linear(6, 1).double()
        self.own = {
            "player": torch.optim.Adam(model.parameters(), lr=1e-2),
            "critic": torch.optim.SGD(self.critic.parameters(), lr=1e-2, momentum=0.9),
        }

    @property
    def optimizers(self):
        return self.own

    def state_dict(self):
        return self.critic.state_dict()

    def load_state_dict(self, state):
        self.critic.load_state_dict(state)

    def __call__(self, model, batch):
        x, y = batch
        error = (model(x)[:, 0] - y) ** 2
        guess = ((self.critic(x)[:, 0] - error.detach()) ** 2).mean()
        loss = (error + 0.1 * self.critic(x)[:, 0] * model(x)[:, 0]).mean()
        if model.training:
            for player, cost in (("critic", guess), ("player", loss)):
                self.own[player].zero_grad()
                cost.backward(retain_graph=True)
                if player == "critic":
                    self.own[player].step()
                    model.zero_grad()
                    loss = (error + 0.1 * self.critic(x)[:, 0] * model(x)[:, 0]).mean()
            self.own["player"].step()
        return {"guess": guess.detach(), "error": error.mean().detach()}


def game(**options):
    X, y = rows()
    model = MLP((6, 8, 1)).double()
    return Trainer(model, objective=Game(model), epochs=4, batch_size=10, **options), (X, y)


JOBS = {job.__name__: job for job in (mlp, general, clipped, clipped_general, summed, cnn, normalized, lstm, gpt, own_loss, streamed, game)}  # fmt: skip


def outcome(job, weight=None, **options):
    torch.manual_seed(1)
    trainer, data = JOBS[job](**options, progress=False)
    history = trainer.fit(data, validation=data, sample_weight=weight)
    records = [{k: v for k, v in record.items() if k != "seconds"} for record in history.records]
    state = {name: value.clone() for name, value in trainer.model.state_dict().items()}
    return state, records, history.engine.name


@cache
def of_one(job):
    """The outcome in one process."""
    return outcome(job)


def assert_same(found, expected):
    (weights, records, engine), (true_weights, true_records, true_engine) = found, expected
    assert engine == true_engine
    for name, value in true_weights.items():
        torch.testing.assert_close(weights[name], value, rtol=TOLERANCE, atol=TOLERANCE)
    assert len(records) == len(true_records)
    for record, true in zip(records, true_records, strict=True):
        assert record == pytest.approx(true, rel=TOLERANCE, abs=TOLERANCE)


@pytest.mark.parametrize(("processes", "accumulate"), [(2, 1), (3, 1), (4, 2), (1, 3)])
@pytest.mark.parametrize("job", [name for name in JOBS if name not in ("game", "normalized")])
def test_processes_and_parts_change_nothing(job, processes, accumulate):
    alone = of_one(job)
    if processes == 1:
        assert_same(outcome(job, accumulate=accumulate), alone)
        return
    found = in_group(lambda rank: outcome(job, accumulate=accumulate), processes)
    for result in found:
        assert_same(result, alone)


@pytest.mark.parametrize("processes", [2, 3, 4])
def test_batch_normalization_sees_the_rows_of_all(processes):
    alone = of_one("normalized")
    for result in in_group(lambda rank: outcome("normalized"), processes):
        assert_same(result, alone)


def test_batch_normalization_that_sees_a_part_says_so():
    with pytest.warns(UserWarning, match="sees only the rows of a part"):
        outcome("normalized", accumulate=2)

    def run(rank):
        with pytest.warns(UserWarning, match="only the rows of one process") if rank == 0 else nullcontext():  # fmt: skip
            return outcome("normalized", sync_batch_norm=False)

    (first, *_), (second, *_) = in_group(run, 2)
    assert all(torch.equal(value, second[name]) for name, value in first.items())


@pytest.mark.parametrize("processes", [2, 3])
def test_an_objective_with_two_optimizers_is_shared(processes):
    alone = of_one("game")
    for result in in_group(lambda rank: outcome("game"), processes):
        assert_same(result, alone)
