import signal
import subprocess
import sys
import textwrap
from functools import partial

import numpy as np
import pytest
import torch

from gradatim.bayes import SAMPLERS, Sampler, hmc, mala, running, sample
from gradatim.errors import GradatimError, OutputRefused
from gradatim.events import Stage

START = torch.randn(4, 2, generator=torch.Generator().manual_seed(0))
SHORT = {"draws": 20, "warmup": 30, "progress": False}


def bowl(x):
    return -x.square().sum(1) / 2


@pytest.mark.parametrize("name", SAMPLERS)
class TestEverySampler:
    def test_it_draws_from_a_gaussian(self, name):
        """64 chains, means and variances of a correlated Gaussian, by the spread between chains."""
        spread = torch.tensor([[1.0, 0.8], [0.8, 2.0]]).double()
        precision = torch.linalg.inv(spread)

        def log_density(x):
            return -((x - 3) @ precision * (x - 3)).sum(1) / 2

        start = 3 + torch.randn(64, 2, generator=torch.Generator().manual_seed(0)).double()
        trace = sample(
            log_density, start, sampler=name, draws=300 if name != "nuts" else 60, warmup=200
        )
        bias = 0.08 if name in ("sgld", "sghmc") else 0.0  # they reject nothing
        for power, expected in ((1, torch.zeros(2)), (2, spread.diagonal())):
            each = (trace.draws - 3).pow(power).mean(1)  # of every chain
            error = each.std(0) / 8
            assert ((each.mean(0) - expected).abs() < 4 * error + bias * expected).all()

    def test_equal_seeds_give_equal_draws(self, name):
        one, two, other = (sample(bowl, START, sampler=name, seed=seed, **SHORT) for seed in (1, 1, 2))  # fmt: skip
        assert torch.equal(one.draws, two.draws)
        assert not torch.equal(one.draws, other.draws)

    def test_an_interrupted_run_goes_on_to_the_same_draws(self, name, tmp_path):
        """Ctrl-C after any number of evaluations, in warm-up, at its end or later."""
        calls, stops = 0, set()

        def tired(x):
            nonlocal calls
            calls += 1
            if calls in stops:
                raise KeyboardInterrupt
            return bowl(x)

        whole = sample(tired, START, sampler=name, **SHORT)
        stops, calls = {calls // 4, calls // 2, 3 * calls // 4}, 0
        path = tmp_path / "run.safetensors"
        for _ in stops:
            with pytest.raises(KeyboardInterrupt):
                sample(tired, START, sampler=name, checkpoint=path, **SHORT)
        resumed = sample(tired, START, sampler=name, checkpoint=path, **SHORT)
        assert torch.equal(resumed.draws, whole.draws)
        assert resumed.step_size == whole.step_size
        assert all(torch.equal(resumed.info[key], value) for key, value in whole.info.items())


def test_a_finished_run_is_read_back_without_a_draw(tmp_path):
    path = tmp_path / "run.safetensors"
    first = sample(bowl, START, checkpoint=path, **SHORT)
    calls = []

    def counted(x):
        calls.append(len(x))
        return bowl(x)

    again = sample(counted, START, checkpoint=path, **SHORT)
    assert torch.equal(again.draws, first.draws)
    assert calls == [4]  # to look at the start


def test_a_killed_run_goes_on_to_the_same_draws(tmp_path):
    script = """
        import os, signal, sys, torch
        from gradatim.bayes import running, sample
        running.SECONDS, calls = 0.0, 0
        def bowl(x):
            global calls
            calls += 1
            if calls == 150:
                os.kill(os.getpid(), signal.SIGKILL)
            return -x.square().sum(1) / 2
        start = torch.tensor([[0.5, 1.0], [-1.0, 0.3]])
        sample(bowl, start, sampler="hmc", draws=20, warmup=30, checkpoint=sys.argv[1])
    """
    path, calls = tmp_path / "run", []
    command = [sys.executable, "-c", textwrap.dedent(script), str(path)]
    assert subprocess.run(command).returncode == -signal.SIGKILL

    def counted(x):
        calls.append(len(x))
        return bowl(x)

    start = torch.tensor([[0.5, 1.0], [-1.0, 0.3]])
    resumed = sample(counted, start, sampler="hmc", checkpoint=path, **SHORT)
    spent = len(calls)
    whole = sample(counted, start, sampler="hmc", **SHORT)
    assert torch.equal(resumed.draws, whole.draws)
    assert 1 < spent < len(calls) - spent - 100
    assert [each.name for each in tmp_path.iterdir()] == ["run"]


def test_a_file_of_another_run_is_refused(tmp_path):
    path = tmp_path / "run"
    sample(bowl, START, checkpoint=path, **SHORT)
    for changes, word in (({"seed": 3}, "seed"), ({"draws": 21}, "draws"), ({"sampler": "hmc"}, "sampler")):  # fmt: skip
        with pytest.raises(GradatimError, match=f"got one with another {word} in '.*run'. Give another file"):  # fmt: skip
            sample(bowl, START, checkpoint=path, **(SHORT | changes))
    with pytest.raises(GradatimError, match="with another start"):
        sample(bowl, START + 1, checkpoint=path, **SHORT)
    foreign = tmp_path / "foreign.csv"
    foreign.write_text("a,b\n1,2\n")
    with pytest.raises(OutputRefused, match="sample: checkpoint must be new"):
        sample(bowl, START, checkpoint=foreign, **SHORT)
    assert foreign.read_text() == "a,b\n1,2\n"


def test_one_chain_at_a_time_is_vectorized():
    def one(x):
        return -(x @ x) / 2

    alone = sample(one, START, is_batched=False, **SHORT)
    torch.testing.assert_close(alone.draws, sample(bowl, START, **SHORT).draws)

    def of_names(v):
        return -(v["a"] ** 2) / 2 - (v["b"] ** 2).sum() / 2

    start = {"a": START[:, 0], "b": START}
    trace = sample(of_names, start, is_batched=False, **SHORT)
    assert trace.draws["b"].shape == (4, 20, 2)


def test_arrays_and_whole_numbers_are_taken():
    trace = sample(bowl, [[0, 1], [2, 3]], **SHORT)
    assert trace.draws.dtype == torch.float32
    same = sample(bowl, np.array([[0.0, 1.0], [2.0, 3.0]], dtype=np.float32), **SHORT)
    assert torch.equal(same.draws, trace.draws)


def test_a_sampler_of_ones_own():
    short = Sampler(hmc.init, partial(hmc.step, num_steps=3), mass="dense", target_acceptance=0.9)
    trace = sample(bowl, START, sampler=short, draws=200, warmup=300)
    assert trace.inverse_mass.shape == (2, 2)
    assert 0.8 < trace.acceptance < 0.98
    fixed = sample(bowl, START, sampler=Sampler(mala.init, mala.step, step_size=0.25, mass="unit"), **SHORT)  # fmt: skip
    assert fixed.step_size == 0.25
    assert fixed.inverse_mass is None


def test_the_mass_is_the_covariance():
    spread = torch.tensor([[4.0, 0.9], [0.9, 0.25]]).double()
    precision = torch.linalg.inv(spread)
    dense = SAMPLERS["nuts"]._replace(mass="dense")
    start = torch.randn(16, 2).double()
    trace = sample(lambda x: -(x @ precision * x).sum(1) / 2, start, sampler=dense, draws=10, warmup=200)  # fmt: skip
    torch.testing.assert_close(trace.inverse_mass, spread, rtol=0.2, atol=0.1)
    diagonal = sample(lambda x: -(x @ precision * x).sum(1) / 2, start, draws=10, warmup=200)
    torch.testing.assert_close(diagonal.inverse_mass, spread.diagonal(), rtol=0.2, atol=0.05)


def test_it_tells_how_far_it_is():
    told = []
    sample(bowl, START, draws=5, warmup=5, progress=told.append)
    assert told[0] == Stage("warm-up 1 of 5", 0.1)
    assert told[-1] == Stage("draw 5 of 5", 1.0)


def test_no_warm_up_and_hardly_any():
    for warmup in (0, 1, 7):
        for name in SAMPLERS:
            trace = sample(bowl, START, sampler=name, draws=3, warmup=warmup, progress=False)
            assert torch.isfinite(trace.draws).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"log_density": lambda x: x[:, 0].log()}, r"must be finite where a chain starts, got nan in chain \d of 4. Start inside the support"),
        ({"log_density": lambda x: bowl(x) - torch.inf}, "got -inf in chain 1 of 4"),
        ({"log_density": lambda x: bowl(x).sum()}, r"must map 4 rows to as many numbers, got shape \(\)"),
        ({"log_density": lambda x: x.detach().sum(1)}, "got one without a gradient. Try sampler='metropolis'"),
        ({"start": torch.zeros(2)}, r"must have a row per chain, shape \(chains, d\), got shape \(2,\)"),
        ({"sampler": "nut"}, "sampler must be one of nuts, .*, got 'nut'. Try 'nuts'."),
        ({"sampler": Sampler(mala.init, mala.step, step_size=0.0)}, "mala: step_size must be more than 0, got 0.0"),
        ({"draws": 0}, "sample: draws must be a whole number from 1, got 0"),
        ({"warmup": -1}, "sample: warmup must be a whole number from 0, got -1"),
        ({"seed": -1}, "sample: seed must be a whole number from 0"),
        ({"sampler": SAMPLERS["sgld"]._replace(step_size=9.0), "warmup": 0, "draws": 400}, r"got chain \d at infinity after .* draws. Give a Sampler with a smaller step_size"),
    ],
)  # fmt: skip
def test_bad_input_is_said_in_a_sentence(changes, message):
    arguments = {"log_density": bowl, "start": START, "draws": 5, "warmup": 5} | changes
    with pytest.raises(GradatimError, match=message):
        sample(**arguments)


def test_one_chain_and_one_draw_are_drawn_and_judged():
    lonely = sample(bowl, START[:1], sampler="hmc", draws=500, warmup=100)
    assert not lonely.is_trusted
    assert "One chain has no other to agree with; start four" in lonely.verdict
    single = sample(bowl, START, draws=1, warmup=50)
    assert not single.is_trusted
    assert "1 draw of a chain cannot be judged; ask for 1,000." in single.verdict
    assert single.summary()["r_hat"].isna().all()
    assert single.draws.shape == (4, 1, 2)


def test_the_file_is_written_now_and_then(tmp_path, monkeypatch):
    written = []
    monkeypatch.setattr(running, "save_run", lambda path, *rest: written.append(rest[1]["done"]))
    monkeypatch.setattr(running, "SECONDS", 0.0)
    sample(bowl, START, draws=2, warmup=3, checkpoint=tmp_path / "run")
    assert written == [1, 2, 3, 4, 5, 5]
