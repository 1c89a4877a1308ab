import logging
import os
import signal
import subprocess
import sys
import warnings

import pytest

from gradatim.cli import main

SCRIPT = [sys.executable, "-m", "gradatim"]


def test_help_imports_no_heavy_library():
    heavy = ("torch", "numpy", "pandas", "matplotlib", "sklearn", "scipy")
    script = (
        "import sys; from gradatim.cli import main; main(['--help']);"
        f"print([m for m in {heavy} if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.splitlines()[-1] == "[]"


def test_module_is_the_command_line():
    done = subprocess.run([*SCRIPT, "lst"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stdout == ""
    assert (
        done.stderr == "gradatim: no command 'lst'. Did you mean 'list'?\nSee 'gradatim --help'.\n"
    )


def test_reader_that_leaves_is_met_quietly():
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*SCRIPT, "--help"], stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert done.stderr == ""
    assert done.returncode == 1


def test_narrow_encoding_does_not_fail():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run([*SCRIPT, "data", "list"], capture_output=True, env=environment)
    assert done.returncode == 0
    assert b"digits" in done.stdout
    assert done.stderr == b""


def test_unavailable_is_one_sentence_and_exit_1(call, parity):
    code, _, err = call("run", parity, "--set", "fault=unavailable")
    assert code == 1
    assert err == "data: the set is not here. Run 'gradatim data get mnist'.\n"


def test_unexpected_error_names_its_type_and_debug(call, parity):
    code, _, err = call("run", parity, "--set", "fault=unexpected")
    assert code == 1
    assert err == (
        "gradatim: unexpected ZeroDivisionError: division by zero. Add --debug for the traceback.\n"
    )


@pytest.mark.parametrize("place", [0, 1, 4])
def test_debug_shows_the_traceback_wherever_it_stands(call, parity, place):
    words = ["run", parity, "--set", "fault=unexpected"]
    words.insert(place, "--debug")
    code, _, err = call(*words)
    assert code == 1
    assert "Traceback (most recent call last)" in err
    assert err.endswith("gradatim: unexpected ZeroDivisionError: division by zero.\n")


def test_debug_shows_the_traceback_of_a_users_mistake_too(call):
    code, _, err = call("--debug", "run", "no-such-experiment")
    assert code == 2
    assert "Traceback" in err


@pytest.mark.parametrize("fault", ["swallow", "turn"])
def test_ctrl_c_that_a_library_swallows_or_turns_into_another_error_is_130(call, parity, fault):
    code, _, err = call("run", parity, "--set", f"fault={fault}")
    assert code == 130
    assert err == "Interrupted.\n"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("then", ["return 130", "raise"])
@pytest.mark.parametrize("strike", ["exec('raise KeyboardInterrupt')", "raise KeyboardInterrupt"])
def test_ctrl_c_is_130_wherever_it_strikes(strike, then):
    """Python itself would end by the signal where the exception came out of ``exec``."""
    script = f"""
import gradatim.cli, sys
from gradatim.__main__ import run

def main():
    try:
        {strike}
    except KeyboardInterrupt:
        print("caught", end="")
        {then}

gradatim.cli.main = main
sys.exit(run())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (130, "caught")
    assert done.stderr == ("Interrupted.\n" if then == "raise" else "")


def test_ctrl_c_that_is_ignored_stays_so(call, parity):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert call("run", parity, "--set", "fault=swallow")[0] == 0
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def test_interruption_is_130(call, parity):
    code, _, err = call("run", parity, "--set", "fault=interrupt")
    assert code == 130
    assert err == "Interrupted.\n"


def test_arguments_default_to_those_of_the_process(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["gradatim", "--version"])
    assert main() == 0
    assert capsys.readouterr().out.startswith("gradatim ")


def test_what_other_libraries_warn_of_is_for_debugging(monkeypatch, capsys):
    def noisy(words):
        warnings.warn("overflow encountered", RuntimeWarning, stacklevel=1)
        logging.getLogger("other").warning("font not found")
        return 0

    monkeypatch.setattr(sys.modules["gradatim.cli.main"], "_invoke", noisy)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        assert main(["list"]) == 0
    assert (found, capsys.readouterr().err) == ([], "")
    with pytest.warns(RuntimeWarning, match="overflow encountered"):
        assert main(["list", "--debug"]) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert main(["list"]) == 1  # filters stay whose they are
