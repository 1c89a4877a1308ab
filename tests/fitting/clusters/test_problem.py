import numpy as np
import pandas as pd
import pytest

from gradatim.data.tables.reading import read_table
from gradatim.errors import InvalidValue
from gradatim.fitting.clusters.kind import ClusterOptions, read_clusters
from gradatim.fitting.clusters.problem import prepare


def problem(frame, **options):
    return prepare(read_table(frame), ClusterOptions(**{"clusters": 2, **options}))


def mixed(rows=40):
    rng = np.random.default_rng(0)
    return pd.DataFrame({
        "size": rng.normal(5, 3, rows),
        "rare": np.arange(rows) == 7,
        "town": rng.choice(["Bern", "Genf", "Chur"], rows),
        "day": pd.date_range("2024-01-01", periods=rows, freq="9D").astype(str),
        "gaps": np.where(np.arange(rows) % 4, rng.normal(size=rows), np.nan),
    })  # fmt: skip


def test_every_column_counts_about_alike():
    p = problem(mixed())
    names = p.reader.preprocessing.names
    variances = dict(zip(names, p.x.var(0), strict=True))
    of = {
        column: sum(v for name, v in variances.items() if name.split(" ")[0].strip(":") == column)
        for column in mixed()
    }
    assert of["size"] == pytest.approx(1.0)
    assert of["day"] == pytest.approx(1.0)
    assert 0.9 < of["gaps"] <= 1.0  # filled cells lie in the middle
    assert 0.5 < of["town"] < 0.7  # one of three levels, about as often
    assert 0.0 < of["rare"] < 0.1


def test_a_rare_truth_value_lies_as_far_as_another_level():
    p = problem(mixed())
    at = p.reader.preprocessing.names.index("rare")
    assert np.ptp(p.x[:, at]) == pytest.approx(np.sqrt(2.0))
    towns = [k for k, name in enumerate(p.reader.preprocessing.names) if name.startswith("town")]
    away = np.linalg.norm(p.x[:1, towns] - p.x[:, towns], axis=1)
    assert away.max() == pytest.approx(np.sqrt(2.0))


def test_features_of_one_column_stay_together():
    p = problem(mixed())
    names = p.reader.preprocessing.names
    blocks = [[names[k] for k in block] for block in p.blocks]
    assert ["town = Bern", "town = Chur", "town = Genf"] in blocks
    assert [
        "day",
        "day: sine of year",
        "day: cosine of year",
        "day: sine of week",
        "day: cosine of week",
    ] in blocks
    assert ["gaps"] in blocks
    assert ["gaps is missing"] in blocks
    assert sorted(k for block in p.blocks for k in block) == list(range(len(names)))


def test_the_target_is_not_seen():
    p = problem(mixed(), target="town")
    assert [column.name for column in p.columns] == ["size", "rare", "day", "gaps"]
    assert p.target[0].name == "town"
    assert problem("iris").notes == [
        "Column 'species', the target of the set, is not seen by the clusters, which are compared with it."
    ]
    assert (
        problem("iris").fingerprint() != problem("iris", drop=("petal length (cm)",)).fingerprint()
    )


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        (mixed(), {"clusters": 41}, "clusters must be at most the number of rows, 40, got 41"),
        (pd.DataFrame({"a": [1, 2, 3] * 9}), {"clusters": 4}, "clusters must be at most the number of different rows, 3, got 4"),
        (mixed(19), {"clusters": "auto"}, "the table must have at least 20 rows to tell how many clusters there are, got 19. Give a number"),
        (pd.DataFrame({"a": [1] * 30}), {}, "must have a column that differs from row to row, and none is left. Column 'a' is left out: it has one value only"),
        (mixed(), {"target": "twon"}, "target must be a column of the table"),
        (mixed(), {"drop": "sise"}, "drop must be a column of the table"),
    ],
)  # fmt: skip
def test_tables_that_cannot_be_clustered(frame, options, message):
    with pytest.raises(InvalidValue, match=message):
        problem(
            frame, **({**options, "drop": (options["drop"],)} if "drop" in options else options)
        )


@pytest.mark.parametrize(("value", "expected"), [("3", 3), (" auto ", "auto"), ("AUTO", "auto"), (7, 7), (np.int64(2), 2)])  # fmt: skip
def test_numbers_of_clusters_are_read(value, expected):
    assert read_clusters(value) == expected


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("0", "clusters must be from 1 to 1,000, or auto, got 0"),
        (-2, "got -2"),
        ("1001", "got 1001"),
        (
            "many",
            "clusters must be a whole number from 1, or auto, got 'many'. Try --clusters auto",
        ),
        ("2.5", "got '2.5'"),
    ],
)
def test_other_numbers_are_refused(value, message):
    with pytest.raises(InvalidValue, match=message):
        read_clusters(value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"test": 0.3},
            "test must be left out where clusters are looked for, which use all rows, got 0.3",
        ),
        (
            {"trials": 2},
            "trials must be left out where clusters are looked for, which train no network, got 2",
        ),
        ({"target": "a", "drop": ("a",)}, "drop must not name the target, got 'a'"),
        ({"clusters": None}, "clusters must be a whole number from 1, or auto, got None"),
    ],
)
def test_options_that_mean_nothing_here_are_refused(options, message):
    with pytest.raises(InvalidValue, match=message):
        ClusterOptions(**{"clusters": 3, **options})
