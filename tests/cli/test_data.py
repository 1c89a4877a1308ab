from gradatim import data


def test_list_shows_every_set(call):
    code, out, err = call("data", "list")
    assert (code, err) == (0, "")
    rows = {line.split()[0]: line.split() for line in out.splitlines() if line.strip()}
    assert rows["digits"][1:5] == ["classification", "1,797", "–", "yes"]
    assert {entry.name for entry in data.catalogue()} <= set(rows)
    assert max(map(len, out.splitlines())) <= 80


def test_sets_of_one_download_share_a_table(call, monkeypatch, tmp_path):
    monkeypatch.setenv("GRADATIM_HOME", str(tmp_path))
    _, out, _ = call("data", "list")
    assert "51 sets in one download of 77 MB" in out
    (row,) = [line.split() for line in out.splitlines() if line.startswith("ucr-ECG5000 ")]
    assert row == ["ucr-ECG5000", "classification", "5,000", "no"]


def test_list_says_what_is_missing(call, monkeypatch, tmp_path):
    monkeypatch.setenv("GRADATIM_HOME", str(tmp_path))
    _, out, _ = call("data", "list")
    (row,) = [line.split() for line in out.splitlines() if line.startswith("mnist ")]
    assert row[1:6] == ["classification", "70,000", "65", "MB", "no"]


def test_path_is_the_cache(call, monkeypatch, tmp_path):
    monkeypatch.setenv("GRADATIM_HOME", str(tmp_path / "cache"))
    assert call("data", "path") == (0, f"{tmp_path / 'cache'}\n", "")


def test_get_reports_on_stderr_and_prints_the_folder(call, monkeypatch, tmp_path):
    monkeypatch.setenv("GRADATIM_HOME", str(tmp_path))
    code, out, err = call("data", "get", "digits", "iris")
    assert (code, out) == (0, f"{tmp_path}\n{tmp_path}\n")
    assert err == "digits needs no download\niris needs no download\n"


def test_unknown_set_names_the_nearest(call):
    code, out, err = call("data", "get", "minst")
    assert (code, out) == (2, "")
    assert err.endswith("got 'minst'. Try 'mnist'.\n")


def test_no_command_shows_the_help(call):
    code, out, err = call("data")
    assert (code, err) == (0, "")
    assert out.startswith("Usage: gradatim data ")
