"""A fit killed at random moments resumes to the model of an undisturbed run."""

import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
import torch
from PIL import Image

import gradatim
from gradatim.models import ResNet
from gradatim.models.published_images import resnet_names

SCRIPT = """
import sys
from dataclasses import replace
from gradatim import fit
from gradatim.fitting.tables import networks, player

draw = networks.draw_settings
player.draw_settings = lambda *a: replace(draw(*a), steps=100)
fit("t.csv", "y", output=sys.argv[1], trials=3, resume=True)
"""


TAGS = """
import sys
from gradatim import fit
from gradatim.fitting.tags import networks

networks.passes = lambda *a: 2
fit("grammar", rows=200, output=sys.argv[1], trials=3, resume=True)
"""


SEQUENCES = """
import sys
from gradatim import fit
from gradatim.fitting.sequences import player

player.UNTIMED_EPOCHS = 3
fit("waves", rows=60, output=sys.argv[1], trials=4, resume=True)
"""


GRAPHS = """
import sys
from gradatim import fit
from gradatim.fitting.graphs import player

player.UNTIMED_EPOCHS = 4
fit("rings", rows=80, output=sys.argv[1], trials=4, resume=True)
"""


ANOMALIES = """
import sys
from gradatim import fit
from gradatim.fitting.anomalies import networks

networks.STEPS = 100
fit("machine-signal", anomaly=True, time_column="time", rows=1000, output=sys.argv[1], trials=3, resume=True)
"""


MASKS = """
import sys
from gradatim import fit
from gradatim.fitting.masks import networks

networks.UNTIMED_STEPS = 20
fit("scattered-digits", rows=40, side=32, output=sys.argv[1], trials=3, resume=True)
"""


NODES = """
import sys
from gradatim import fit
from gradatim.fitting.nodes import player

player.UNTIMED_EPOCHS = 20
fit("g", "label", output=sys.argv[1], trials=4, resume=True)
"""


LINKS = """
import sys
from gradatim import fit
from gradatim.fitting.links import player

player.UNTIMED_EPOCHS = 20
fit("g", links=True, output=sys.argv[1], trials=4, resume=True)
"""


ROWS = """
import sys
from dataclasses import asdict
from gradatim import fit
from gradatim.fitting.generative import course
from gradatim.fitting.rounds import Plan, Size

course._plan = lambda medium, maker, seed, seconds: asdict(Plan(Size(64, 2, 1), 1, 64, steps=40, rounds=5, seed=seed))
fit("iris", generative=True, output=sys.argv[1], budget=3600, resume=True)
"""


PICTURES = """
import sys
from dataclasses import asdict
from gradatim import fit
from gradatim.fitting.generative import course
from gradatim.fitting.generative.images import judging
from gradatim.fitting.rounds import Plan, Size

judging.STEPS = 60, 60
course._plan = lambda medium, maker, seed, seconds: asdict(Plan(Size(16, 1, 1), 1, 32, steps=20, rounds=5, seed=seed))
fit("digits", generative=True, model=sys.argv[2], rows=400, output=sys.argv[1], budget=3600, resume=True)
"""


IMAGES = """
import sys
from gradatim import fit
from gradatim.fitting.images import family

family.UNTIMED_TUNED, family.PART = 1, 10
fit(
    "pics", labels="labels.csv", group="prefix", pretrained="resnet18.pth", side=32, tta=True, output=sys.argv[1], trials=3,
    resume=True,
)
"""


def start(folder, name, script=SCRIPT, *more):
    words = [sys.executable, "-c", script, name, *more]
    return subprocess.Popen(words, cwd=folder, stderr=subprocess.DEVNULL)


@pytest.mark.parametrize("seed", range(5))
def test_killed_at_a_random_moment(tmp_path, seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.normal(size=80), "b": rng.normal(size=80)})
    frame["y"] = frame["a"] ** 2 + 0.1 * rng.normal(size=80)
    frame.to_csv(tmp_path / "t.csv", index=False)
    interrupt(tmp_path, seed, SCRIPT)


def test_a_tagger_killed_at_a_random_moment(tmp_path):
    interrupt(tmp_path, 0, TAGS)


def test_series_with_labels_killed_at_a_random_moment(tmp_path):
    interrupt(tmp_path, 0, SEQUENCES)


def test_graphs_killed_at_a_random_moment(tmp_path):
    interrupt(tmp_path, 0, GRAPHS)


def test_a_search_for_anomalies_killed_at_a_random_moment(tmp_path):
    interrupt(tmp_path, 0, ANOMALIES)


def test_a_generator_of_rows_killed_at_a_random_moment(tmp_path):
    interrupt(tmp_path, 0, ROWS)
    rows, others = (
        gradatim.sample(tmp_path / name, 50, which="network") for name in ("m", "whole")
    )
    assert rows.equals(others)


@pytest.mark.parametrize("kind", ["diffusion", "vae", "gan"])
def test_a_generator_of_images_killed_at_a_random_moment(tmp_path, kind):
    interrupt(tmp_path, 0, PICTURES, kind)
    images, others = (
        gradatim.sample(tmp_path / name, 20, which="network").images for name in ("m", "whole")
    )
    assert np.array_equal(images, others)


def test_masks_killed_at_a_random_moment(tmp_path):
    interrupt(tmp_path, 0, MASKS)


@pytest.mark.parametrize("script", [NODES, LINKS], ids=["nodes", "links"])
def test_a_graph_killed_at_a_random_moment(tmp_path, script):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"id": np.arange(90), "x": rng.normal(size=90), "label": np.arange(90) % 3}
    )
    ends = rng.integers(0, 30, size=(2, 200)) * 3 + rng.integers(0, 3, size=200)
    (tmp_path / "g").mkdir()
    frame.astype({"label": "str"}).assign(label="c" + frame["label"].astype(str)).to_csv(tmp_path / "g" / "nodes.csv", index=False)  # fmt: skip
    pd.DataFrame(ends.T, columns=["source", "target"]).to_csv(tmp_path / "g" / "edges.csv", index=False)  # fmt: skip
    interrupt(tmp_path, 0, script)


def test_images_with_published_weights_killed_at_a_random_moment(tmp_path):
    torch.manual_seed(0)
    network = ResNet(18, 4)
    names = resnet_names(network)
    state = {f"{names[key.rpartition('.')[0]]}.{key.rpartition('.')[2]}": value for key, value in network.state_dict().items()}  # fmt: skip
    torch.save(state, tmp_path / "resnet18.pth")
    rng, lines = np.random.default_rng(0), ["file,kind"]
    (tmp_path / "pics").mkdir()
    for k in range(40):
        pixels = rng.integers(0, 120, (32, 32, 3), dtype=np.uint8)
        pixels[8:24, 8:24, k % 2] += 120
        Image.fromarray(pixels).save(tmp_path / "pics" / f"{k // 4}_{k}.png")
        lines.append(f"{k // 4}_{k}.png,{'ab'[k % 2]}")
    (tmp_path / "labels.csv").write_text("\n".join(lines))
    interrupt(tmp_path, 0, IMAGES)


def interrupt(tmp_path, seed, script, *more):
    """Kill a run three times, let it end, and compare its model with that of a run in peace."""
    started = time.monotonic()
    assert start(tmp_path, "whole", script, *more).wait() == 0
    seconds = time.monotonic() - started
    moments = random.Random(seed)
    for _ in range(3):
        process = start(tmp_path, "m", script, *more)
        time.sleep(seconds * moments.uniform(0.3, 1.0))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert (tmp_path / "m").exists() == (tmp_path / "m" / "model.json").is_file()
    assert start(tmp_path, "m", script, *more).wait() == 0
    found, whole = ((tmp_path / n / "model.safetensors").read_bytes() for n in ("m", "whole"))
    assert found == whole
    assert not (tmp_path / ".m.work").exists()
