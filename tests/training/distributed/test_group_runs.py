"""What a run of several processes does at the same step everywhere, and what it does once."""

import math
import sys
import time

import pytest
import torch
from tests.training.distributed.processes import in_group
from tests.training.distributed.test_law import Plain, assert_same, outcome, rows
from torch import nn

from gradatim.errors import InvalidValue, Unavailable
from gradatim.events import CancelToken
from gradatim.models import MLP
from gradatim.training import Callback, Checkpoint, EarlyStopping, TensorBoard, Trainer
from gradatim.training.distributed.failures import spoken


def trainer_of(model=None, **options):
    torch.manual_seed(1)
    options = {"epochs": 4, "batch_size": 10, "progress": False} | options
    return Trainer(model or MLP((6, 8, 3)).double(), **options)


def test_rows_weigh_as_in_one_process():
    weight = torch.rand(43, generator=torch.Generator().manual_seed(3)).numpy()
    for job in ("mlp", "general"):
        alone = outcome(job, weight=weight)
        for result in in_group(lambda rank, job=job: outcome(job, weight=weight), 3):
            assert_same(result, alone)


def test_fewer_rows_than_processes():
    X, y = rows(5)
    for callbacks in ([], [Plain()]):

        def run(rank, callbacks=callbacks):
            trainer = trainer_of(batch_size=2, callbacks=callbacks)
            trainer.fit((X, y), validation=(X[:1], y[:1]))
            return trainer.model.state_dict(), trainer.history["validation_loss"]

        state, losses = run(0)
        for found, their in in_group(run, 4):
            assert their == pytest.approx(losses, rel=1e-9)
            for name, value in state.items():
                torch.testing.assert_close(found[name], value, rtol=1e-9, atol=1e-9)


def test_stopping_early_and_best_weights_are_those_of_one_process():
    X, y = rows()

    def run(rank):
        stopping = EarlyStopping(patience=2)
        trainer = trainer_of(epochs=60, lr=0.05, callbacks=[stopping])
        history = trainer.fit((X[:20], y[:20]), validation=(X[20:], y[20:]))
        return trainer.model.state_dict(), len(history), stopping.best_epoch, history.stopped

    state, *rest = run(0)
    assert rest[0] < 60
    for found, *their in in_group(run, 2):
        assert their == rest
        for name, value in state.items():
            torch.testing.assert_close(found[name], value, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("callbacks", [[], [Plain()]])
def test_a_loss_that_is_not_finite_ends_all_at_the_same_step(callbacks):
    X, y = rows()
    X = X.clone()
    X[17, 2] = math.nan

    def run(rank):
        trainer = trainer_of(callbacks=callbacks, batch_size=43)
        trainer.fit((X, y))

    with pytest.raises(ArithmeticError) as alone:
        run(0)
    for error in in_group(run, 3, check=False):
        assert str(error) == str(alone.value)
        assert "the input has NaN" in str(error)


class AskAt(Callback):
    def __init__(self, rank, steps):
        self.wanted, self.steps = rank, steps

    def on_batch_end(self, trainer, loss):
        if trainer.rank == self.wanted and trainer.steps == self.steps:
            trainer.stop("enough")


@pytest.mark.parametrize("callbacks", [[], [Plain()]])
def test_one_process_asks_all_to_stop(callbacks):
    def run(rank):
        trainer = trainer_of(callbacks=[AskAt(1, 6), *callbacks])
        trainer.fit(rows())
        return trainer.steps, trainer.history.stopped

    assert in_group(run, 2) == [(7, "another process asked to stop"), (7, "enough")]


def test_one_process_cancels_all():
    def run(rank):
        token = CancelToken()

        class Cancel(Callback):
            def on_batch_end(self, trainer, loss):
                if trainer.steps == 3 and rank == 0:
                    token.cancel()

        trainer = trainer_of(callbacks=[Cancel()])
        try:
            trainer.fit(rows(), cancel=token)
        except KeyboardInterrupt as error:
            return type(error).__name__, trainer.steps

    assert in_group(run, 2) == [("Cancelled", 4)] * 2


def test_dropout_differs_between_processes_and_repeats():
    X, y = rows()

    class Masks(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(nn.Linear(6, 50), nn.Dropout(0.5))
            self.head = nn.Linear(50, 3)
            self.seen = []

        def forward(self, x):
            hidden = self.net(x)
            self.seen.append(float((hidden == 0).double().mean()))
            return self.head(hidden)

    def run(rank):
        torch.manual_seed(1)
        model = Masks().double()
        trainer_of(model, epochs=2).fit((X, y))
        return model.seen, model.state_dict()

    (first, weights), (second, others) = in_group(run, 2)
    assert first != second
    for name, value in weights.items():
        assert torch.equal(value, others[name])
    (again, same), _ = in_group(run, 2)
    assert again == first
    assert all(torch.equal(value, same[name]) for name, value in weights.items())


def test_what_is_shown_is_shown_once(tmp_path, capfd):
    class Talk(Callback):
        def on_epoch_end(self, trainer, record):
            print("epoch", record["epoch"], flush=True)

    def run(rank):
        heard = []
        trainer_of(
            epochs=2, callbacks=[Talk(), TensorBoard(tmp_path / "log")], progress=heard.append
        ).fit(rows())
        return len(heard)

    told = in_group(run, 2)
    assert told[0] > 0
    assert told[1] == 0
    assert capfd.readouterr().out.splitlines() == ["epoch 1", "epoch 2"]
    assert len(list((tmp_path / "log").iterdir())) == 1


def test_the_place_of_a_process_is_told():
    def run(rank):
        trainer = trainer_of()
        return trainer.rank, trainer.world_size, trainer_of(parallel="none").world_size

    assert in_group(run, 2) == [(0, 2, 1), (1, 2, 1)]


def test_an_error_of_one_process_ends_the_others():
    class Fail(Callback):
        def on_batch_end(self, trainer, loss):
            if trainer.rank == 1 and trainer.steps == 3:
                raise ZeroDivisionError("no such luck")

    started = time.monotonic()
    errors = in_group(lambda rank: trainer_of(callbacks=[Fail()]).fit(rows()), 3, check=False)
    assert time.monotonic() - started < 30
    assert errors[1].kinds[0] == "ZeroDivisionError"
    for error in (errors[0], errors[2]):
        assert str(error) == "Trainer: rank 1 failed: ZeroDivisionError: no such luck"
        assert "SystemExit" in error.kinds


def test_a_mistake_of_all_is_said_by_one():
    def run(rank):
        trainer_of(nn.Linear(6, 3), loss="mse").fit(rows())

    errors = in_group(run, 3, check=False)
    assert len({str(error) for error in errors}) == 1
    codes = [error.code for error in errors]
    assert sorted(map(str, codes))[:2] == ["1", "1"]
    assert sum(isinstance(code, str) for code in codes) == 1


def test_a_checkpoint_of_another_model_is_refused_by_one(tmp_path):
    other = trainer_of(MLP((6, 9, 3)).double(), epochs=1, callbacks=[Checkpoint(tmp_path / "run.safetensors")])  # fmt: skip
    other.fit(rows())

    def run(rank):
        trainer_of().resume(tmp_path / "run.safetensors")

    errors = in_group(run, 2, check=False)
    assert all("weights must fit the model" in str(error) for error in errors)
    assert sorted(isinstance(error.code, str) for error in errors) == [False, True]


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ({"RANK": "2", "WORLD_SIZE": "2"}, "RANK must be from 0 to WORLD_SIZE - 1 in the environment, got RANK=2, WORLD_SIZE=2"),
        ({"WORLD_SIZE": "two"}, "WORLD_SIZE must be a whole number in the environment, got 'two'"),
        ({"WORLD_SIZE": "2", "MASTER_PORT": "x"}, "MASTER_ADDR and MASTER_PORT must be in the environment"),
    ],
)  # fmt: skip
def test_an_environment_that_cannot_be_is_one_line(monkeypatch, place, sentence):
    for name, value in place.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(InvalidValue, match=sentence) as caught:
        trainer_of().fit(rows())
    assert isinstance(caught.value, SystemExit)  # which ends a program without a traceback


def test_an_error_of_the_system_is_one_line_too(capsys, monkeypatch):
    usual = []
    monkeypatch.setattr(sys, "excepthook", lambda *raised: usual.append(raised))
    error, other = spoken(Unavailable("Trainer: nobody is there.")), ValueError("another")
    assert isinstance(error, OSError)
    sys.excepthook(type(error), error, None)
    assert capsys.readouterr().err == "Trainer: nobody is there.\n"
    sys.excepthook(ValueError, other, None)
    assert usual == [(ValueError, other, None)]


def test_a_parameter_that_is_not_used_is_named():
    class Idle(nn.Module):
        def __init__(self):
            super().__init__()
            self.used, self.idle = nn.Linear(6, 3), nn.Linear(6, 3)

        def forward(self, x):
            return self.used(x)

    def run(rank):
        torch.manual_seed(1)
        trainer_of(Idle().double()).fit(rows())

    for error in in_group(run, 2, check=False):
        assert "no gradient for 'idle.weight' and 2 in all" in str(error)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"seed": 3}, "Trainer: all processes must have the same seed, got 3 in rank 1 and 0 in rank 0."),
        ({"epochs": 9}, "all processes must have the same epochs, got 9 in rank 1 and 4 in rank 0."),
        ({"compile": True}, "all processes must have the same compile, got True in rank 1 and False in rank 0."),
        ({"clip_norm": 2.0}, "the same clip_norm, got 2.0 in rank 1 and None in rank 0."),
        ({"model": 7}, "in rank 0. Seed before it is built: torch.manual_seed(0)."),
        ({"data": 42}, "in rank 0. Let all read the same, in the same order."),
    ],
)  # fmt: skip
def test_processes_that_differ_are_told_apart(change, sentence):
    def run(rank):
        own = change if rank == 1 else {}
        torch.manual_seed(own.get("model", 1))
        model = MLP((6, 8, 3)).double()
        options = {k: v for k, v in own.items() if k not in ("model", "data")}
        Trainer(model, progress=False, **({"epochs": 4} | options)).fit(rows(own.get("data", 43)))

    errors = in_group(run, 2, check=False)
    assert all(sentence in str(error) for error in errors)
    assert sum(isinstance(error.code, str) for error in errors) == 1


def small_files(folder):
    import pandas as pd

    X, y = rows()
    frame = pd.DataFrame(X.numpy(), columns=[f"x{k}" for k in range(6)]).assign(y=y.numpy())
    for k in range(3):
        frame.iloc[k::3].to_parquet(folder / f"{k}.parquet", index=False)
    return f"{folder}/*.parquet"


def test_a_stream_of_files_is_shared(tmp_path):
    """Three files, four processes: every one takes its share of each batch."""
    from gradatim.data import stream

    pattern = small_files(tmp_path)

    def run(rank):
        torch.manual_seed(1)
        trainer = Trainer(MLP((6, 8, 3)).double(), epochs=3, progress=False)
        history = trainer.fit(stream(pattern, "y", batch_size=10, window=16), stream(pattern, "y"))
        return trainer.model.state_dict(), history["validation_loss"]

    state, losses = run(0)
    for found, their in in_group(run, 4):
        assert their == pytest.approx(losses, rel=1e-9)
        for name, value in state.items():
            torch.testing.assert_close(found[name], value, rtol=1e-9, atol=1e-9)


def test_a_stream_that_ends_early_in_one_process_ends_all():
    X, y = rows()

    def run(rank):
        batches = [(X[k : k + 5], y[k : k + 5]) for k in range(0, 40 - 10 * rank, 5)]
        trainer_of(epochs=2).fit(Unsized(batches))

    errors = in_group(run, 2, check=False)
    assert all("that of rank 1 ends after 6 and others go on" in str(error) for error in errors)
    assert sum(isinstance(error.code, str) for error in errors) == 1


class Unsized:
    """Batches that nobody can count beforehand."""

    def __init__(self, batches):
        self.batches = batches

    def __iter__(self):
        return iter(self.batches)


def test_tensors_of_all_types_travel_together():
    """Masks, counts, complex numbers, nothing at all; each lies where it lay."""
    kinds = (torch.bool, torch.long, torch.float64, torch.bfloat16, torch.complex64)

    def run(rank):
        from gradatim.training.distributed.joining import joined
        from gradatim.training.distributed.spread import Spread

        tensors = [(torch.arange(6) % 5 * (1 - rank)).reshape(2, 3).T.to(kind) for kind in kinds]
        tensors += [torch.tensor(7 - rank), torch.zeros(0, 4)]
        with joined(Spread()) as group:
            group.broadcast(tensors)
        return tensors

    first, second = in_group(run, 2)
    for a, b, kind in zip(first, second, (*kinds, torch.long, torch.float32), strict=True):
        assert a.dtype == b.dtype == kind
        assert torch.equal(a, b)
    assert first[0].tolist() == [[False, True], [True, True], [True, False]]
    assert second[5].item() == 7
