"""``gradatim sample``: one public function, called with what was typed."""

import pandas as pd
import pytest

import gradatim
from gradatim.events import Warned


@pytest.fixture
def asked(monkeypatch):
    """What the public function was called with."""
    calls = []

    def sample(model, num_samples, *, tell, **how):
        calls.append((str(model), num_samples, how))
        tell(Warned("7 rows were drawn to find 3 where town=Bern."))
        return pd.DataFrame({"x": ["1"] * num_samples})

    monkeypatch.setattr(gradatim, "sample", sample, raising=False)
    return calls


def test_what_was_typed_is_passed_on(call, asked):
    code, out, err = call(
        *("sample", "m", "-n", "3", "-o", "rows.csv", "--class", "yes", "--where", "town=Bern", "--where", "a=b=c"),
        *("--guidance", "2", "--steps", "20", "--seed", "5", "--model", "network"),
    )  # fmt: skip
    assert code == 0
    assert out == "3 rows: rows.csv\n"
    assert err == "sample: 7 rows were drawn to find 3 where town=Bern.\n"
    ((model, count, how),) = asked
    assert (model, count, str(how.pop("output"))) == ("m", 3, "rows.csv")
    assert how == {
        "which": "network", "label": "yes", "where": {"town": "Bern", "a": "b=c"}, "guidance": 2.0, "steps": 20, "seed": 5,
    }  # fmt: skip


def test_a_thousand_of_the_recommended_by_default(call, asked):
    assert call("sample", "m", "-o", "rows.csv")[0] == 0
    ((_, count, how),) = asked
    assert (count, how["which"], how["label"], how["where"], how["seed"]) == (1000, "recommended", None, {}, 0)  # fmt: skip


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--where", "town"], "where must be COLUMN=VALUE, got 'town'"),
        (["--where", "=a"], "where must be COLUMN=VALUE, got '=a'"),
        (["--where", "a=1", "--where", "a=2"], "where must name each column once, got 'a' twice"),
        ([], "missing option '--output'"),
    ],
)
def test_mistakes(call, asked, words, sentence):
    code, out, err = call("sample", "m", *words, *(["-o", "rows.csv"] if words else []))
    assert (code, out) == (2, "")
    assert sentence in err
    assert not asked
