"""Series wherever they lie: the same series come out."""

import numpy as np
import pandas as pd
import pytest

from gradatim.errors import InvalidType, InvalidValue, Unavailable
from gradatim.fitting.kinds import find_kind
from gradatim.fitting.sequences.kind import SequenceOptions, holds_files, is_bare
from gradatim.fitting.sequences.problem import prepare
from gradatim.fitting.sequences.raw import Layout
from gradatim.fitting.sequences.reading import read_new, read_source

RNG = np.random.default_rng(0)
SERIES = [RNG.normal(size=(int(t), 2)).round(3) for t in RNG.integers(3, 9, 24)]
LABELS = [("up", "down")[k % 2] for k in range(24)]


def table(**more):
    parts = [pd.DataFrame(x, columns=["a", "b"]).assign(id=f"s{k}", label=LABELS[k], t=np.arange(len(x)) * 0.5) for k, x in enumerate(SERIES)]  # fmt: skip
    return pd.concat(parts, ignore_index=True).assign(**more)


def written(place):
    """The same series in every kind of file."""
    table().to_csv(place / "long.csv", index=False)
    for k, x in enumerate(SERIES):
        own = place / "folder" / LABELS[k] / f"s{k:02}.csv"
        own.parent.mkdir(parents=True, exist_ok=True)
        pd.DataFrame(x, columns=["a", "b"]).to_csv(own, index=False)
    lines = [":".join(",".join(map(str, c)) for c in x.T) + f":{LABELS[k]}" for k, x in enumerate(SERIES)]  # fmt: skip
    (place / "x.ts").write_text("@classLabel true up down\n@data\n" + "\n".join(lines) + "\n")
    np.savez(place / "x.npz", X=np.concatenate(SERIES), lengths=[len(x) for x in SERIES], y=LABELS)
    return {
        "long.csv": SequenceOptions(series="id", target="label", time_column="t"),
        "folder": SequenceOptions(), "x.ts": SequenceOptions(), "x.npz": SequenceOptions(),
    }  # fmt: skip


def test_every_source_gives_the_same_series(tmp_path):
    for name, job in written(tmp_path).items():
        raw = read_source(tmp_path / name, job)
        order = np.argsort([int(n[-6:-4]) for n in raw.names]) if name == "folder" else np.arange(24)  # fmt: skip
        raw = raw.take(order)
        assert raw.target.tolist() == LABELS, name
        np.testing.assert_allclose(raw.steps.astype(float), np.concatenate(SERIES), err_msg=name)
        assert raw.lengths.tolist() == [len(x) for x in SERIES]
        assert find_kind(tmp_path / name, {"series": job.series}).name == "sequence"
        again = read_new(tmp_path / name, Layout(job.series, job.time_column), ["a", "b"], [])
        assert again.lengths.sum() == raw.lengths.sum()
    memory = read_source((SERIES, LABELS), SequenceOptions())
    frames = read_source(([pd.DataFrame(x) for x in SERIES], np.array(LABELS)), SequenceOptions())
    for raw in (memory, frames):
        np.testing.assert_allclose(raw.steps.astype(float), np.concatenate(SERIES))


def test_one_line_of_values_per_series(tmp_path):
    rows = [[k % 2 + 1, *RNG.normal(size=5).round(3), *[np.nan] * (k % 3)] for k in range(20)]
    text = "\n".join("\t".join(str(v) for v in r + [np.nan] * (8 - len(r))) for r in rows)
    (tmp_path / "x.tsv").write_text(text + "\n")
    assert is_bare(tmp_path / "x.tsv")
    assert find_kind(tmp_path / "x.tsv", {}).name == "sequence"
    assert find_kind(tmp_path / "x.tsv", {"target": "a"}).name == "table"
    raw = read_source(tmp_path / "x.tsv", SequenceOptions())
    assert raw.lengths.tolist() == [5] * 20
    assert raw.target.tolist()[:2] == ["1", "2"]


def test_rows_in_any_order_are_the_same_problem():
    job = SequenceOptions(series="id", target="label", time_column="t")
    ordered, mixed = (prepare(f, job) for f in (table(), table().sample(frac=1, random_state=1)))
    places = {n: k for k, n in enumerate(mixed.names)}
    for k, name in enumerate(ordered.names):
        own = [_cut(p, j) for p, j in ((ordered, k), (mixed, places[name]))]
        np.testing.assert_array_equal(*own)
    assert any("in the order of 't'" in note for note in mixed.notes)


def test_times_of_a_file_are_those_of_a_table(tmp_path):
    rng = np.random.default_rng(1)
    rows = table()[rng.random(len(table())) > 0.15].sample(frac=1, random_state=0)
    job = SequenceOptions(series="id", target="label", time_column="t")
    groups = dict(list(rows.groupby("id", sort=False)))
    lines = [":".join(",".join(f"({t},{v})" for t, v in zip(own["t"], own[c], strict=True)) for c in "ab") + f":{own['label'].iloc[0]}" for own in groups.values()]  # fmt: skip
    (tmp_path / "x.ts").write_text("@timeStamps true\n@classLabel true up down\n@data\n" + "\n".join(lines) + "\n")  # fmt: skip
    timed, usual = prepare(tmp_path / "x.ts", SequenceOptions()), prepare(rows, job)
    assert timed.lengths.tolist() == usual.lengths.tolist()
    assert timed.axis == usual.axis
    for mine, other in (("x1", "a"), ("x2", "b")):
        np.testing.assert_array_equal(timed.table[mine], usual.table[other])
    assert timed.layout == Layout(None, "time")
    assert any("are missing between others and are filled in" in note for note in timed.notes)


def _cut(problem, k):
    start = problem.lengths[:k].sum()
    return problem.table["a"][start : start + problem.lengths[k]]


def test_labels_beside_the_steps(tmp_path):
    names = [f"s{k}" for k in range(24)]
    labels = pd.DataFrame({"id": names, "label": LABELS, "who": [f"p{k % 6}" for k in range(24)]})
    labels.sample(frac=1, random_state=0).to_csv(tmp_path / "l.csv", index=False)
    job = SequenceOptions(series="id", target="label", labels=str(tmp_path / "l.csv"), group="who")
    steps = table().drop(columns="label")
    problem = prepare(steps, job)
    assert [problem.labels[c] for c in problem.y] == LABELS
    assert len(np.unique(problem.groups)) == 6
    more = pd.concat([labels, pd.DataFrame({"id": ["ghost"], "label": ["up"], "who": ["p1"]})])
    more.iloc[3:].to_csv(tmp_path / "l.csv", index=False)
    problem = prepare(steps, job)
    assert len(problem.y) == 21
    assert any("1 series that are not there" in note for note in problem.notes)
    for edit, message in (
        (labels.assign(id="nobody"), "must have one row for each series"),
        (labels.assign(id=[f"x{k}" for k in range(24)]), "must name the series in 'id', got 'x0'"),
    ):
        edit.to_csv(tmp_path / "l.csv", index=False)
        with pytest.raises(InvalidValue, match=message):
            prepare(steps, job)
    (tmp_path / "l.csv").unlink()
    with pytest.raises(Unavailable, match="there is no such file"):
        prepare(steps, job)


def test_groups_and_series_are_never_torn():
    person = table()["id"].str[1:].astype(int) % 6
    job = SequenceOptions(series="id", target="label", time_column="t", group="person")
    p = prepare(table(person=person), job)
    assert not set(p.groups[p.train]) & set(p.groups[p.test])
    for learn, judge in p.fold_rows(5, 0):
        assert not set(p.groups[learn]) & set(p.groups[judge])
    assert "person" not in [c.name for c in p.columns]


def test_channels_of_every_type():
    frame = table(
        place=np.where(table()["a"] > 0, "in", "out"), age=table()["id"].str[1:].astype(int),
        step=table().groupby("id").cumcount(), empty=None,
    ).drop(columns="t")  # fmt: skip
    p = prepare(frame, SequenceOptions(series="id", target="label"))
    assert [(c.name, c.kind) for c in p.columns] == [("a", "numeric"), ("b", "numeric"), ("place", "categorical"), ("age", "numeric")]  # fmt: skip
    assert p.num_static == 1
    told = " ".join(p.notes)
    for words in ("'step' is left out: it counts the steps", "'empty' is left out", "'age' never changes"):  # fmt: skip
        assert words in told


def test_long_series_are_averaged():
    long = [np.sin(np.arange(3000.0 + k)) for k in range(20)]
    p = prepare((long, [k % 2 for k in range(20)]), SequenceOptions())
    assert p.block == 2
    assert any("the mean of every 2 neighbours" in note for note in p.notes)


@pytest.mark.parametrize(
    ("data", "kind", "message"),
    [
        (([np.zeros((3, 2)), np.zeros((4, 3))] * 9, [0, 1] * 9), InvalidValue, "same channels, got 2 and 3"),
        (([np.zeros((3, 2)), np.zeros((0, 2))] * 9, [0, 1] * 9), InvalidValue, r"a step or more, got \(0, 2\) in number 1"),
        (([np.zeros((3, 2)), np.zeros((4, 2))] * 9, [0, 1]), InvalidValue, "18 series and 2 targets"),
        (([np.array(["a"]), np.array(["b", "c"])] * 9, [0, 1] * 9), InvalidType, "arrays of numbers"),
        ((np.zeros((3, 2, 2, 2)), [0, 1, 1]), InvalidValue, r"\(N, T\) or \(N, T, C\)"),
        ((7, [1]), InvalidType, "list of arrays or an array, got a int"),
        (([np.zeros(3)], [1], 2), InvalidType, "a pair of series and targets, got 3"),
        ([np.zeros(3)], InvalidType, "as a pair, got a list alone"),
    ],
)  # fmt: skip
def test_memory_that_holds_no_series_is_refused(data, kind, message):
    with pytest.raises(kind, match=message):
        prepare(data, SequenceOptions())


def test_folders_of_images_and_of_tables_are_told_apart(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "1.csv").write_text("x\n1\n")
    assert holds_files(tmp_path)
    (tmp_path / "a" / "1.png").write_bytes(b"")
    assert not holds_files(tmp_path)
    assert not holds_files(tmp_path / "nothing")


def test_tables_without_a_header_are_steps_from_the_first_line(tmp_path):
    for k, x in enumerate(SERIES):
        (tmp_path / LABELS[k]).mkdir(exist_ok=True)
        x[0, 1] = x[0, 0]  # twice the same cell in the first line
        np.savetxt(tmp_path / LABELS[k] / f"{k:02}.csv", x, delimiter=",", fmt="%.3f")
    raw = read_source(tmp_path, SequenceOptions())
    assert list(raw.steps.columns) == ["x1", "x2"]
    assert int(raw.lengths.sum()) == sum(map(len, SERIES))
    assert any("no header" in note for note in raw.notes)
