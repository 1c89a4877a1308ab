"""Words that were typed wrong: values out of range, options of another kind, unknown names."""

from itertools import product

import pytest

from .inputs import classes, csv, file, good, months, nothing, pairs, prose, reviews
from .trial import trial

# what is fitted, and how, for every kind of data
KINDS = {
    "a table": (csv(good()), "fit t.csv --target y -o m"),
    "texts": (csv(reviews()), "fit t.csv --target c --text text -o m"),
    "series": (csv(months()), "fit t.csv --time-column day --forecast 2 -o m"),
    "images": (classes("dark", "light"), "fit pics -o m"),
    "a language model": (file("t.txt", prose()), "fit t.txt --language-model -o m"),
    "a translator": (file("t.tsv", pairs()), "fit t.tsv --translate -o m"),
}
INTEGER = "valid integer"
WHOLE = {
    "0": "must be at least 1, got 0", "-1": "must be at least 1, got -1", "nan": INTEGER, "1e99": INTEGER, "1.5": INTEGER,
    "many": INTEGER, "''": INTEGER, "99999999999999999999": "must be at most 1,000,000,000, got 99999999999999999999",
}  # fmt: skip
TIME = "budget must be a time such as 60s, 5m or 1h, got"
SHARE = "test must be a share between 0 and 1 or a file, got"
VALUES = {
    "--trials": WHOLE,
    "--rows": WHOLE,
    "--forecast": WHOLE,
    "--seed": WHOLE | {"0": None, "-1": "seed must be a whole number from 0 to 4,294,967,295, got -1", "99999999999999999999": "seed must be a whole number from 0 to"},
    "--budget": dict.fromkeys(("0", "-1", "nan", "inf", "1e99", "soon", "''", "5d", "0s", "1h30m"), TIME),
    "--test": {"0": SHARE, "-1": SHARE, "1": SHARE, "1.5": SHARE, "100%": SHARE, "0%": SHARE, "nan": "nan: there is no such file", "1e99": "1e99: there is no such file", "''": "must name a file or a folder, got an empty name"},
    "--task": dict.fromkeys(("regresion", "''", "2"), "task must be one of"),
}  # fmt: skip
RANGES = [
    trial(f"{option} {value}", KINDS["series" if option == "--forecast" else "a table"][0], f"{'fit t.csv -o m' if option == '--forecast' else KINDS['a table'][1]} {option} {value}", 1 if "no such file" in says else 2, says)
    for option, values in VALUES.items()
    for value, says in values.items()
    if says
]  # fmt: skip

# --- options of another kind

FOREIGN = {
    "--time-column day": ("texts", "images", "a language model", "a translator"),
    "--group g": ("texts", "images", "a language model", "a translator"),
    "--drop a": ("series", "images", "a language model", "a translator"),
    "--target y": ("images", "a language model", "a translator"),
    "--task binary": ("series", "images", "a language model", "a translator"),
    "--text t": ("series", "images", "a language model", "a translator"),
    "--pretrained minilm": ("a table", "series", "images", "a language model", "a translator"),
    "--model cnn": ("a table", "texts", "series", "a language model", "a translator"),
    "--teacher m": ("a table", "texts", "series", "a language model", "a translator"),
    "--tokenizer byte": ("a table", "texts", "series", "images", "a translator"),
    "--trials 1": ("a language model", "a translator"),
    "--test t.csv": ("series", "a language model", "a translator"),
}
OTHERS = [
    trial(f"{option} for {kind}", KINDS[kind][0], f"{KINDS[kind][1]} {option}", 2, f"{option.split()[0][2:].replace('-', '_')} must ")
    for option, kinds in FOREIGN.items()
    for kind in kinds
]  # fmt: skip

# --- together, unknown, nowhere

TABLE = csv(good())
WORDS = [
    trial("time and group", TABLE, "fit t.csv --target y --time-column a --group b -o m", 2, "must not be given together"),
    trial("a translator and a language model", TABLE, "fit t.csv --translate --language-model -o m", 2, "must not be given together"),
    trial("series of a language model", TABLE, "fit t.csv --forecast 2 --language-model -o m", 2, "forecast must not be given for a language model"),
    trial("the target dropped", TABLE, "fit t.csv --target y --drop y -o m", 2, "drop must not name the target"),
    trial("everything dropped", TABLE, "fit t.csv --target y --drop a --drop b --drop c --trials 1 -o m", 2, "none is left"),
    trial("the target as the time", TABLE, "fit t.csv --target y --time-column y -o m", 2, "time_column must differ from the target"),
    trial("the target as the group", TABLE, "fit t.csv --target y --group y -o m", 2, "group must differ from the target"),
    trial("the target as the text", csv(reviews()), "fit t.csv --target c --text c --trials 1 -o m", 2, "text must differ from the target"),
    trial("no such time", TABLE, "fit t.csv --target y --time-column when -o m", 2, "time_column must be a column of the table"),
    trial("no such group", TABLE, "fit t.csv --target y --group who -o m", 2, "group must be a column of the table"),
    trial("no such text", TABLE, "fit t.csv --target c --text essay -o m", 2, "text must be a column of the table"),
    trial("nothing such to drop", TABLE, "fit t.csv --target y --drop aa -o m", 2, "drop must be a column of the table (a,"),
    trial("the target in another case", TABLE, "fit t.csv --target Y -o m", 2, "Try 'y'"),
    trial("no target", TABLE, "fit t.csv -o m", 2, "target must name a column: a, b, y, c"),
    trial("series of images", classes("a", "b"), "fit pics --forecast 2 -o m", 2, "pics: must be a file, and is a folder"),
    trial("no data", nothing, "fit", 2, "missing argument 'DATA'"),
    trial("two data", nothing, "fit a.csv b.csv", 2, "unexpected extra argument"),
    trial("an option without its value", TABLE, "fit t.csv --target", 2, "--target"),
    trial("an option twice", TABLE, "fit t.csv --target a --target yy -o m", 2, "got 'yy'"),
    trial("resume of nothing", TABLE, "fit t.csv --target c --drop y --trials 1 --resume -o m", 0, "Recommended"),
    trial("no such tokenizer", file("t.txt", prose()), "fit t.txt --language-model --tokenizer bytes -o m", 2, "tokenizer must be one of byte,"),
    trial("no such architecture", classes("a", "b"), "fit pics --model resnett -o m", 2, "model must be one of resnet,"),
    trial("no such teacher", classes("a", "b"), "fit pics --teacher nowhere -o m", 1, "nowhere"),
    trial("no such encoder", csv(reviews()), "fit t.csv --text text --target c --pretrained bert -o m", 2, "pretrained must be one of minilm"),
    trial("an unknown command", nothing, "fitt t.csv", 2, "no command 'fitt'. Did you mean 'fit'?"),
    trial("an unknown command of data", nothing, "data gett iris", 2, "Did you mean 'get'?"),
    trial("an empty command", nothing, "''", 2, "no command ''"),
    *(
        trial(f"{command} with an option near {near}", nothing, f"{command} {typed}", 2, f"Did you mean '{near}'?")
        for command, typed, near in (
            ("fit x", "--targt y", "--target"), ("fit x", "--buget 5s", "--budget"), ("predict m x", "--ouput p", "--output"),
            ("export m", "--onx", "--onnx"), ("generate m", "--promt a", "--prompt"), ("run xor", "--quik", "--quick"),
            ("list", "--jsn", "--json"), ("data list", "--al", "--help"), ("", "--versoin", "--version"),
        )
    ),
]  # fmt: skip

# --- places where nothing can be written

OUTPUTS = {
    "the data": ("t.csv", 2, "output must be new, empty or a model folder"),
    "below the data": ("t.csv/m", 1, "cannot be written"),
    "a folder with files": ("full", 2, "output must be new, empty or a model folder"),
    "below the null device": ("/dev/null/m", 1, "cannot be written"),
    "a file system of the kernel": ("/proc/m", 1, "cannot be written"),
    "a link to itself": ("loop", 1, "cannot be written"),
}


def full(place):
    place.write("full/thesis.txt", b"years of work")
    (place.folder / "loop").symlink_to("loop")


CLOSED = [
    trial(f"{kind} into {what}", (*((put,) if what != "x" else ()), full), typed.replace("-o m", f"-o {where.replace('t.csv', name)}"), code, says)
    for (kind, (put, typed)), (what, (where, code, says)) in product(KINDS.items(), OUTPUTS.items())
    for name in [typed.split()[1]]
    if not (kind == "images" and what in ("the data", "below the data"))
]  # fmt: skip

TRIALS = [*RANGES, *OTHERS, *WORDS, *CLOSED]


@pytest.mark.parametrize("row", TRIALS, ids=lambda row: row.what)
def test_words(row, make_trial):
    make_trial(row)
