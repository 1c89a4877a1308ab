"""Readers of labelled series: what they read, and what they refuse in a sentence."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.data.series_files import decode_series, read_ts, read_ucr
from gradatim.errors import InvalidValue

VALUES = st.floats(-1e6, 1e6) | st.just(float("nan"))


def written(value):
    return "?" if np.isnan(value) else repr(float(value))


@settings(max_examples=30, deadline=None)
@given(
    st.integers(1, 3).flatmap(
        lambda width: st.lists(
            st.lists(st.lists(VALUES, min_size=width, max_size=width), min_size=1, max_size=6),
            min_size=1,
            max_size=4,
        )
    )
)
def test_ts_gives_back_what_was_written(samples):
    """Ragged series of one width, gaps included."""
    samples = [np.array(sample) for sample in samples]
    samples = [np.where(np.isnan(s).all(), 0.0, s) for s in samples]
    lines = [
        ":".join(",".join(map(written, channel)) for channel in sample.T) + f":class{n % 2}"
        for n, sample in enumerate(samples)
    ]
    text = "# a comment\n@classLabel true class0 class1\n@data\n" + "\n".join(lines) + "\n"
    series, labels, _ = read_ts(text, "x.ts")
    assert labels == [f"class{n % 2}" for n in range(len(samples))]
    for found, sample in zip(series, samples, strict=True):
        np.testing.assert_array_equal(found, sample)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(VALUES, min_size=1, max_size=6), min_size=1, max_size=4))
def test_ucr_gives_back_what_was_written(samples):
    """Missing values behind the last one are no steps."""
    samples = [[*sample, 1.5] for sample in samples]
    longest = max(map(len, samples))
    lines = [
        "\t".join(["2", *(repr(v) for v in s), *["NaN"] * (longest - len(s))]) for s in samples
    ]
    series, labels, _ = read_ucr("\n".join(lines), "x.tsv")
    assert labels == ["2"] * len(samples)
    for found, sample in zip(series, samples, strict=True):
        np.testing.assert_array_equal(found[:, 0], sample)


def test_heads_in_any_case_with_comments_and_numbers_as_targets():
    text = "%# note\n#more\n@problemname P\n@timestamps false\n@targetlabel true\n@data\n\n1,2:22.5\n3:-1e-3\n"
    series, labels, _ = read_ts(text, "x.ts")
    assert labels == ["22.5", "-1e-3"]
    assert series[0].tolist() == [[1], [2]]


def test_series_without_labels():
    series, labels, _ = read_ts("@classLabel false\n@data\n1,2:3,4\n", "x.ts")
    assert labels is None
    assert series[0].tolist() == [[1, 3], [2, 4]]


@pytest.mark.parametrize("write", [str, lambda k: f"2024-01-01 00:00:{k:02}"])
def test_times_of_channels_are_put_side_by_side(write):
    rng = np.random.default_rng(0)
    lines, expected = [], []
    for _ in range(5):
        own = [{int(k): float(rng.normal()) for k in rng.choice(9, rng.integers(1, 6), replace=False)} for _ in range(3)]  # fmt: skip
        lines.append(":".join(",".join(f"({write(k)},{v!r})" for k, v in c.items()) for c in own))
        expected.append({(k, place): v for place, c in enumerate(own) for k, v in c.items()})
    text = "@timeStamps true\n@classLabel true a\n@data\n" + "".join(f"{line}:a\n" for line in lines)  # fmt: skip
    series, labels, times = read_ts(text, "x.ts")
    assert labels == ["a"] * 5
    for found, steps, own in zip(series, times, expected, strict=True):
        assert sorted(steps) == sorted({write(k) for k, _ in own})
        there = {(t, c): v for t, row in zip(steps, found, strict=True) for c, v in enumerate(row.tolist()) if not np.isnan(v)}  # fmt: skip
        assert there == {(write(k), c): v for (k, c), v in own.items()}


def test_ucr_by_spaces_and_with_labels_as_floats():
    series, labels, _ = read_ucr("  1.0000000e+00  0.5  1.5\n -1.0 2 3\n", "x.txt")
    assert labels == ["1", "-1"]
    assert series[1].tolist() == [[2], [3]]


def ts(body, head="@classLabel true a b\n"):
    return f"{head}@data\n{body}\n"


EQUAL = "@univariate true\n@equalLength true\n@seriesLength 3\n@classLabel true a b\n"


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (read_ts, "1,2:a\n", "line 1 of f must come behind a line '@data', got it before"),
        (read_ts, "@data\n", "f must hold series behind a line '@data', got none"),
        (read_ts, "", "f must hold series behind a line '@data', got none"),
        (read_ts, ts("1,2,3"), "line 3 of f must hold values and a label between colons, got no colon"),
        (read_ts, ts("1,x:a"), "line 3 of f must hold numbers, and . where one is missing, got 'x'"),
        (read_ts, ts("1,inf:a"), "line 3 of f must hold finite numbers, got 'inf'"),
        (read_ts, ts("1,2:3:a"), "line 3 of f must have channels of one length, got 1 to 2 values. It may be cut short"),
        (read_ts, ts("1,2:3,4:a\n1,2:b"), "line 4 of f must have 2 channels, got 1. It may be cut short"),
        (read_ts, ts("1,2:3,4:a", "@dimensions 3\n"), "line 3 of f must have 3 channels, got 2"),
        (read_ts, ts("1,2,3:4,5,6:a", EQUAL), "line 6 of f must have 1 channel, got 2"),
        (read_ts, ts("1,2:a", EQUAL), "line 6 of f must have 3 steps, as '@seriesLength' says, got 2"),
        (read_ts, ts("1,2:c"), "line 3 of f must end with a class that '@classLabel' lists, got 'c'"),
        (read_ts, ts("1,2:", "@classLabel true\n"), "line 3 of f must end with a label, got none"),
        (read_ts, ts("1,2:tall", "@targetLabel true\n"), "line 3 of f must hold numbers, .* got 'tall'"),
        (read_ts, ts("?,?:a"), "line 3 of f must hold values, got none"),
        (read_ts, ts("(0,1),(1,x):a"), "line 3 of f must hold numbers, .* got 'x'"),
        (read_ts, ts("(0,1),(1 2):a"), r"line 3 of f must hold pairs such as .*, got '\(1 2\)'"),
        (read_ts, ts("1,2:a", "@timeStamps true\n"), "line 3 of f must hold pairs such as .*, got '12'"),
        (read_ts, ts("(0,1):a\n1,2:b"), "f must have times in all series or in none, got 1 of 2 with times"),
        (read_ts, ts("1:a\n@data"), "line 4 of f must be a series, got '@data' behind '@data'"),
        (read_ucr, "\n\n", "f must hold a series in every line, got none"),
        (read_ucr, "1\n", "line 1 of f must hold a label and values, got no value"),
        (read_ucr, "1\tNaN\tNaN\n", "line 1 of f must hold a label and values, got no value"),
        (read_ucr, "1\t2\n1\t2\tx y\n", "line 2 of f must hold numbers, .* got 'x y'"),
        (read_ucr, "1\t2\n?\t2\n", "line 2 of f must begin with a label, got none"),
        (read_ucr, "1\t1e999\n", "line 1 of f must hold finite numbers, got '1e999'"),
    ],
)  # fmt: skip
def test_what_is_refused(read, text, message):
    with pytest.raises(InvalidValue, match=f"^fit: {message}"):
        read(text, "f")


def test_what_is_no_text_is_refused():
    assert decode_series("\ufeff@data é".encode(), "f") == "@data é"
    for content in (b"\xff\xfe", "é".encode("latin-1"), b"1\x002"):
        with pytest.raises(InvalidValue, match=r"^fit: f must be a text in UTF-8, got binary data"):
            decode_series(content, "f")
