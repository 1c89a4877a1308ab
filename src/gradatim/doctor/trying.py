"""Inside a trial: the user's own loop goes on with one thing repaired, silenced, for a limited number of steps."""

import builtins
import fcntl
import io
import os
import signal
import sys
import time
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from gradatim.doctor.facts import Place
from gradatim.doctor.pipes import send
from gradatim.doctor.probing import Probe, probe
from gradatim.doctor.repairs import repair
from gradatim.doctor.tracing import Tracer

if TYPE_CHECKING:
    from gradatim.doctor.observing import Observer

FORBIDDEN = ("socket.connect", "socket.bind", "subprocess.Popen", "os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.system", "os.remove", "os.rename", "os.rmdir", "os.mkdir", "shutil.rmtree", "shutil.move", "os.truncate", "os.link", "os.symlink")  # fmt: skip


class Trial:
    """Counts steps, keeps losses, and ends the process when it has seen enough."""

    def __init__(self, order: dict[str, Any], pipe: int) -> None:
        self.order, self.pipe = order, pipe
        self.losses: list[float] = []
        self.started = time.perf_counter()

    def step(self, loss: float) -> None:
        """After a step."""
        self.losses.append(loss)
        if len(self.losses) >= self.order["steps"]:
            self.end("done")

    def end(self, how: str, **told: Any) -> None:
        """Tell the losses and leave at once."""
        finite = [x if x == x and abs(x) < 1e300 else None for x in self.losses]
        send(self.pipe, {"losses": finite, "ended": how, **told})
        os._exit(0)


def begin(observer: "Observer", order: dict[str, Any], pipe: int) -> None:
    """Turn this process into a trial; afterwards the caller returns into the user's loop.

    Args:
        observer: Of the run; it counts steps on.
        order: What to repair, how many steps, how long.
        pipe: Where the result goes.
    """
    trial = Trial(order, pipe)
    silence(trial, pipe)
    signal.signal(signal.SIGALRM, lambda *_: trial.end("time"))
    signal.setitimer(signal.ITIMER_REAL, float(order["seconds"]))
    observer.hooks.detaching.watch(False)
    observer.on_round = None
    observer.max_steps = observer.max_seconds = observer.stopped = None
    watcher = Follower(observer, trial)
    observer.become(watcher)
    if order["repair"] == "probe":
        answer = observer.safely("altered inputs", probe_calls, observer)
        trial.end("failed", notes=observer.safely.notes) if answer is None else trial.end(
            "probed", **answer
        )
    elif order["repair"] == "trace":
        watcher.tracer = Tracer(trial, order["at"])
        if order["at"] == 0:  # its forward is over
            observer.safely("the first step again", call_again, observer)
    else:
        repair(observer, order["repair"], order.get("value", 1.0))


def call_again(observer: "Observer") -> None:
    """Make the calls of the step under way once more, while somebody looks."""
    for call in [call for call in observer.calls.pending if call.has_gradient]:
        call.module(*call.arguments, **call.named)


def probe_calls(observer: "Observer") -> dict[str, Any]:
    """What altered inputs tell of the first model that is about to learn."""
    training = [call for call in observer.calls.pending if call.has_gradient]
    loss = next((x for x in observer.losses.values() if isinstance(x.target, Tensor)), None)
    if len({id(call.module) for call in training}) != 1:
        return {}
    call = training[0]
    observer.calls.disarm()
    observer.calls.roots[call.module] = True
    observer.calls.learn_names()
    loaded = observer.hooks.loader is not None
    found = probe(call.module, call.arguments, call.named, loss.target if loss else None, rows_first=loaded)  # fmt: skip
    place, layer = found.place, None
    if found.part is not None:
        layer = observer.calls.name(found.part)
        place = observer.calls.made.get(found.part, Place())
    place = place if place.line is not None else call.place
    told = {"mixes": found.mixes, "leaks": found.leaks, "layer": layer, "file": place.file, "line": place.line}  # fmt: skip
    return told | _memory(observer, found)


def _memory(observer: "Observer", found: Probe) -> dict[str, Any]:
    """A recurrent layer that loses or blows up its gradients over time."""
    if found.memory is None:
        return {}
    part, ratio, steps = found.memory
    made = observer.calls.made.get(part, Place())
    place = {"file": made.file, "line": made.line, "layer": observer.calls.name(part)}
    return {"memory": ratio, "memory_steps": steps, "memory_type": type(part).__name__, "memory_place": place}  # fmt: skip


class Follower:
    """Takes the place of the observer's recording: one loss per step, nothing else."""

    def __init__(self, observer: "Observer", trial: Trial) -> None:
        self.observer, self.trial = observer, trial
        self.tracer: Tracer | None = None

    def round(self, loss: float) -> None:
        """A step is over."""
        self.trial.step(loss)
        if self.tracer is not None:
            self.tracer.round(len(self.trial.losses))


def silence(trial: Trial, pipe: int) -> None:
    """Nothing that a trial does may be seen outside: what it writes goes nowhere, what it may not do ends it."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for name in os.listdir("/proc/self/fd"):
        descriptor = int(name)
        if descriptor in (pipe, nowhere):
            continue
        try:
            flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
        except OSError:
            continue
        if flags & (os.O_WRONLY | os.O_RDWR) or descriptor in (1, 2):
            os.dup2(nowhere, descriptor)
    real = builtins.open

    def harmless(file: Any, mode: str = "r", *arguments: Any, **named: Any) -> Any:
        if isinstance(mode, str) and any(letter in mode for letter in "wax+"):
            file = os.devnull if not isinstance(file, int) else file
            mode = mode.replace("x", "w")
        return real(file, mode, *arguments, **named)

    builtins.open = harmless
    io.open = harmless
    torch.save = lambda *_, **__: None
    torch.set_num_threads(1)

    def guard(event: str, arguments: Any) -> None:
        if event in FORBIDDEN or (event == "open" and _writes(arguments)):
            trial.end("forbidden")

    sys.addaudithook(guard)


def _writes(arguments: Any) -> bool:
    path, mode, flags = ([*arguments, None, 0, 0])[:3]
    if path == os.devnull or isinstance(path, int):
        return False
    return bool(isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)) or bool(
        isinstance(mode, str) and any(letter in mode for letter in "wax+")
    )
