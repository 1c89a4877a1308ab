"""A script that knows nothing of processes, under ``torchrun``."""

import json
import subprocess
import sys

SCRIPT = """
import json, sys
import torch
from gradatim.models import MLP
from gradatim.training import Checkpoint, Trainer

torch.manual_seed(1)
X = torch.randn(43, 6, dtype=torch.float64)
y = X[:, :3].argmax(1)
trainer = Trainer(MLP((6, 8, 3)).double(), epochs=3, batch_size=10, progress=False, callbacks=[Checkpoint("run", keep=1)])
print("training")
history = trainer.fit((X, y), (X, y))
if trainer.rank == 0:
    weights = [p.detach().flatten().tolist() for p in trainer.model.parameters()]
    json.dump([weights, history["validation_loss"], trainer.world_size], open(sys.argv[1], "w"))
"""


def test_an_unchanged_script_gives_the_same_model(tmp_path):
    (tmp_path / "train.py").write_text(SCRIPT)
    launcher = "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"
    found = []
    for start, answer in (((), "one.json"), (launcher, "two.json")):
        command = [sys.executable, *start, "train.py", answer]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)  # fmt: skip
        assert done.returncode == 0, done.stderr
        found.append(json.loads((tmp_path / answer).read_text()))
    (weights, losses, one), (same, again, two) = found
    assert (one, two) == (1, 2)
    for a, b in zip((*weights, losses), (*same, again), strict=True):
        assert all(abs(x - z) <= 1e-9 * max(abs(x), 1) for x, z in zip(a, b, strict=True))
    (written,) = (tmp_path / "run").glob("step-*15")
    assert written.is_dir()
