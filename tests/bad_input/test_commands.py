"""The other commands: generate, export, run, list and data."""

import pytest

from .inputs import csv, file, folder, good, link, model, nothing
from .trial import trial

WRITE = "generate m --prompt the {}"
NUMBER, WHOLE = "valid number", "valid integer"
OPTIONS = {
    "--num-tokens": {
        "0": "",
        "-1": "",
        "nan": WHOLE,
        "1e99": WHOLE,
        "1.5": WHOLE,
        "many": WHOLE,
        "''": WHOLE,
    },
    "--temperature": {
        "-1": "temperature must be",
        "nan": "temperature must be",
        "inf": "temperature must be",
        "warm": NUMBER,
        "''": NUMBER,
        "-1e-9": "temperature must be",
    },
    "--top-k": {
        "0": "top_k must be",
        "-1": "top_k must be",
        "nan": WHOLE,
        "1.5": WHOLE,
        "many": WHOLE,
    },
    "--top-p": {
        "0": "top_p must be",
        "-1": "top_p must be",
        "1.5": "top_p must be",
        "nan": "top_p must be",
        "inf": "top_p must be",
        "all": NUMBER,
    },
    "--beam": {
        "0": "num_beams must be",
        "-1": "num_beams must be",
        "nan": WHOLE,
        "1.5": WHOLE,
        "10000000": "num_beams must be",
    },
    "--seed": {
        "-1": "seed must be",
        "nan": WHOLE,
        "1.5": WHOLE,
        "99999999999999999999": "seed must be",
    },
}
GENERATE = [
    *(
        trial(f"generate {option} {value}", model("language"), WRITE.format(f"{option} {value}"), 2, says)
        for option, values in OPTIONS.items()
        for value, says in values.items()
    ),
    *(
        trial(f"generate with {what}", model("language"), WRITE.format(f"--num-tokens 5 {words}"), 0, "the")
        for what, words in {
            "a tiny temperature": "--temperature 1e-300", "a zero temperature": "--temperature 0", "a huge temperature": "--temperature 1e300",
            "a tiny share": "--top-p 1e-300", "more choices than tokens": "--top-k 1000000", "a choice of one": "--top-k 1", "all": "--top-p 1",
            "a stop": "--stop t --stop e", "a beam and a stop": "--beam 3 --stop t", "a beam": "--beam 3", "a beam wider than the tokens": "--beam 200",
        }.items()
    ),
    trial("generate from nothing", model("language"), "generate m --prompt ''", 2, "prompt must hold at least one character"),
    trial("generate without a prompt", model("language"), "generate m", 2, "missing option '--prompt'"),
    trial("generate up to nothing", model("language"), "generate m --prompt the --stop ''", 2, "stop must hold at least one character"),
    trial("generate up to strange letters", model("language"), "generate m --prompt the --stop 身", 2, "got '身'"),
    trial("generate from strange letters", model("language"), "generate m --prompt 身長 --num-tokens 3", 2, "got '身', '長'"),
    trial("generate from a long prompt", model("language"), f"generate m --num-tokens 3 --prompt '{'the cat ' * 500}'", 0, "the model sees the last 16 of them"),
    trial("generate by a table", model("table"), "generate m --prompt a", 2, "model must be a language model, got a TableModel"),
    trial("generate by a translator", model("translation"), "generate m --prompt a", 2, "model must be a language model, got a TranslationModel"),
    trial("generate without a model", nothing, "generate", 2, "missing argument 'MODEL'"),
]  # fmt: skip

EXPORT = [
    trial("export without a format", model("table"), "export m", 2, "a format must be chosen, --onnx or --torch, got none"),
    trial("export of no such model", model("table"), "export m --onnx --model forrest -o x.onnx", 2, "model must be one of"),
    trial("export without a model", nothing, "export --onnx", 2, "missing argument 'MODEL'"),
    *(
        trial(f"export of {kind} by no such model", model(kind), "export m --onnx --model forrest -o x.onnx", 2, "model must be one of")
        for kind in ("text", "series", "image", "language", "translation")
    ),
    trial("export below a file", (model("table"), file("f", b"f")), "export m --onnx -o f/x.onnx", 1, "cannot be written"),
    trial("export onto a folder", (model("table"), folder("f")), "export m --onnx -o f", 1, "it is a folder"),
    trial("export into a name that is too long", model("table"), f"export m --onnx -o {'n' * 300}", 1, "cannot be written"),
    trial("export onto model.json", model("table"), "export m --onnx -o m/model.json", 2, "m/model.json"),
    trial("export onto a link to itself", (model("table"), link("x", "x")), "export m --onnx -o x", 1, "cannot be written"),
]  # fmt: skip

SETTINGS = {
    "no equals sign": ("seed", "--set must be KEY=VALUE, got 'seed'"),
    "no key": ("=1", "--set must be KEY=VALUE, got '=1'"),
    "nothing": ("''", "--set must be KEY=VALUE, got ''"),
    "an unknown key": ("sede=1", "setting must be one of seed"),
    "words for a number": ("seed=one", "seed must be an integer, got 'one'"),
    "half a number": ("seed=1.5", "seed must be an integer, got '1.5'"),
    "no value": ("seed=", "seed must be an integer, got ''"),
    "nan": ("seed=nan", "seed must be an integer"),
    "a negative seed": ("seed=-1", "seed must be a whole number from 0 to 4,294,967,295, got -1"),
    "a seed beyond 64 bits": ("seed=99999999999999999999", "seed must be a whole number from 0 to"),
    "no count": ("epochs=0", "epochs must be from 1 to 1,000,000,000, got 0"),
    "a negative count": ("epochs=-1", "epochs must be from 1 to"),
    "a huge count": ("widths=2,99999999999999999999", "widths must be from 1 to"),
}
RUN = [
    *(trial(f"run with {what}", nothing, f"run xor --quick --set {words} -o r", 2, says) for what, (words, says) in SETTINGS.items()),
    trial("run with a setting twice", nothing, "run xor --quick --set seed=1 --set seed=2 -o r", 2, "must name each setting once, got 'seed' twice"),
    trial("run with a seed twice", nothing, "run xor --quick --seed 1 --set seed=2 -o r", 2, "must name each setting once"),
    *(trial(f"run with noise of {value}", nothing, f"run overfitting --quick --set noise={value} -o r", 2, f"noise must be finite, got {value}") for value in ("nan", "inf")),
    trial("run with a share of all", nothing, "run digits-table --quick --set test_fraction=1 -o r", 2, "test_fraction must be between 0 and 1, got 1.0"),
    trial("run of nothing", nothing, "run", 2, "missing argument 'NAME'"),
    trial("run of an empty name", nothing, "run '' -o r", 2, "name must be one of"),
    trial("run of a near name", nothing, "run xorr -o r", 2, "Try 'xor'"),
    trial("run of a path", nothing, "run ../../etc/passwd -o r", 2, "name must be one of"),
    trial("run of a helper's file", nothing, "run _digits -o r", 2, "name must be one of"),
    *(trial(f"run with --seed {seed}", nothing, f"run xor --quick --seed {seed} -o r", 2, says)
      for seed, says in {"-1": "seed", "1.5": WHOLE, "nan": WHOLE, "x": WHOLE, "99999999999999999999": "seed"}.items()),
    trial("run onto a file", file("r", b"r"), "run xor --quick -o r", 1, "folder must be writable, got 'r' (File exists)"),
    trial("run below a file", file("f", b"f"), "run xor --quick -o f/r", 1, "folder must be writable, got 'f/r'"),
    trial("run into a name that is too long", nothing, f"run xor --quick -o {'n' * 300}", 1, "File name too long"),
    trial("run onto a link to itself", link("r", "r"), "run xor --quick -o r", 1, "r"),
    trial("run in the kernel's files", nothing, "run xor --quick -o /proc/r", 1, "/proc/r"),
]  # fmt: skip

LISTS = [
    trial("list of nothing", nothing, "list --search zzzz", 2, "search must be words of an experiment's name"),
    trial("list with an extra word", nothing, "list xor", 2, "xor"),
    trial("data of nothing", nothing, "data get", 2, "missing argument 'NAME...'"),
    trial("data of a near name", nothing, "data get irs", 2, "'iris'"),
    trial("data of an empty name", nothing, "data get ''", 2, "''"),
    trial("data of a path", nothing, "data get ../iris", 2, "'../iris'"),
    trial("data with an extra word", nothing, "data list iris", 2, "iris"),
    trial("predict without data", nothing, "predict m", 2, "missing argument 'DATA'"),
    trial("predict without anything", nothing, "predict", 2, "missing argument 'MODEL'"),
    trial("predict with a value that is missing", csv(good()), "predict m t.csv --model", 2, "--model"),
]  # fmt: skip

TRIALS = [*GENERATE, *EXPORT, *RUN, *LISTS]


@pytest.mark.parametrize("row", TRIALS, ids=lambda row: row.what)
def test_commands(row, make_trial):
    make_trial(row)
