"""The second set of programs for the doctor: what its table says holds for the files."""

import re
from pathlib import Path

import pytest
from benchmarks.doctor.second import read_programs

PROGRAMS = read_programs()
FAULTY = [program for program in PROGRAMS if program.is_faulty]


def by_name(programs):
    return pytest.mark.parametrize("program", programs, ids=lambda program: program.file)


def test_the_table_names_every_file_once():
    folder = PROGRAMS[0].path.parent
    assert sorted(program.file for program in PROGRAMS) == sorted(
        file.name for file in Path(folder).glob("*.py")
    )


def test_the_set_is_as_large_as_promised():
    assert len(FAULTY) >= 60
    assert len(PROGRAMS) - len(FAULTY) >= 25
    assert len({program.code for program in FAULTY}) >= 60


@by_name(PROGRAMS)
def test_program_compiles(program):
    compile(program.text(), program.file, "exec")
    assert program.style


@by_name(FAULTY)
def test_fault_lies_inside_the_file_and_is_not_marked(program):
    lines = program.text().splitlines()
    assert program.lines
    assert 1 <= min(program.lines) <= max(program.lines) <= len(lines)
    assert all(lines[line - 1].strip() for line in program.lines)
    assert re.fullmatch(
        r"(loss|optim|grad|init|model|data|metric|fit|crash)\.[a-z-]+", program.code
    )
    fault = "\n".join(lines[line - 1] for line in program.lines).lower()
    assert not re.search(r"\b(bug|fault|wrong|broken|mistake|oops)\b", fault)


@by_name(FAULTY)
def test_repair_applies_and_its_twin_compiles(program):
    twin = program.repaired()
    assert twin != program.text()
    compile(twin, program.file, "exec")
