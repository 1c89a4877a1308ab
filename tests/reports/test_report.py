import errno
import io
import json
import os
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from matplotlib.figure import Figure

from gradatim.errors import InvalidType, InvalidValue, OutputRefused, Unavailable
from gradatim.plots import new_figure
from gradatim.reports import Claim, Report
from gradatim.reports.console import PlainConsole
from gradatim.reports.report import prepare_folder

SIGNATURE = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def report():
    report = Report(title="XOR", summary="A hidden layer is needed.")
    report.claim("MLP learns", expected="accuracy = 1", measured=np.float64(1.0), holds=np.True_)
    report.text("First words.")
    report.table("Errors", columns=["model", "error"], rows=[["MLP", 0.0], ["line", float("nan")]])
    figure, axes = new_figure(width=2.0, height=1.0)
    axes.plot([0, 1])
    report.figure("loss", figure, caption="Loss.")
    report.code("python", "print(1)")
    return report


def test_holds_only_if_every_claim_holds():
    report = Report(title="t")
    assert report.holds
    report.claim("a", expected="1", measured=1, holds=True)
    assert report.holds
    report.claim("b", expected="1", measured=0, holds=False)
    assert not report.holds
    assert report.claims[1] == Claim("b", "1", 0, False)


def test_verdict_of_a_claim_is_a_plain_bool(report):
    assert report.claims[0].holds is True
    assert type(report.claims[0].measured) is float


def test_a_limit_says_and_judges_what_words_and_a_verdict_say():
    long, short = Report(title="a"), Report(title="a")
    long.claim("small", expected="< 1", measured=0.5, holds=True)
    long.claim("large", expected="> 1", measured=0.5, holds=0)
    short.claim("small", 0.5, below=1)
    short.claim("large", 0.5, above=1)
    assert short.claims == long.claims
    assert len(long.claims) == 2


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("", "≥ 90"),
        ("accuracy", "accuracy ≥ 90"),
        ("{} % of pairs", "≥ 90 % of pairs"),
        ("{x} is {}", "{x} is ≥ 90"),
    ],
)
def test_the_limit_stands_in_its_place_among_the_words(words, shown):
    report = Report(title="t")
    report.claim("a", 95, words, at_least=90)
    assert report.claims == [Claim("a", shown, 95, True)]


def test_words_of_a_verdict_stay_as_they_are():
    report = Report(title="t")
    report.claim("a", "1, 2", "{} grow", holds=[1])
    assert report.claims == [Claim("a", "{} grow", "1, 2", True)]


@pytest.mark.parametrize("how", [{"at_least": 0}, {"below": 1}, {"near": (0, 1)}, {"holds": True}])
def test_nan_bears_out_nothing(how):
    report = Report(title="t")
    report.claim("a", np.float32("nan"), **how)
    assert report.claims[0].holds is False
    assert not report.holds


def test_a_claim_has_limits_or_a_verdict():
    with pytest.raises(
        InvalidValue, match=r"limits must be given, or holds= .*, got neither in 'a'"
    ):
        Report(title="t").claim("a", 1)
    with pytest.raises(InvalidValue, match=r"limits must be given, or holds= .*, got both in 'a'"):
        Report(title="t").claim("a", 1, at_least=0, holds=True)


def test_sections_keep_their_order(report):
    assert [type(section).__name__ for section in report.sections] == [
        "Text",
        "Table",
        "Picture",
        "Code",
    ]


def test_write_makes_page_data_and_figures(report, tmp_path):
    report.settings, report.seconds = {"seed": 3, "sizes": (2, 1)}, 1.5
    page = report.write(tmp_path / "runs" / "xor")
    assert page == tmp_path / "runs" / "xor" / "report.html"
    assert sorted(os.listdir(page.parent)) == ["loss.png", "report.html", "report.json"]
    assert (page.parent / "loss.png").read_bytes().startswith(SIGNATURE)
    data = json.loads((page.parent / "report.json").read_text("utf-8"), parse_constant=pytest.fail)
    assert data["claims"] == [
        {"name": "MLP learns", "expected": "accuracy = 1", "measured": 1.0, "holds": True}
    ]
    assert data["tables"][0]["rows"] == [["MLP", 0.0], ["line", "nan"]]
    assert data["texts"] == ["First words."]
    assert data["figures"] == [{"file": "loss.png", "caption": "Loss."}]
    assert data["code"] == [{"language": "python", "source": "print(1)"}]
    assert data["settings"] == {"seed": 3, "sizes": [2, 1]}
    assert data["seconds"] == 1.5
    assert data["cpu_count"] == os.cpu_count()
    assert set(data["versions"]) == {"python", "gradatim", "torch", "numpy", "scikit-learn"}
    assert data["versions"]["numpy"] == np.__version__


def test_files_are_what_is_written(report, tmp_path, monkeypatch):
    files = report.files()
    monkeypatch.setattr(report, "files", lambda: files)
    report.write(tmp_path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == files
    assert set(files) == {"report.html", "report.json", "loss.png"}


def test_second_write_replaces_the_first(report, tmp_path):
    report.write(tmp_path)
    report.title = "Other"
    report.write(tmp_path)
    assert json.loads((tmp_path / "report.json").read_text("utf-8"))["title"] == "Other"


def test_full_disk_leaves_the_old_report_whole(report, tmp_path, monkeypatch):
    report.write(tmp_path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    report.title = "Other"

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Unavailable, match=r"No space left on device.*Choose another folder\."):
        report.write(tmp_path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_file_in_place_of_the_folder_is_one_sentence(report, tmp_path):
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(
        Unavailable, match=r"^Report\.write: folder must be writable, got '.*taken'"
    ):
        report.write(tmp_path / "taken")
    assert (tmp_path / "taken").read_text() == "mine"


@pytest.mark.parametrize("name", ["", "Loss", "../loss", "a b", "-a", "a--b"])
def test_names_of_figures_are_safe_file_names(report, name):
    with pytest.raises(
        InvalidValue, match=r"Report\.figure: name must be lower-case words joined by dashes, got"
    ):
        report.figure(name, new_figure()[0])


def test_two_figures_cannot_share_a_name(report):
    with pytest.raises(InvalidValue, match=r"name must be new in this report, got 'loss' twice"):
        report.figure("loss", new_figure()[0])


def test_a_figure_is_a_figure(report):
    with pytest.raises(InvalidType, match=r"figure must be a Matplotlib Figure, got int"):
        report.figure("other", 3)


def test_ragged_rows_are_refused(report):
    with pytest.raises(
        InvalidValue, match=r"rows must have 2 values each, one per column, got 1 in 'T'"
    ):
        report.table("T", columns=["a", "b"], rows=[[1, 2], [3]])
    with pytest.raises(InvalidValue, match=r"columns must name at least one, got none in 'T'"):
        report.table("T", columns=[], rows=[])


def test_cells_are_plain(report):
    with pytest.raises(InvalidType, match=r"Report\.table: rows must be a string or a number"):
        report.table("T", columns=["a"], rows=[[{}]])


def test_only_files_of_an_older_report_are_replaced(report, tmp_path):
    report.write(tmp_path)
    (tmp_path / "loss.txt").write_text("mine")
    report.sections = [s for s in report.sections if s not in report.pictures]
    report.write(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["loss.txt", "report.html", "report.json"]


@pytest.mark.parametrize("name", ["report.html", "report.json", "loss.png"])
def test_a_file_of_others_is_not_replaced(report, tmp_path, name):
    (tmp_path / name).write_text('{"mine": 1}')
    with pytest.raises(OutputRefused, match=f"'{name}' is not ours"):
        report.write(tmp_path)
    if name != "loss.png":
        with pytest.raises(OutputRefused, match=f"folder must not hold a {name} of others"):
            prepare_folder(tmp_path)
    assert [p.read_text() for p in tmp_path.iterdir()] == ['{"mine": 1}']


def test_the_report_of_a_model_is_not_replaced(tmp_path):
    (tmp_path / "model.json").write_text('{"versions": {"gradatim": "0.1"}}')
    with pytest.raises(OutputRefused, match="folder must not be that of a model"):
        prepare_folder(tmp_path)


class Broken(Figure):
    def savefig(self, *args, **kwargs):
        raise ValueError("no such\nglyph")


def test_a_figure_that_cannot_be_drawn_is_left_out_and_said(report):
    report.figure("broken", Broken())
    files = report.files()
    assert {"loss.png", "report.html", "report.json"} == set(files)
    sentence = "The figure broken could not be drawn and is left out (ValueError: no such glyph)."
    assert report.left_out == [sentence]
    assert sentence in json.loads(files["report.json"])["texts"]
    assert sentence.encode() in files["report.html"]


NASTY = [
    "$20 to $30^",
    "\x1b[31mred",
    "[bold]b[/]",
    "</script><b>",
    "\udcff",
    "\u202etxt",
    "`a`",
    "\x9b2J",
    'x" onload="y',
]


def tags(page):
    """Elements of a page, each with the names of its attributes."""
    found = {}
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: found.setdefault(tag, set()).update(dict(attributes))  # fmt: skip
    parser.feed(page)
    return found


def test_nasty_text_is_text_on_page_in_data_and_on_the_terminal():
    for name in NASTY:
        report = Report(title=name, summary=name, settings={name: name})
        report.claim(name, name, holds=True, expected=name)
        report.text(name)
        report.table(name, columns=[name], rows=[[name]])
        report.code("python", name)
        figure, axes = new_figure(width=2.0, height=1.0)
        axes.set_title(name)
        report.figure("f", figure, caption=name)
        files = report.files()
        page = files["report.html"].decode()
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", page)
        assert not {"b", "script"} & tags(page).keys()
        assert "onload" not in {attribute for found in tags(page).values() for attribute in found}
        assert json.loads(files["report.json"])["tables"][0]["columns"] == [name]
        out = io.StringIO()
        report.show(PlainConsole(file=out, width=100, highlight=False))
        shown = out.getvalue()
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", shown)
        if name == "[bold]b[/]":
            assert name in shown
