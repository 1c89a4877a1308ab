"""The catalogue of the docs: made from the table, its programs find what they say, their repairs find nothing."""

import importlib.util
from pathlib import Path

import pytest
from benchmarks.doctor.running import examine_program

from gradatim.doctor.codes import codes

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("doctor_codes", ROOT / "docs" / "doctor_codes.py")
assert SPEC is not None
assert SPEC.loader is not None
catalogue = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(catalogue)
EXAMPLES = catalogue.examples()
QUICK = ["loss.softmax-twice", "loss.labels", "optim.no-zero-grad", "model.future-leak", "data.nan", "crash.backward"]  # fmt: skip


def run(folder, text):
    path = folder / "program.py"
    path.write_text(text.lstrip("\n"), encoding="utf-8")
    return examine_program(path, trials=12.0)[0]


def test_the_page_is_what_the_table_makes():
    assert catalogue.PAGE.read_text(encoding="utf-8") == catalogue.page()


def test_every_code_has_its_programs():
    assert set(EXAMPLES) == set(codes())


@pytest.mark.parametrize("code", QUICK)
def test_a_program_has_the_fault_and_its_repair_has_none(code, tmp_path):
    failing, repaired = EXAMPLES[code]
    assert run(tmp_path, failing).findings[0].code == code
    assert run(tmp_path, repaired).is_healthy
