import os
import socket

import pytest

from gradatim.cli import main
from gradatim.errors import InvalidValue, Unavailable
from gradatim.files import check_regular


def make_pipe(path):
    os.mkfifo(path)


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(str(path))


def make_link(path):
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize(
    ("make", "kind"),
    [(make_pipe, "pipe"), (make_socket, "socket"), (make_link, "device"), (os.mkdir, "folder")],
)
def test_what_never_ends_or_is_no_file_is_refused(tmp_path, monkeypatch, make, kind):
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "t.csv")
    with pytest.raises(InvalidValue, match=rf"t.csv: must be a file, and is a {kind}\."):
        check_regular(tmp_path / "t.csv")


def test_a_file_and_a_link_to_one_pass_and_a_missing_one_does_not(tmp_path):
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    check_regular(tmp_path / "a")
    check_regular(tmp_path / "b")
    with pytest.raises(Unavailable, match="there is no such file"):
        check_regular(tmp_path / "c")


@pytest.mark.parametrize("options", [[], ["--text", "t"], ["--forecast", "3"], ["--language-model"], ["--translate"]])  # fmt: skip
@pytest.mark.parametrize(("make", "kind"), [(make_pipe, "pipe"), (make_link, "device")])
def test_fit_says_at_once_that_it_cannot_read_a_pipe(tmp_path, monkeypatch, capsys, options, make, kind):  # fmt: skip
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "t.csv")
    target = [] if options and options[0] != "--text" else ["--target", "y"]
    assert main(["fit", "t.csv", *target, *options]) in (1, 2)
    sentence = f"t.csv: must be a file, and is a {kind}. Save the data to a file first.\n"
    assert capsys.readouterr().err == sentence
