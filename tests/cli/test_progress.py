from gradatim.cli import progress
from gradatim.cli.progress import StageBar
from gradatim.events import Sample, Stage


def test_a_line_now_and_then_where_there_is_no_terminal(capsys, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    with StageBar() as bar:
        for second in range(25):
            clock[0] = float(second)
            bar.tell(Stage(f"stage {second}", second / 25))
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "stage 11\nstage 22\n"


def test_samples_stay_on_a_terminal_above_the_bar(capsys, monkeypatch):
    bar = StageBar()
    bar.tell(Sample("round 1", "once upon"))  # no terminal: the sample is left out
    monkeypatch.setattr(type(bar.console), "is_terminal", True)
    bar.tell(Sample("round 2", "a time"))
    err = capsys.readouterr().err
    assert "once upon" not in err
    assert "round 2\na time\n" in err
