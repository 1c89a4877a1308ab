"""``gradatim plan``: what the page on scale shows is what it prints, and JSON holds the same numbers."""

import json
import re
import shlex
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "scale.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^\$ gradatim (plan (?:.*\\\n)*.*)\n((?:(?!\$|```).*\n)*)", PAGE, re.MULTILINE)


@pytest.mark.parametrize(("typed", "shown"), SHOWN)
def test_the_page_shows_what_is_printed(call, typed, shown):
    code, out, err = call(*shlex.split(typed.replace("\\\n", " "), comments=True))
    assert (code, err) == (0, "")
    assert out.rstrip() == shown.rstrip()


def test_there_are_examples():
    assert len(SHOWN) >= 3


def test_json_holds_the_fields_by_name(call):
    words = "--parameters 8.03e9 --processes 64 --parallel fsdp --precision bf16 --layers 32 --dim 4096 --context 8192"
    more = "--batch-tokens 1048576 --peak-flops 312e12 --bandwidth 25e9 --latency 1e-5 --tokens-per-second 2904 --json"
    code, out, _ = call("plan", *words.split(), *more.split())
    found = json.loads(out)
    assert code == 0
    assert found["mfu"] == pytest.approx(0.568, abs=5e-4)
    assert found["step_seconds"] == pytest.approx(found["compute_seconds"] / found["efficiency"])
    assert found["step_seconds"] == pytest.approx(16384 / 2904 + 8 * 8.03e9 * 63 / 64 / 25e9 + 3 * 63e-5)  # fmt: skip
    memory = found["memory_per_process"]
    assert memory.pop("total") == pytest.approx(sum(memory.values()))
    assert list(memory) == ["weights", "gradients", "optimizer", "activations"]
    assert found["flops_per_token"] == pytest.approx(6 * 8.03e9 + 12 * 32 * 4096 * 8192)
