import json

import pytest

from benchmarks import seeds
from gradatim import experiments


@pytest.fixture
def record(tmp_path, monkeypatch):
    """An empty record, and a list of the runs that were really made."""
    made = []

    def run(name, form, seed, seconds):
        made.append((name, form, seed))
        failed = {"it learns": "0.2, expected ≥ 0.9"} if seed == 2 else {}
        return (
            {"claims": 3, "failed": failed, "seconds": 60} if seed < 4 else {"missing": "no data"}
        )

    monkeypatch.setattr(seeds, "RECORD", tmp_path / "seeds.json")
    monkeypatch.setattr(seeds, "run", run)
    return made


def test_a_run_counts_until_the_text_changes(record, monkeypatch):
    assert seeds.main(["xor", "--quick", "--seeds", "1"]) == 0
    assert seeds.main(["xor", "--quick", "--seeds", "1", "3"]) == 0
    assert record == [("xor", "quick", 1), ("xor", "quick", 3)]
    monkeypatch.setattr(seeds, "fingerprint", lambda name: "another")
    assert seeds.main(["xor", "--quick", "--seeds", "1"]) == 0
    assert record[2:] == [("xor", "quick", 1)]
    assert list(json.loads(seeds.RECORD.read_text())["xor quick"]["seeds"]) == ["1"]


@pytest.mark.parametrize("seed", ["2", "4"])
def test_a_failed_claim_or_a_missing_report_is_exit_code_1(record, seed):
    assert seeds.main(["xor", "--seeds", seed]) == 1


def test_the_table_counts_seeds_with_all_claims(record, capsys):
    seeds.main(["xor", "--seeds", "1", "2", "3", "4"])
    capsys.readouterr()
    assert seeds.main(["xor", "hebbian-failure", "--table"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2:] == [
        "| xor | 0 of 0 | 2 of 3 | 1.0 |",
        "| hebbian-failure | 0 of 0 | 0 of 0 | – |",
    ]


def test_a_real_run_says_what_the_report_says():
    result = seeds.run("boolean-functions", "quick", 1, 600)
    report = experiments.run("boolean-functions", quick=True, overrides={"seed": "1"})
    assert result["claims"] == len(report.claims)
    assert list(result["failed"]) == [claim.name for claim in report.claims if not claim.holds]


def test_a_run_without_a_report_says_why():
    assert "name must be one of" in seeds.run("no-such", "quick", 1, 600)["missing"]
    assert seeds.run("xor", "full", 1, 0.01) == {"missing": "not done in 0 s"}


def test_what_an_experiment_says_of_itself_is_no_part_of_its_code(tmp_path, monkeypatch):
    file = tmp_path / "xor.py"
    module = type("Module", (), {"__file__": str(file)})
    monkeypatch.setattr(experiments, "load", lambda name: module)

    def prints(text):
        file.write_text(text)
        return seeds.fingerprint("xor")

    code = "RATE = 1\n"
    first = prints('"""Old words."""\n' + code)
    assert (
        prints('"""New words."""\nCOVERS = ("A3",)\nKEYWORDS = "exclusive or"\n# a remark\n' + code)
        == first
    )
    assert prints('"""Old words."""\nRATE = 2\n') != first
