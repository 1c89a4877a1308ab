"""``gradatim merge``: one file of shards."""

import pytest
import torch
from tests.training.distributed.processes import in_group

from gradatim.models import MLP
from gradatim.training import Checkpoint, Trainer, load_checkpoint


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    path = tmp_path_factory.mktemp("merge") / "run"

    def train(rank):
        torch.manual_seed(1)
        trainer = Trainer(MLP((3, 4, 2)), parallel="fsdp", epochs=2, progress=False, callbacks=[Checkpoint(path, keep=2)])  # fmt: skip
        trainer.fit((torch.ones(8, 3), torch.arange(8) % 2))
        return trainer.model.state_dict()

    return path, in_group(train, 2)[0]


def test_one_file_holds_the_weights_of_shards(call, run, tmp_path):
    path, weights = run
    code, out, err = call("merge", str(path), "-o", str(tmp_path / "run.safetensors"))
    assert (code, out.strip(), err) == (0, f"{tmp_path / 'run.safetensors'}", "")
    merged = load_checkpoint(tmp_path / "run.safetensors")
    assert merged["steps"] == 2
    for name, value in weights.items():
        assert torch.equal(merged["model"][name], value)


def test_what_cannot_be_merged_costs_nothing(call, run, tmp_path):
    path, _ = run
    code, _, err = call("merge", str(tmp_path), "-o", str(tmp_path / "out.safetensors"))
    assert code in (1, 2)
    assert "no such checkpoint file or folder" in err
    (tmp_path / "mine.txt").write_text("mine")
    code, _, err = call("merge", str(path), "-o", str(tmp_path / "mine.txt"))
    assert code == 2
    assert (tmp_path / "mine.txt").read_text() == "mine"
    code, _, err = call("merge", str(path))
    assert (code, "--output" in err) == (2, True)
