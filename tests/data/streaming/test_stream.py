"""Rows of files larger than memory: an order that seed and epoch alone decide, and a place of two numbers."""

import json

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from gradatim.data import stream
from gradatim.data.streaming.files import AllRows
from gradatim.data.streaming.order import PIECES, windows
from gradatim.errors import GradatimError
from gradatim.training import Callback, Checkpoint, Trainer

ROWS = 5_003


def table(rows=ROWS):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"a": rng.normal(size=rows), "row": np.arange(rows), "y": rng.integers(0, 3, rows)}
    )


def write(folder, kind, parts=1, rows=ROWS):
    frame, ends = table(rows), np.linspace(0, rows, parts + 1).astype(int)
    for k in range(parts):
        part, path = frame.iloc[ends[k] : ends[k + 1]], folder / f"{k}.{kind}"
        if kind == "parquet":
            part.to_parquet(path, index=False, row_group_size=700)
        elif kind == "csv":
            part.to_csv(path, index=False)
        else:
            path.write_text("".join(json.dumps(r) + "\n" for r in part.to_dict("records")))
    return f"{folder}/*.{kind}"


def numbers(batches):
    return torch.cat([X[:, 1] for X, _ in batches]).long().tolist()


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl"])
def test_the_order_depends_on_seed_and_epoch_alone(tmp_path, kind):
    seen = []
    for parts in (1, 3, 7):
        folder = tmp_path / str(parts)
        folder.mkdir()
        for threads in (1, 4):
            batches = stream(
                write(folder, kind, parts), "y", window=800, batch_size=64, threads=threads
            )
            seen.append((numbers(batches), numbers(batches)))
    assert all(each == seen[0] for each in seen)
    first, second = seen[0]
    assert sorted(first) == sorted(second) == list(range(ROWS))
    assert first != second
    other = stream(write(folder, kind, 7), "y", window=800, batch_size=64, seed=1)
    assert numbers(other) not in (first, second)


def test_every_cell_is_what_the_file_says(tmp_path):
    frame = table()
    for kind in ("parquet", "csv", "jsonl"):
        for X, y in stream(write(tmp_path, kind), "y", window=800, batch_size=64):
            rows = frame.iloc[X[:, 1].long().numpy()]
            assert np.allclose(X[:, 0].numpy(), rows["a"], rtol=1e-6)
            assert y.tolist() == rows["y"].tolist()
            assert (X.dtype, y.dtype) == (torch.float32, torch.int64)


@given(
    rows=st.integers(1, 5000),
    window=st.integers(1, 700),
    seed=st.integers(0, 9),
    epoch=st.integers(0, 3),
)
@settings(max_examples=40, deadline=None)
def test_windows_hold_every_row_once(rows, window, seed, epoch):
    found = windows(rows, window, seed, epoch)
    taken = [row for each in found for piece in each.pieces for row in range(*piece)]
    assert sorted(taken) == list(range(rows))
    assert [w.start for w in found] == np.cumsum([0, *[w.rows for w in found[:-1]]]).tolist()
    assert all(w.rows <= max(window, PIECES) for w in found)


def test_windows_mix_places_of_the_files(tmp_path):
    """Rows of the first window are from everywhere: of eight pieces of 5,003 rows the mean place is near the middle."""
    batches = iter(stream(write(tmp_path, "parquet"), "y", window=800, batch_size=800))
    places = next(batches)[0][:, 1]
    assert places.std() > 0.5 * ROWS / 12**0.5
    steps = places.diff().abs()
    assert (steps == 1).float().mean() < 0.05  # neighbours are torn apart


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("taken", [0, 1, 12, 13, 40, 78])
def test_a_place_is_taken_up_at_the_very_row_without_reading_what_came_before(
    tmp_path, kind, taken, monkeypatch
):
    pattern = write(tmp_path, kind, 2)
    options = {"window": 800, "batch_size": 64}
    first = stream(pattern, "y", **options)
    first.set_epoch(3)
    batches = iter(first)
    before = [next(batches) for _ in range(taken)]
    place = json.loads(json.dumps(first.state_dict()))
    assert place == {"epoch": 3, "row": taken * 64}
    rest = numbers(batches)
    read, usual = [], AllRows.read
    monkeypatch.setattr(
        AllRows, "read", lambda self, *piece: read.append(piece) or usual(self, *piece)
    )
    again = stream(pattern, "y", **options)
    again.load_state_dict(place)
    again.set_epoch(3)
    assert numbers(again) == rest
    assert len(rest) == ROWS - 64 * len(before)
    left = [w.rows for w in windows(ROWS, 800, 0, 3) if w.start + w.rows > taken * 64]
    assert sum(stop - start for start, stop in read) == sum(left)


def test_a_killed_run_goes_on_at_the_very_row(tmp_path):
    pattern, path = write(tmp_path, "parquet", rows=900), tmp_path / "run.safetensors"

    class Crash(Callback):
        def on_batch_end(self, trainer, loss):
            if trainer.steps == self.steps:
                raise KeyboardInterrupt

    def run(steps=None, resume=False):
        torch.manual_seed(0)
        crash = Crash()
        crash.steps = steps
        data = stream(pattern, "y", window=200, batch_size=50)
        model = nn.Sequential(nn.BatchNorm1d(2), nn.Linear(2, 3))
        trainer = Trainer(
            model, epochs=3, progress=False, callbacks=[Checkpoint(path, every_steps=5), crash]
        )
        if resume:
            trainer.resume(path)
        trainer.fit(data)
        return model.state_dict()

    calm = run()
    with pytest.raises(KeyboardInterrupt):
        run(steps=28)
    for name, value in run(resume=True).items():
        assert torch.equal(value, calm[name])


def test_texts_are_encoded_by_a_function_of_the_user(tmp_path):
    lines = [f"line {k} — ü" for k in range(2500)]
    (tmp_path / "a.txt").write_text("\n".join(lines[:1700]) + "\n\n", encoding="utf-8")
    (tmp_path / "b.txt").write_bytes("\r\n".join(lines[1700:]).encode())
    batches = stream(
        f"{tmp_path}/*.txt", encode=lambda rows: rows["text"].tolist(), window=300, batch_size=70
    )
    found = [line for batch in batches for line in batch]
    assert found != lines
    assert sorted(found) == sorted(lines)
    still = stream(f"{tmp_path}/*.txt", encode=lambda rows: rows["text"].tolist(), seed=None)
    assert [line for batch in still for line in batch] == lines


def test_quoted_line_ends_do_not_end_rows(tmp_path):
    frame = pd.DataFrame({"t": [f'say "{k}"\nand go' for k in range(3000)], "y": range(3000)})
    frame.to_csv(tmp_path / "a.csv", index=False)
    batches = stream(
        tmp_path / "a.csv",
        encode=lambda rows: list(zip(rows["t"], rows["y"], strict=True)),
        window=400,
    )
    found = sorted((pair for batch in batches for pair in batch), key=lambda pair: pair[1])
    assert found == list(zip(frame["t"], frame["y"], strict=True))


@pytest.mark.parametrize(
    ("files", "words", "sentence"),
    [
        ({}, {}, r"stream: .*\*.csv must name files, and there are none. Check the path; quote a pattern."),
        ({"a.csv": "x,y\n1,2\n", "b.csv": "x,z\n1,2\n"}, {}, "b.csv: must have the columns of .*a.csv, in their order, but y, z differs"),
        ({"a.csv": "x,y\nno,2\n"}, {}, "stream: column 'x' must hold numbers, got 'no'. Give encode=, a function"),
        ({"a.csv": "x,y\n1,2\n"}, {"target": "z"}, "stream: target must be one of"),
        ({"a.csv": "x,y\n1,2\n"}, {"window": 0}, "stream: window must be"),
        ({"a.csv": "x,y\n"}, {}, "a.csv: must have rows, got none"),
        ({"a.csv": ""}, {}, "a.csv: must be a table with a header and rows, but it is empty"),
    ],
)  # fmt: skip
def test_bad_input_gets_one_sentence(tmp_path, files, words, sentence):
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    with pytest.raises(GradatimError, match=sentence):
        list(stream(f"{tmp_path}/*.csv", **words))


def test_kinds_of_files_that_are_none_of_ours(tmp_path):
    for name, sentence in (
        ("a.xlsx", "must be a file of .parquet"),
        ("a.csv.gz", "Unpack what is compressed"),
        ("a.parquet", "is damaged or not a Parquet file"),
    ):
        (tmp_path / name).write_bytes(b"PK\3\4")
        with pytest.raises(GradatimError, match=sentence):
            stream(tmp_path / name)
    pd.DataFrame({"x": [1.0] * 3000}).to_csv(tmp_path / "b.csv", index=False)
    batches = stream(tmp_path / "b.csv", window=1000)
    (tmp_path / "b.csv").write_text("x\n1\n")
    with pytest.raises(GradatimError, match="files must stay as they are"):
        list(batches)
