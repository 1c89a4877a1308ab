"""Every failing program of the doctor's catalogue is named by its code, every repaired one is left alone."""

import pytest
from tests.doctor.test_catalogue import EXAMPLES, QUICK, run


@pytest.mark.parametrize("code", sorted(set(EXAMPLES) - set(QUICK)))
def test_a_program_has_the_fault_and_its_repair_has_none(code, tmp_path):
    failing, repaired = EXAMPLES[code]
    assert run(tmp_path, failing).findings[0].code == code
    assert run(tmp_path, repaired).is_healthy
