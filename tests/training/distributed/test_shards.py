"""A run that is saved by some processes goes on with others, to the weights of the undisturbed run."""

import shutil
from pathlib import Path

import pytest
import torch
from tests.training.distributed.processes import in_group
from tests.training.distributed.test_law import Plain, rows

from gradatim.errors import InvalidValue, Unavailable
from gradatim.files import pack_tree
from gradatim.models import MLP
from gradatim.training import Callback, Checkpoint, Trainer, load_checkpoint, merge_checkpoint
from gradatim.training.checkpoint import written

STEPS = 17  # where the run is disturbed, in the middle of its fourth epoch


class Crash(Exception):
    pass


class CrashAt(Callback):
    def __init__(self, steps):
        self.steps = steps

    def on_batch_end(self, trainer, loss):
        if trainer.steps == self.steps:
            raise Crash("the machine went down")


def run(path, *, crash=None, resume=False, dropout=0.0, general=False, keep=2):
    torch.manual_seed(1)
    callbacks = [Checkpoint(path, keep=keep, every_steps=4), CrashAt(crash)]
    trainer = Trainer(
        MLP((6, 8, 3), dropout=dropout).double(), epochs=6, batch_size=10, progress=False, schedule="cosine",
        callbacks=[*callbacks, *([Plain()] if general else [])], metrics=["accuracy"],
    )  # fmt: skip
    if resume:
        trainer.resume(path)
    trainer.fit(rows(), validation=rows())
    records = [{k: v for k, v in r.items() if k != "seconds"} for r in trainer.history.records]
    return trainer.model.state_dict(), records


def start(path, processes, **options):
    """The results of a run; of one that crashes, nothing."""
    if processes == 1:
        try:
            return [run(path, **options)]
        except Crash:
            return []
    return in_group(lambda rank: run(path, **options), processes, check="crash" not in options)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return run(tmp_path_factory.mktemp("alone") / "run")


@pytest.mark.parametrize("general", [False, True])
@pytest.mark.parametrize(("before", "after"), [(4, 1), (2, 3), (1, 2), (3, 2)])
def test_other_processes_go_on(tmp_path, undisturbed, before, after, general):
    weights, records = undisturbed
    start(tmp_path / "run", before, crash=STEPS, general=general)
    steps = [int(path.name[5:13]) for path in written(tmp_path / "run")]
    assert steps
    assert steps[-1] in (12, 15, 16)  # of those written in the background the last may not be whole
    for state, found in start(tmp_path / "run", after, resume=True, general=general):
        assert len(found) == len(records)
        for one, other in zip(found, records, strict=True):
            assert one == pytest.approx(other, rel=1e-9)
        for name, value in weights.items():
            torch.testing.assert_close(state[name], value, rtol=1e-9, atol=1e-9)


def test_as_many_processes_go_on_bit_for_bit_with_dropout(tmp_path):
    calm = start(tmp_path / "calm", 2, dropout=0.4)
    start(tmp_path / "run", 2, crash=STEPS, dropout=0.4)
    again = start(tmp_path / "run", 2, resume=True, dropout=0.4)
    for (state, records), (true_state, true_records) in zip(again, calm, strict=True):
        assert records == true_records
        assert all(torch.equal(value, true_state[name]) for name, value in state.items())


def test_one_file_is_written_by_the_first_for_all(tmp_path, undisturbed):
    path = tmp_path / "run.safetensors"
    start(path, 2, crash=STEPS, keep=None)
    assert path.is_file()
    for state, _ in start(path, 1, resume=True, keep=None):
        for name, value in undisturbed[0].items():
            torch.testing.assert_close(state[name], value, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("processes", [1, 2])
def test_the_last_are_kept_and_one_file_is_made_of_shards(tmp_path, processes):
    start(tmp_path / "run", processes)
    assert [int(path.name[5:13]) for path in written(tmp_path / "run")] == [28, 30]
    assert {path.name for path in (tmp_path / "run").iterdir()} == {p.name for p in written(tmp_path / "run")}  # fmt: skip
    merged = merge_checkpoint(tmp_path / "run", tmp_path / "run.safetensors")
    whole, again = {}, {}
    assert pack_tree(load_checkpoint(tmp_path / "run"), whole) == pack_tree(load_checkpoint(merged), again)  # fmt: skip
    assert whole.keys() == again.keys()
    assert all(torch.equal(value, again[name]) for name, value in whole.items())


def test_damaged_and_foreign_folders_are_refused(tmp_path):
    start(tmp_path / "run", 2)
    place = written(tmp_path / "run")[-1]
    shard = next(place.glob("shard-*"))
    content = bytearray(shard.read_bytes())
    content[-3] ^= 1
    shard.write_bytes(bytes(content))
    with pytest.raises(InvalidValue, match="is damaged: the checksum of shard-"):
        load_checkpoint(place)
    (tmp_path / "other").mkdir()
    with pytest.raises(Unavailable, match="no such checkpoint"):
        load_checkpoint(tmp_path / "other")
    (tmp_path / "other" / ".metadata").write_bytes(b"pickled")
    with pytest.raises(InvalidValue, match="which is read by pickle"):
        load_checkpoint(tmp_path / "other")


def full(*arguments, **named):
    raise OSError(28, "No space left on device")


def test_a_disk_that_is_full_for_one_process(tmp_path):
    """The older checkpoint stays whole, and the process is named."""

    def fail(rank):
        class Fill(Callback):
            def on_batch_end(self, trainer, loss):
                if trainer.steps == 6 and rank == 1:
                    import safetensors.torch

                    checkpoint._writer.wait()  # the one of step 4 is whole on any machine
                    safetensors.torch.save = full

        torch.manual_seed(1)
        checkpoint = Checkpoint(tmp_path / "run", keep=2, every_steps=4, every_epochs=None)
        callbacks = [checkpoint, Fill()]
        trainer = Trainer(MLP((6, 8, 3)).double(), epochs=6, batch_size=10, progress=False, callbacks=callbacks)  # fmt: skip
        trainer.fit(rows())

    errors = in_group(fail, 2, check=False)
    assert all("rank 1" in str(e) and "No space left" in str(e) for e in errors), list(map(str, errors))  # fmt: skip
    assert [path.name for path in written(Path(tmp_path / "run"))] == ["step-00000004"]
    load_checkpoint(tmp_path / "run")


def test_half_a_folder_is_none(tmp_path):
    start(tmp_path / "run", 2)
    first, last = written(tmp_path / "run")
    (last / "state.json").unlink()
    assert written(tmp_path / "run") == [first]
    shutil.rmtree(first)
    assert written(tmp_path / "run") == []
