"""Plans of what cannot be."""

import pytest

from .inputs import nothing
from .trial import trial

NUMBERS = {"0": "", "-1": "", "nan": "", "inf": "", "many": "valid number", "''": "valid number"}
PLAN = "plan --parameters 1e6 {}"
TRIALS = [
    trial("a plan of nothing", nothing, "plan", 2, "missing option '--parameters'"),
    *(
        trial(f"a plan with {option} {value}", nothing, f"plan --parameters {value}" if option == "--parameters" else PLAN.format(f"{option} {value}"), 2, says or option[2:].replace("-", "_"))
        for option in ("--parameters", "--batch-tokens", "--peak-flops", "--bandwidth", "--tokens-per-second")
        for value, says in NUMBERS.items()
    ),
    *(
        trial(f"a plan with {option} {value}", nothing, PLAN.format(f"--dim 2 --layers 2 --context 2 {option} {value}"), 2, says)
        for option in ("--processes", "--layers", "--dim", "--context")
        for value, says in {"0": "must be a whole number from 1", "-3": "must be a whole number from 1", "1.5": "valid integer", "nan": "valid integer"}.items()
    ),
    trial("a plan with a negative latency", nothing, PLAN.format("--latency -1"), 2, "latency must be finite and at least 0"),
    trial("a plan of an unknown kind", nothing, PLAN.format("--parallel fspd"), 2, "Try 'fsdp'"),
    trial("a plan in an unknown precision", nothing, PLAN.format("--precision float"), 2, "Try 'float32'"),
    trial("a plan of one kind for many", nothing, PLAN.format("--parallel none --processes 2"), 2, "processes must be 1"),
    trial("a plan of half a Transformer", nothing, PLAN.format("--layers 2"), 2, "got no dim"),
    trial("a plan beyond the peak", nothing, PLAN.format("--peak-flops 1 --tokens-per-second 1"), 2, "what the peak allows"),
    trial("a plan of one parameter", nothing, "plan --parameters 1", 0, "16 B"),
    trial("a plan beyond measure", nothing, "plan --parameters 1e300 --processes 1000000000", 0, "memory per process"),
]  # fmt: skip


@pytest.mark.parametrize("row", TRIALS, ids=lambda row: row.what)
def test_plans(row, make_trial):
    make_trial(row)
