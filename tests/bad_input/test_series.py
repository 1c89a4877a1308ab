"""Series that are wrong or odd."""

import numpy as np
import pandas as pd
import pytest

from .inputs import csv, file, months, nothing, parquet
from .trial import trial

FIT = "fit t.csv --time-column day --forecast 2 --trials 1 -o m"
ORDER = "fit t.csv --forecast 2 --trials 1 -o m"
GROUPED = "fit t.csv --time-column day --group g --target v --forecast 2 --trials 1 -o m"
N = 48


def stamped(stamps, values=None):
    return csv(
        pd.DataFrame(
            {"day": stamps, "v": months()["v"][: len(stamps)] if values is None else values}
        )
    )


TIMES = {
    "before 1677": [f"{1000 + k}-01-31" for k in range(N)],
    "after 2262": [f"{2300 + k}-06-30" for k in range(N)],
    "at the end of time": [f"{9952 + k}-01-01" for k in range(N)],
    "in the year one": [f"{1 + k:04}-01-01" for k in range(N)],
    "out of reach once": [*months()["day"][:-1], "9999-12-31"],
    "not unique": [d for d in months()["day"][:24] for _ in (0, 1)],
    "all the same": ["2000-01-01"] * N,
    "in disorder": months()["day"][::-1].tolist(),
    "with gaps": [str(d.date()) for d in pd.date_range("2000", periods=N + 2) if d.day != 9],
    "half missing": [d if k % 2 else None for k, d in enumerate(months()["day"])],
    "once missing": [None, *months()["day"][1:]],
    "irregular": np.sort(np.random.default_rng(0).random(N)),
    "words": ["day"] * N,
    "infinite": ["inf", *map(str, range(N - 1))],
    "huge numbers": np.linspace(1e300, 1.7e308, N),
    "tiny steps": 1e15 + np.arange(N) / 4,
    "negative numbers": np.arange(-N, 0),
    "years": np.arange(1950, 1950 + N),
    "seconds": pd.date_range("2000", periods=N, freq="s").astype(str),
    "of two kinds": ["2000-01-01", "17", "next week"] * 16,
    "with zones": [f"2000-01-01T{k % 24:02}:00:00+{k // 24:02}:00" for k in range(N)],
    "days in months of any length": [
        str(d.date()) for d in pd.date_range("2000-01-31", periods=N, freq="ME")
    ],
}
VALUES = {
    "constant": [1.0] * N,
    "missing": [None] * N,
    "mostly missing": [1.0, 2.0] + [None] * (N - 2),
    "missing at the end": [*np.arange(N - 5.0), *[None] * 5],
    "missing at the start": [*[None] * 5, *np.arange(N - 5.0) ** 0.5],
    "infinite": ["inf", *np.arange(N - 1.0)],
    "words": ["up"] * N,
    "huge": np.linspace(1e300, 1.7e308, N),
    "large": np.sin(np.arange(N)) * 1e30,
    "tiny": np.linspace(1e-320, 1e-310, N),
    "small": np.sin(np.arange(N)) * 1e-30,
    "truth values": ["yes", "no"] * (N // 2),
    "dates": months()["day"],
    "decimal commas": [f"{k},{k % 7}" for k in range(N)],
    "changing once": [0.0] * (N - 1) + [1.0],
    "one outlier": [*np.sin(np.arange(N - 1)), 1e12],
    "whole numbers beyond 64 bits": [str(2**80 * (k % 5)) for k in range(N)],
}
GROUPS = {
    "mixed types": [1, "b", None] * (N // 3),
    "missing": [None] * N,
    "one each": [f"s{k}" for k in range(N)],
    "of unequal length": ["a"] * (N - 3) + ["b"] * 3,
    "long names": ["n" * 400] * (N // 2) + ["m" * 400] * (N // 2),
    "mathematics": ["$20 to $30^", "\\frac{"] * (N // 2),
    "line breaks": ["a\nb", "c"] * (N // 2),
    "numbers": [1.0, 2.0] * (N // 2),
}
SHORT = "forecast must leave enough to learn from"
# what is said where they cannot be used
NONE = "must have a series of numbers that change, and has none. The series "
REFUSED = {
    "times all the same": "must have a series of numbers that change, and has none",
    "times half missing": "must have a time in every row, got 24",
    "times once missing": "must have a time in every row, got 1",
    "times infinite": "must have a time in every row, got 1",
    "times words": "time_column must hold dates or numbers",
    "times of two kinds": "time_column must hold dates or numbers",
    "values constant": f"{NONE}never changes",
    "values missing": f"{NONE}is missing more than half",
    "values mostly missing": f"{NONE}is missing more than half",
    "values words": "target must hold numbers",
    "values dates": "target must hold numbers",
    "values huge": "target must stay below 1e150",
    "values tiny": "target must vary by 1e-150 or more",
    "groups missing": "48 rows have no series in 'g' and are left out",
    "groups one each": "never changes and is left out",
}
MADE = {
    **{f"times {what}": stamped(stamps) for what, stamps in TIMES.items()},
    **{f"values {what}": stamped(months()["day"], values) for what, values in VALUES.items()},
    **{f"groups {what}": csv(months(g=names)) for what, names in GROUPS.items()},
}
TRIALS = [
    *(
        trial(what, put, GROUPED if what.startswith("groups") else FIT, 2 if what in REFUSED else 0, REFUSED.get(what, "Recommended"))
        for what, put in MADE.items()
    ),
    trial("groups of mixed types in Parquet", parquet(months(g=pd.Series([1, 2] * 24).astype(object))), GROUPED.replace("csv", "parquet"), 0, "Recommended"),
    *(trial(f"{rows} rows", csv(months(rows)), FIT, 2, SHORT if rows > 2 else "", f"got {rows}" if rows > 2 else "") for rows in (1, 2, 3, 8, 13)),
    trial("a header alone", file("t.csv", "day,v\n"), FIT, 2, "must have rows under its header"),
    trial("an empty file", file("t.csv", ""), FIT, 2, "but it is empty"),
    trial("no file", nothing, FIT, 1, "there is no such file"),
    trial("too far", csv(months()), FIT.replace("--forecast 2", "--forecast 20"), 2, "Try --forecast 13."),
    trial("the season alone", csv(months()), FIT.replace("--forecast 2", "--forecast 13"), 0, "Recommended"),
    trial("no numbers at all", csv(months()[["day"]].assign(w="x")), FIT, 2, "target must hold numbers"),
    trial("the time alone", csv(months()[["day"]]), FIT, 2, "target must hold numbers; the columns are none"),
    trial("no such target", csv(months()), f"{FIT} --target price", 2, "target must be a column of the table"),
    trial("no such time", csv(months()), FIT.replace("--time-column day", "--time-column when"), 2, "time_column must be a column of the table"),
    trial("no such group", csv(months()), GROUPED, 2, "group must be a column of the table"),
    trial("a group and two columns", csv(months(g="a", w=1.5)), GROUPED.replace("--target v ", ""), 2, "target must name the column of values"),
    trial("times that nobody names", csv(months()), ORDER, 0, "Recommended"),
    trial("many columns, some useless", csv(months(w=1.0, x=None, z="word")), FIT, 0, "never changes and is left out"),
    trial("repeated columns", file("t.csv", months().to_csv(index=False).replace("day,v", "v,v")), ORDER, 0, "called 'v.1' here"),
    trial("fewer rows than asked", csv(months()), f"{FIT} --rows 5", 2, SHORT),
    trial("a share that leaves nothing", csv(months()), f"{FIT} --test 0.99", 0, "Recommended"),
    *(trial(f"a series' name, {what}", csv(months(w=lambda f: f["v"] ** 2).rename(columns={"v": name})), FIT, 0, "Recommended")
      for what, name in {"long": "n" * 400, "mathematics": "$a^", "an escape": "\x1b[31m", "foreign": "身長 🙂"}.items()),
]  # fmt: skip


@pytest.mark.parametrize("row", TRIALS, ids=lambda row: row.what)
def test_series(row, make_trial):
    make_trial(row)
