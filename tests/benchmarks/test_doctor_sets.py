"""The second and third set of programs for the doctor: what their tables say holds for the files."""

import re
from collections import Counter

import pytest
from benchmarks.doctor import second, third

SETS = {"second": second.read_programs(), "third": third.read_programs()}
PROGRAMS = [program for programs in SETS.values() for program in programs]
FAULTY = [program for program in PROGRAMS if program.is_faulty]


def by_name(programs):
    name = lambda program: f"{program.folder.name}-{program.file}"  # noqa: E731
    return pytest.mark.parametrize("program", programs, ids=name)


@pytest.mark.parametrize("programs", SETS.values(), ids=SETS)
def test_the_table_names_every_file_once(programs):
    folder = programs[0].path.parent
    assert sorted(program.file for program in programs) == sorted(
        file.name for file in folder.glob("*.py")
    )


@pytest.mark.parametrize("programs", SETS.values(), ids=SETS)
def test_the_set_is_as_large_as_promised(programs):
    faulty = [program for program in programs if program.is_faulty]
    assert len(faulty) >= 60
    assert len(programs) - len(faulty) >= 25
    assert len({program.code for program in faulty}) >= 60


def test_no_two_sets_share_a_program():
    assert len({program.file for program in PROGRAMS}) == len(PROGRAMS)
    assert len({program.text() for program in PROGRAMS}) == len(PROGRAMS)


def test_no_code_outweighs_the_others_in_the_third_set():
    counts = Counter(program.code for program in SETS["third"] if program.is_faulty)
    assert max(counts.values()) <= 2


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
