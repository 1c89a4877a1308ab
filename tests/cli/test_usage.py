import pytest


@pytest.mark.parametrize(
    ("words", "message", "path"),
    [
        (["rum"], "gradatim: no command 'rum'. Did you mean 'run'?", "gradatim"),
        (["data", "gte"], "gradatim data: no command 'gte'. Did you mean 'get'?", "gradatim data"),
        (
            ["run", "x", "--qick"],
            "gradatim run: no option '--qick'. Did you mean '--quick'?",
            "gradatim run",
        ),
        (["--verion"], "gradatim: no option '--verion'. Did you mean '--version'?", "gradatim"),
        (["run"], "gradatim run: missing argument 'NAME'.", "gradatim run"),
        (["data", "get"], "gradatim data get: missing argument 'NAME...'.", "gradatim data get"),
    ],
)
def test_mistakes_are_two_plain_lines(call, words, message, path):
    assert call(*words) == (2, "", f"{message}\nSee '{path} --help'.\n")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["run", "x", "--seed", "a"], "'--seed'"),
        (["run", "x", "--seed"], "--seed"),
        (["run", "x", "y"], "unexpected extra argument"),
    ],
)
def test_other_usage_errors_name_the_argument(call, words, part):
    code, out, err = call(*words)
    assert (code, out) == (2, "")
    first, second = err.splitlines()
    assert part in first
    assert first.startswith("gradatim")
    assert first.endswith(".")
    assert second.startswith("See 'gradatim ")
