import dataclasses

import pytest

from gradatim.reports.sections import Claim, Code, Table, Text


@pytest.mark.parametrize(
    "part", [Claim("a", "1", 1, True), Text("t"), Table("t", ["a"], [[1]]), Code("python", "1")]
)
def test_parts_of_a_report_are_fixed(part):
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(part, dataclasses.fields(part)[0].name, "other")
