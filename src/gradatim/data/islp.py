"""The tables of *An Introduction to Statistical Learning*: one archive serves them all."""

from gradatim.data import pins
from gradatim.data.entry import Archive, Entry, Source

_ARCHIVE = Archive("islp", pins.ISLP, (Source("pip", "islp==0.6.0", "ISLP/data/{}", 16593353),))
_BOOK = "G. James, D. Witten, T. Hastie, R. Tibshirani and J. Taylor, 2023"
_LICENCE = "BSD-3-Clause, as published with the book; the book names the first source of each table"


def _table(
    name: str,
    task: str,
    target: str | None,
    samples: int,
    summary: str,
    notes: str = "",
    *,
    format: str = "table",
    files: tuple[str, ...] = (),
) -> Entry:
    return Entry(
        name=f"islp-{name.lower()}",
        task=task,
        samples=samples,
        summary=summary,
        origin=_BOOK,
        licence=_LICENCE,
        format=format,
        target=target,
        notes=notes,
        archive=_ARCHIVE,
        files=files or (f"{name}.csv",),
    )


_CENSORED = "The column status is 1 where the event was seen, 0 where the time is censored."
_MARKET = "The sign of the column Today is Direction: leave it out to predict."

ISLP_ENTRIES = (
    _table(
        "Auto",
        "regression",
        "mpg",
        392,
        "Cars of 1970 to 1982, miles per gallon",
        "The column name tells cars apart; origin is a code (1 America, 2 Europe, 3 Japan).",
    ),
    _table(
        "Bikeshare",
        "regression",
        "bikers",
        8645,
        "Bicycles hired in Washington, hour by hour",
        "The columns casual and registered add up to bikers: leave both out to predict.",
    ),
    _table("Boston", "regression", "medv", 506, "Suburbs of Boston, median value of houses"),
    _table(
        "BrainCancer",
        "survival",
        "time",
        88,
        "Patients with brain tumours, months of survival",
        _CENSORED + " One diagnosis is missing.",
    ),
    _table("Caravan", "classification", "Purchase", 5822, "Customers, bought a caravan insurance?"),
    _table("Carseats", "regression", "Sales", 400, "Stores, child car seats sold"),
    _table("College", "regression", "Apps", 777, "Colleges of the USA, applications received"),
    _table(
        "Credit",
        "regression",
        "Balance",
        400,
        "Credit-card holders, balance",
        "The column ID only counts the rows.",
    ),
    _table("Default", "classification", "default", 10000, "Credit-card holders, default on debt?"),
    _table("Fund", "unsupervised", None, 50, "Monthly excess returns of 2,000 fund managers"),
    _table(
        "Hitters",
        "regression",
        "Salary",
        322,
        "Baseball players of 1986 and 1987, salary",
        "59 players have no salary: y is NaN there.",
    ),
    _table(
        "Khan",
        "classification",
        "x",
        83,
        "Small round blue cell tumours, 2,308 gene expressions, four kinds",
        format="khan",
        files=("Khan_xtrain.csv", "Khan_ytrain.csv", "Khan_xtest.csv", "Khan_ytest.csv"),
    ),
    _table(
        "NCI60",
        "classification",
        "label",
        64,
        "Cancer cell lines, 6,830 gene expressions",
        "Five of the 14 types have a single line.",
        format="nci60",
        files=("NCI60data.npy", "NCI60labs.csv"),
    ),
    _table(
        "NYSE",
        "regression",
        "log_volume",
        6051,
        "New York Stock Exchange 1962 to 1986, trading volume day by day",
        "The file's column train is the published split. Forecast from lags of all three series.",
        format="nyse",
    ),
    _table("OJ", "classification", "Purchase", 1070, "Sales of two brands of orange juice"),
    _table("Portfolio", "unsupervised", None, 100, "Returns of two assets"),
    _table(
        "Publication",
        "survival",
        "time",
        244,
        "Clinical trials, months until the result was published",
        _CENSORED,
    ),
    _table(
        "Smarket",
        "classification",
        "Direction",
        1250,
        "S&P 500 returns 2001 to 2005, up or down, day by day",
        _MARKET,
    ),
    _table(
        "Wage",
        "regression",
        "wage",
        3000,
        "Workers of the Mid-Atlantic region, wage",
        "The column logwage is the logarithm of wage: leave it out to predict.",
    ),
    _table(
        "Weekly",
        "classification",
        "Direction",
        1089,
        "S&P 500 returns 1990 to 2010, up or down, week by week",
        _MARKET,
    ),
)
