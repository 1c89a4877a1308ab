"""A run that is killed goes on to the same weights; a bad file changes nothing."""

import os
import random
import signal
import subprocess
import sys
import textwrap
import time

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from gradatim.errors import GradatimError, OutputRefused
from gradatim.files import pack_tree
from gradatim.models import MLP
from gradatim.training import (
    Callback,
    Checkpoint,
    EarlyStopping,
    Objective,
    Trainer,
    load_checkpoint,
    save_checkpoint,
)

torch.manual_seed(0)
X, Y = torch.randn(300, 6), torch.randint(3, (300,))


@pytest.fixture(autouse=True)
def no_fsync(monkeypatch):
    """A crash of the process, unlike one of the machine, does not need the flush, which takes long."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


class Crash(Exception):
    pass


class CrashAt(Callback):
    """Fails after so many batches, like a machine that goes down."""

    def __init__(self, steps=None):
        self.steps = steps

    def on_batch_end(self, trainer, loss):
        if trainer.steps == self.steps:
            raise Crash


class NeedsAutograd(Callback):
    needs_autograd = True


def run(path, crash_at=None, *, resume=False, general=False, norm=None, data=(X, Y), **arguments):
    torch.manual_seed(3)
    model = MLP((6, 12, 3), dropout=0.4, norm=norm)
    last = NeedsAutograd() if general else Callback()
    callbacks = [
        Checkpoint(path, every_steps=1),
        EarlyStopping(monitor="train_loss", patience=50),
        last,
        CrashAt(crash_at),
    ]
    trainer = Trainer(
        model, epochs=4, batch_size=64, callbacks=callbacks, schedule="cosine", **arguments
    )
    if resume:
        trainer.resume(path)
    try:
        history = trainer.fit(data, validation=(X, Y))
    except Crash:
        return None
    return model, history


def same(a, b):
    assert all(torch.equal(p, q) for p, q in zip(a[0].parameters(), b[0].parameters(), strict=True))
    for mine, other in zip(a[1], b[1], strict=True):
        assert {k: v for k, v in mine.items() if k != "seconds"} == {
            k: v for k, v in other.items() if k != "seconds"
        }


@pytest.mark.parametrize("crash_at", [2, 6, 13])
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"optimizer": "momentum", "weight_decay": 0.1},
        {"norm": "batch"},
        {"optimizer": "rmsprop"},
        {"data": TensorDataset(X, Y)},
        {"data": DataLoader(TensorDataset(X, Y), 50, shuffle=True)},
    ],
    ids=["chain", "momentum", "batch-norm", "rmsprop", "dataset", "loader"],
)
def test_resumes_to_equal_weights_and_history(tmp_path, crash_at, arguments):
    whole = run(tmp_path / "a", **arguments)
    assert run(tmp_path / "b", crash_at, **arguments) is None
    same(run(tmp_path / "b", resume=True, **arguments), whole)


def test_a_run_may_change_path_when_it_resumes(tmp_path):
    whole = run(tmp_path / "a")
    assert run(tmp_path / "b", 6) is None
    model, _ = run(tmp_path / "b", resume=True, general=True)
    for p, q in zip(model.parameters(), whole[0].parameters(), strict=True):
        torch.testing.assert_close(p, q)


def test_a_finished_or_stopped_run_stays_finished(tmp_path):
    model, _ = run(tmp_path / "a")
    again, history = run(tmp_path / "a", resume=True)
    assert len(history) == 4
    assert all(
        torch.equal(p, q) for p, q in zip(model.parameters(), again.parameters(), strict=True)
    )


def test_a_file_that_is_no_checkpoint_is_refused_before_the_first_step(tmp_path):
    path = tmp_path / "thesis.txt"
    path.write_text("years of work")
    trainer = Trainer(MLP((6, 3)), epochs=1, callbacks=[Checkpoint(path)])
    with pytest.raises(OutputRefused, match=r"^Checkpoint: path must be new, or written by the same command before, got '.*thesis\.txt'"):  # fmt: skip
        trainer.fit((X, Y))
    with pytest.raises(OutputRefused, match="must be new, or written by the same"):
        save_checkpoint(path, {})
    assert path.read_text() == "years of work"
    assert trainer.steps == 0


def test_what_a_killed_run_left_beside_its_file_is_swept(tmp_path):
    (tmp_path / ".run.gradatim-dead").write_bytes(b"half")
    Trainer(MLP((6, 3)), epochs=1, callbacks=[Checkpoint(tmp_path / "run")]).fit((X, Y))
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


SCRIPT = """
import os, sys, torch
os.fsync = lambda handle: None  # a killed process needs no flush to the disk
from gradatim.models import MLP
from gradatim.training import Callback, Checkpoint, Trainer
torch.manual_seed(0)
X, y = torch.randn(2000, 6), torch.randint(3, (2000,))
model = MLP((6, 12, 3), dropout=0.4)

class Tell(Callback):
    def on_batch_end(self, trainer, loss):
        print(trainer.steps, flush=True)

path, resume, tell = sys.argv[1], sys.argv[2] == "resume", sys.argv[3] == "tell"
callbacks = [Tell()] if tell else [Callback()]
trainer = Trainer(model, epochs=3, batch_size=16, callbacks=[*callbacks, Checkpoint(path, every_steps=7)])
if resume:
    trainer.resume(path)
trainer.fit((X, y))
torch.save([p.detach() for p in model.parameters()], path + ".weights")
"""


def test_kill_minus_nine_in_the_middle_of_an_epoch(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(textwrap.dedent(SCRIPT))
    command = [sys.executable, str(script)]
    subprocess.run([*command, str(tmp_path / "whole"), "start", "quiet"], check=True)
    victim = subprocess.Popen(
        [*command, str(tmp_path / "killed"), "start", "tell"], stdout=subprocess.PIPE, text=True
    )
    for line in victim.stdout:
        if int(line) >= 150:  # of 125 batches per epoch: in the second epoch
            victim.send_signal(signal.SIGKILL)
            break
    victim.stdout.close()
    assert victim.wait() == -signal.SIGKILL
    assert not (tmp_path / "killed.weights").exists()
    subprocess.run([*command, str(tmp_path / "killed"), "resume", "quiet"], check=True)
    whole, killed = (torch.load(tmp_path / f"{name}.weights") for name in ("whole", "killed"))
    assert all(torch.equal(a, b) for a, b in zip(whole, killed, strict=True))


def weights_of(trainer):
    return [p.detach().clone() for p in trainer.model.parameters()]


def damaged_files(folder):
    good = folder / "good"
    Trainer(MLP((6, 3)), epochs=1, callbacks=[Checkpoint(good)]).fit((X, Y))
    content = good.read_bytes()
    flipped = bytearray(content)
    flipped[-20] ^= 0xFF
    return {
        "empty": b"",
        "half": content[: len(content) // 2],
        "flipped": bytes(flipped),
        "text": b"epoch,loss\n1,0.5\n",
        "huge header": b"\xff" * 8 + content[8:],
    }


def test_damaged_and_foreign_files_give_one_sentence_and_change_nothing(tmp_path):
    for name, content in damaged_files(tmp_path).items():
        path = tmp_path / "bad"
        path.write_bytes(content)
        trainer = Trainer(MLP((6, 3)), callbacks=[Checkpoint(path)])
        before = weights_of(trainer)
        with pytest.raises(GradatimError) as caught:
            trainer.resume(path)
        assert "damaged" in str(caught.value), name
        assert "\n" not in str(caught.value)
        assert all(torch.equal(a, b) for a, b in zip(before, weights_of(trainer), strict=True))


def test_one_flipped_bit_is_noticed_wherever_it_is(tmp_path):
    """In weights, plain values and the header alike."""
    path = tmp_path / "c"
    Trainer(MLP((6, 3)), epochs=1, callbacks=[Checkpoint(path)]).fit((X, Y))
    content, draw = path.read_bytes(), random.Random(0)
    header = 8 + int.from_bytes(content[:8], "little")
    while content[header - 1] == 32:  # spaces that fill up say nothing
        header -= 1
    places = [draw.randrange(8 * header) for _ in range(300)]
    places += [draw.randrange(8 * header + 64, 8 * len(content)) for _ in range(100)]
    for place in places:
        flipped = bytearray(content)
        flipped[place // 8] ^= 1 << place % 8
        path.write_bytes(flipped)
        with pytest.raises(GradatimError, match=r"is damaged|is not a checkpoint|must be a checkpoint"):  # fmt: skip
            load_checkpoint(path)


def everything(trainer):
    tensors = {}
    plain = pack_tree(trainer.state_dict(), tensors)
    return plain, {name: tensor.tolist() for name, tensor in tensors.items()}


@pytest.mark.parametrize("bad", ["callback", "rng", "totals", "engine"])
def test_what_is_refused_late_has_changed_nothing(tmp_path, bad):
    class Picky(Callback):
        def load_state_dict(self, state):
            if bad == "callback" and state.get("is_saved"):
                raise KeyError("other")

        def state_dict(self):
            return {"is_saved": is_saving}

    is_saving = True
    callbacks = [EarlyStopping(monitor="train_loss"), Picky()]
    saved = Trainer(MLP((6, 3)), epochs=2, optimizer="adam", callbacks=callbacks)
    saved.fit((X, Y))
    state, is_saving = saved.state_dict(), False
    wrong = {"rng": torch.zeros(3, dtype=torch.uint8), "totals": {}, "engine": [1]}
    save_checkpoint(tmp_path / "c", state | {k: v for k, v in wrong.items() if k == bad})
    trainer = Trainer(MLP((6, 3)), epochs=2, optimizer="adam", callbacks=[EarlyStopping(monitor="train_loss"), Picky()])  # fmt: skip
    trainer.fit((X, Y))
    before = everything(trainer)
    with pytest.raises(GradatimError, match=r"^resume\(.*: the saved state must be that of such a run, got "):  # fmt: skip
        trainer.resume(tmp_path / "c")
    assert everything(trainer) == before
    assert trainer.fit((X, Y)) is not None


def test_other_kinds_of_files(tmp_path):
    from safetensors.torch import save_file

    save_file({"a": torch.zeros(1)}, tmp_path / "foreign")
    trainer = Trainer(MLP((6, 3)))
    with pytest.raises(GradatimError, match="is not a checkpoint of Gradatim"):
        trainer.resume(tmp_path / "foreign")
    with pytest.raises(GradatimError, match="no such checkpoint file"):
        trainer.resume(tmp_path / "absent")
    with pytest.raises(GradatimError, match="no such checkpoint file"):
        trainer.resume(tmp_path)


def test_another_model_optimizer_or_callbacks_are_refused(tmp_path):
    Trainer(MLP((6, 3)), epochs=1, callbacks=[Checkpoint(tmp_path / "a")]).fit((X, Y))
    with pytest.raises(GradatimError, match=r"weights must fit the model, got 0.weight \(3, 6\)"):
        Trainer(MLP((6, 4, 3)), callbacks=[Checkpoint("x")]).resume(tmp_path / "a")
    with pytest.raises(GradatimError, match="0 callbacks instead of 1"):
        Trainer(MLP((6, 3))).resume(tmp_path / "a")
    with pytest.raises(GradatimError, match=r"parameter groups \[1, 1\] instead of \[2\]"):
        Trainer(MLP((6, 3)), weight_decay=0.1, callbacks=[Checkpoint("x")]).resume(tmp_path / "a")


def test_a_file_is_never_seen_half_written(tmp_path):
    """While a run overwrites its checkpoint all the time, every read finds a whole one."""
    path = tmp_path / "checkpoint"
    script = tmp_path / "train.py"
    script.write_text(textwrap.dedent(SCRIPT).replace("every_steps=7", "every_steps=1"))
    child = subprocess.Popen([sys.executable, str(script), str(path), "start", "quiet"])
    reads = 0
    with child:
        while child.poll() is None:
            if path.exists():
                Trainer(
                    MLP((6, 12, 3), dropout=0.4), callbacks=[Callback(), Checkpoint(path)]
                ).resume(path)
                reads += 1
            else:
                time.sleep(0.01)
    assert child.returncode == 0
    assert reads > 3
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "checkpoint",
        "checkpoint.weights",
        "train.py",
    ]


def test_unwritable_folder(tmp_path):
    blocker = tmp_path / "file"
    blocker.write_text("")
    with pytest.raises(GradatimError, match="cannot be written"):
        Trainer(MLP((6, 3)), epochs=1, callbacks=[Checkpoint(blocker / "x")]).fit((X, Y))


@pytest.mark.parametrize("name", ["every_steps", "every_epochs"])
def test_bad_intervals(name):
    with pytest.raises(GradatimError, match=f"{name} must be at least 1 or None, got 0"):
        Checkpoint("x", **{name: 0})


def test_every_epochs(tmp_path):
    class Count(Callback):
        writes = 0

        def on_batch_end(self, trainer, loss):
            Count.writes += os.path.exists(tmp_path / "a")

    model = nn.Linear(6, 3)
    callbacks = [Count(), Checkpoint(tmp_path / "a", every_epochs=2)]
    Trainer(model, epochs=3, batch_size=300, callbacks=callbacks).fit((X, Y))
    assert Count.writes == 1


def test_files_of_the_version_before_are_read(tmp_path):
    """Which knew no state of objective, players or data, and no engine."""
    whole = run(tmp_path / "a")
    assert run(tmp_path / "b", 6) is None
    forget(tmp_path / "b")
    same(run(tmp_path / "b", resume=True), whole)


def forget(path):
    state = load_checkpoint(path)
    for name in ("objective", "optimizers", "stream", "engine"):
        del state[name]
    assert sorted(state) == [
        "callbacks", "epoch", "epoch_rng", "history", "model", "optimizer", "position", "rng", "scheduler",
        "steps", "stopped", "totals",
    ]  # fmt: skip
    save_checkpoint(path, state)


class Counting(Objective):
    """Whose loss depends on how often it was called."""

    calls = 0

    def __call__(self, model, batch):
        self.calls += model.training
        return nn.functional.cross_entropy(model(batch[0]) * (1 + 1 / (1 + self.calls)), batch[1])

    def state_dict(self):
        return {"calls": self.calls}

    def load_state_dict(self, state):
        self.calls = state["calls"]


def test_files_of_the_version_before_without_an_objectives_state_are_refused(tmp_path):
    assert run(tmp_path / "b", 6, objective=Counting()) is None
    forget(tmp_path / "b")
    with pytest.raises(GradatimError, match="must hold the state of the objective Counting, but was written by a version that did not keep it") as caught:  # fmt: skip
        run(tmp_path / "b", resume=True, objective=Counting())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("crash_at", [2, 6, 13])
def test_an_objective_keeps_its_state(tmp_path, crash_at):
    whole = run(tmp_path / "a", objective=Counting())
    assert run(tmp_path / "b", crash_at, objective=Counting()) is None
    same(run(tmp_path / "b", resume=True, objective=(again := Counting())), whole)
    assert again.calls == 20


class Walk:
    """Batches of rows that depend on how far it has gone, in all epochs together, as PyTorch's stateful loaders do."""

    def __init__(self):
        self.place, self.drawn = 0, torch.Generator().manual_seed(5)

    def __len__(self):
        return 5

    def __iter__(self):
        while True:
            rows = torch.randint(300, (60,), generator=self.drawn)
            self.place += 1
            yield X[rows], Y[rows]
            if self.place % 5 == 0:
                return

    def state_dict(self):
        return {"place": self.place, "drawn": self.drawn.get_state()}

    def load_state_dict(self, state):
        self.place = state["place"]
        self.drawn.set_state(state["drawn"])


@pytest.mark.parametrize("crash_at", [2, 6, 11, 13])
def test_a_stream_keeps_its_place(tmp_path, crash_at):
    whole = run(tmp_path / "a", data=Walk())
    assert run(tmp_path / "b", crash_at, data=Walk()) is None
    same(run(tmp_path / "b", resume=True, data=(again := Walk())), whole)
    assert again.place == 20


def test_files_of_the_version_before_within_an_epoch_of_such_a_stream_are_refused(tmp_path):
    assert run(tmp_path / "b", 8, data=Walk()) is None
    forget(tmp_path / "b")
    with pytest.raises(GradatimError, match="does not hold their state"):
        run(tmp_path / "b", resume=True, data=Walk())
