"""The observer: follows a training loop from outside, and changes nothing about its results."""

import math
import time
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from gradatim.doctor.births import Births
from gradatim.doctor.calls import Call, Calls
from gradatim.doctor.evaluating import Evaluations
from gradatim.doctor.facts import Facts, Model, Paired, Place, Witness, joined
from gradatim.doctor.graph import Compared, Reader
from gradatim.doctor.hooks import Hooks
from gradatim.doctor.losing import Lost, find_lost
from gradatim.doctor.origins import loops_around
from gradatim.doctor.patching import Safely
from gradatim.doctor.places import follow, user_place
from gradatim.doctor.recording import Recorder
from gradatim.doctor.rows import Rows
from gradatim.doctor.structure import Structure
from gradatim.doctor.terms import Terms
from gradatim.doctor.updates import Slot, Updates

FIRST = 16  # steps that are all looked at
TRACED = 2  # steps whose operations get their lines
OPTIONS = ("lr", "momentum", "betas", "eps", "weight_decay")  # whose lines are looked for
MOST_PHASES = 6  # of optimizers that take over from each other; more are players in turns
PLAYERS = 8  # steps of another optimizer after which it is the one that counts


class Observer:
    """Watches backward passes, optimizer steps and calls of modules.

    Args:
        every: After the first 16 steps every so many-th is looked at.
        max_steps: Ends the run after so many steps.
        max_seconds: Ends it after so long.

    Example:
        >>> from torch import nn
        >>> model = nn.Linear(2, 1)
        >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        >>> observer = Observer()
        >>> with observer:
        ...     for _ in range(3):
        ...         optimizer.zero_grad()
        ...         model(torch.ones(4, 2)).pow(2).mean().backward()
        ...         _ = optimizer.step()
        >>> observer.facts().steps
        3
    """

    def __init__(
        self,
        *,
        every: int = 20,
        max_steps: int | None = None,
        max_seconds: float | None = None,
    ) -> None:
        self.every, self.max_steps, self.max_seconds = every, max_steps, max_seconds
        self.safely = Safely()
        self.calls, self.updates, self.terms, self.rows = Calls(self.safely), Updates(), Terms(), Rows()  # fmt: skip
        self.record, self.structure = Recorder(), Structure()
        self.evaluations = Evaluations(self.calls, self.rows)
        self.births = Births(self.safely)
        self.hooks = Hooks(self)
        self.round = self.passes = self.steps = 0
        self.sampled, self.deep = True, True
        self.stopped: str | None = None
        self.why_stopped = ""
        self.compiled = False
        self.phase_start = 0  # step in which the optimizer that counts took over from another
        self.losses: dict[Any, Compared] = {}
        self.models: list[
            Model
        ] = []  # as they were last seen: a script may let go of them before it ends
        self.witnesses: dict[str, Witness] = {}
        self.past: list[dict[str, Witness]] = []  # those of earlier phases
        self.on_first_backward: Callable[[], None] | None = None
        self.on_round: Callable[[], None] | None = None
        self.scale_gradient: float | None = None  # of a trial
        self.follower: Any = None
        self.lost: Lost | None = None  # what a failed backward missed
        self._lead: Slot | None = None
        self._others = 0
        self._values: list[Tensor | float] = []
        self._backward_place = Place()
        self._started = time.perf_counter()
        self._traced = False
        self._described: tuple[int, int] | None = (
            None  # models and layers when they were last described
        )
        self._last_number = 0  # of the autograd nodes, at the end of the last backward

    def know(self, model: nn.Module | None, optimizer: Optimizer | None) -> None:
        """Take in a model and an optimizer that were made before."""
        for module in model.modules() if model is not None else ():
            self.calls.made.setdefault(module, Place())
        if optimizer is not None:
            self.updates.made(optimizer, Place())

    # --- life

    def __enter__(self) -> "Observer":
        self._started = time.perf_counter()
        self.hooks.install()
        self.births.install()
        self._look()
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def close(self) -> None:
        """Put everything back as it was."""
        self._trace(False)
        self.births.remove()
        self.hooks.remove()
        self.calls.disarm()
        self.safely("the last step", self._flush)
        self.safely("evaluations", self.evaluations.finish, self.steps)

    def is_sampled(self, number: int) -> bool:
        """Whether a step is looked at: by its number, so that the same seed gives the same findings."""
        return 0 <= number - self.phase_start < FIRST or number < FIRST or number % self.every == 0

    def _look(self) -> None:
        """Decide how closely the coming step is looked at."""
        number, own = self.round, self.round - self.phase_start
        own = number if own < 0 else own  # within its phase
        self.sampled = self.follower is None and self.is_sampled(number)
        regular = number % (self.every if number < 200 else 5 * self.every) == 0
        self.deep = self.sampled and (own < 4 or own in (8, 15) or (regular and number > 0))
        self.calls.keeps_layers = self.deep and not self.compiled
        if self.sampled and not self.compiled:
            self.calls.arm()
        else:
            self.calls.disarm()
        self._trace(self.sampled and own < TRACED and not self.compiled)
        self.hooks.detaching.watch(self.sampled and own < TRACED + 1)

    def _trace(self, wanted: bool) -> None:
        """Anomaly mode gives every operation its line; NaN is not looked for."""
        if wanted and not self._traced and not torch.is_anomaly_enabled():
            torch.set_anomaly_enabled(True, False)
            self._traced = True
        elif not wanted and self._traced:
            torch.set_anomaly_enabled(False)
            self._traced = False

    # --- moments

    def backward(
        self, original: Callable[..., Any], roots: Any, *arguments: Any, **named: Any
    ) -> Any:
        """Around every backward pass."""
        if self.passes == 0:
            self.births.remove()
            if self.on_first_backward is not None:
                self.safely("the spare process", self.on_first_backward)
        self.safely("the loss", self.before_backward, roots)
        if (
            self.scale_gradient is not None
            and isinstance(roots, Tensor)
            and (not arguments or arguments[0] is None)
        ):
            arguments = (torch.full_like(roots, self.scale_gradient), *arguments[1:])
        try:
            result = original(roots, *arguments, **named)
            self._last_number = torch._C._autograd._get_sequence_nr()
            return result
        except RuntimeError as error:
            self.safely("the broken graph", self._broken, roots, error)
            raise
        finally:
            if self.sampled:
                self.safely("gradients", self.updates.after_backward)
            self._release()

    def before_backward(self, roots: Any) -> None:
        """Read the loss and its graph."""
        root = roots if isinstance(roots, Tensor) else next(iter(roots))
        if self._lead is None and self.passes:
            self._end_round(None)
        self.passes += 1
        value = root.detach()
        if value.numel() != 1:
            value = value.sum()
        self._values.append(value.item() if value.device.type == "cpu" else value)
        if self.sampled:
            self._backward_place = user_place()
            self.safely("gradients before", self.updates.before_backward)
            self.safely("the graph", self._read, root)

    def _read(self, root: Tensor) -> None:
        training, evaluated = self._split_calls()
        for call in evaluated:
            self.evaluations.add(call, self.steps)
        self.evaluations.end(self.steps)
        self.count("backward", True, self._backward_place)
        node = root.grad_fn
        if node is None:
            self.count(f"detached@{self._backward_place.line}", True, self._backward_place)
            self._all_frozen(evaluated)
            self.structure.reach.detachings(self, [], {})
            return
        if self.deep:
            self.calls.roots.update((call.module, True) for call in training)
            self.calls.learn_names()
        reader = Reader(self.losses, self.calls.results)
        found = reader.read(node)
        self.terms.whole = self.terms.whole and reader.whole
        target = self._main_target(found, training)
        self.terms.pairs.begin(self.round, float(root.detach().sum()))
        if not reader.whole:
            self.terms.pairs.add((), 1.0, None, "", weighted=False)
        for term in found:
            self.terms.add(term, self.calls.layers, self.made_at)
        for call in training:
            self.calls.roots[call.module] = True
            self._training_call(call, target)
        if self.deep:
            self.safely("the structure", self.structure.look, self, node, training)
            if self.calls.count != self._described:  # not again and again
                self._described = self.calls.count
                self.models = self.safely("models", self.calls.describe) or self.models

    def _all_frozen(self, calls: list[Call]) -> None:
        """Nothing leads back to the last model that was called, because nothing in it wants a gradient."""
        if calls and not any(p.requires_grad for p in calls[-1].module.parameters()):
            self.count("frozen-all", True, self.frozen_place(calls[-1].module))

    def frozen_place(self, module: nn.Module) -> Place:
        """The line that froze a model, else that of its backward pass."""
        known = [self.births.frozen_at(p) for p in module.parameters()]
        return next((p for p in known if p is not None), self._backward_place)

    def _split_calls(self) -> tuple[list[Call], list[Call]]:
        """Calls that lead to this backward, and calls before them that were evaluations."""
        pending, self.calls.pending = self.calls.pending, []
        training = [c for c in pending if c.has_gradient]
        last = {id(c.module): c for c in training}
        has_modes = any(c.is_training for c in training)
        evaluated = [
            c for c in pending
            if not c.has_gradient or (not c.is_training and has_modes and last[id(c.module)] is not c)
        ]  # fmt: skip
        return [c for c in training if c not in evaluated], evaluated

    @staticmethod
    def _main_target(found: list[Compared], training: list[Call]) -> Tensor | None:
        return next((term.target for term in found if term.target is not None), None)

    def _training_call(self, call: Call, target: Tensor | None) -> None:
        rows = next((t for t in call.inputs if t.dim() >= 1 and t.numel()), None)
        if rows is not None:
            self.safely("rows", self.rows.train, rows, target, call.place, self.round, call.module)
            self.safely("storage", self._available, rows)
        self.safely("modes", self.structure.mode, self, call)

    def _available(self, rows: Tensor) -> None:
        """How many rows there are to take these from: in the loader, or in the tensor they are a part of."""
        size = rows.numel() // max(rows.shape[0], 1)
        stored = rows.untyped_storage().nbytes() // max(rows.element_size() * max(size, 1), 1)
        loader = self.hooks.loader
        known = loader.size if loader is not None else 0
        if rows._base is not None or stored > rows.shape[0]:
            known = max(known, stored)
        self.rows.available = max(self.rows.available, known)

    def _broken(self, roots: Any, error: RuntimeError) -> None:
        """Backward failed: the graph is still there, and knows which tensor it misses."""
        root = roots if isinstance(roots, Tensor) else next(iter(roots))
        self.lost = find_lost(root, error, self.calls.layers, self._last_number)

    def _release(self) -> None:
        self.losses.clear()
        self.calls.forget()

    def before_step(self, optimizer: Optimizer) -> None:
        """At the beginning of a step of an optimizer."""
        if self.sampled:
            slot = self.updates.slot(optimizer)
            if slot is not None:
                self.updates.before_step(optimizer, slot, user_place(), self._backward_place)

    def after_step(self, optimizer: Optimizer) -> None:
        """At the end of a step of an optimizer."""
        slot = self.updates.slot(optimizer)
        if slot is None:
            return
        if self._lead is None:
            self._lead = slot
            if self.round:  # passes before the first step were accumulated
                self.record.merge()
                self.round = 0
        self._others = 0 if slot is self._lead else self._others + 1
        if self._others >= PLAYERS and len(self.past) < MOST_PHASES:
            self._lead, self._others = slot, 0
            self._new_phase()
        is_lead = slot is self._lead
        coming = self.follower is None and (
            self.is_sampled(self.round + 1) if is_lead else self.sampled
        )
        movement = self.updates.after_step(optimizer, slot, sampled=coming)
        if movement is not None:
            self.record.moved(movement, self.structure, self.round)
        self.steps += is_lead
        slot.last = self.round
        if is_lead:
            self._end_round(optimizer)

    def _new_phase(self) -> None:
        """Another optimizer has taken over, as in fine-tuning: what was seen before is judged by itself."""
        self.past.append(self._witnesses())
        self.witnesses, self.updates.witnesses = {}, {}
        self.terms.new_phase()
        self.rows.new_phase()
        self.phase_start = self.round + 1

    def _witnesses(self) -> dict[str, Witness]:
        return {**self.witnesses, **self.updates.witnesses}

    def _end_round(self, optimizer: Optimizer | None) -> None:
        self._flush(optimizer)
        self.round += 1
        self._look()
        if self.on_round is not None:
            self.safely("the record", self.on_round)
        self._limit()

    def _flush(self, optimizer: Optimizer | None = None) -> None:
        values, self._values = self._values, []
        if values and self.follower is not None:
            self.follower.round(sum(float(v) for v in values) / len(values))
        elif values:
            lr = float(optimizer.param_groups[0].get("lr", math.nan)) if optimizer else None
            self.record.loss(self.round, values, lr)

    def _limit(self) -> None:
        if self.stopped is not None:
            pass  # the script caught what should have ended it
        elif self.max_steps is not None and self.round >= self.max_steps:
            self.stopped = self.why_stopped or f"after {self.round} steps (--max-steps)"
        elif self.max_seconds is not None and time.perf_counter() - self._started > self.max_seconds:  # fmt: skip
            self.stopped = f"after {self.max_seconds:g} s (--max-seconds)"
        if self.stopped is not None:
            raise Enough(self.stopped)

    def become(self, follower: Any) -> None:
        """In a trial, only losses are kept; the step under way goes on."""
        self.follower = follower
        self.sampled = self.deep = False
        self.every = 10**12
        self._look()

    # --- what is known

    def count(self, name: str, holds: bool, place: Place | None = None, names: list[str] | None = None, **numbers: float) -> None:  # fmt: skip
        """Note whether something held in a sample."""
        witness = self.witnesses.setdefault(name, Witness())
        witness.of += 1
        if holds:
            witness.seen += 1
            witness.place = place or witness.place
            witness.names = names or witness.names
            witness.numbers.update(numbers)

    def made_at(self, layer: str | None) -> Place | None:
        """The line that made a layer."""
        for module, place in list(self.calls.made.items()):
            if self.calls.name(module) == layer:
                return place
        return None

    def facts(self) -> Facts:
        """Everything that was seen."""
        safely, witnesses = self.safely, joined([*self.past, self._witnesses()])
        witnesses["non-finite-data"] = self.rows.bad
        witnesses["overlap"] = Witness(place=self.evaluations.place)
        optimizers = safely("optimizers", self.updates.describe) or []
        for optimizer in optimizers:
            made = Place(optimizer.file, optimizer.line)
            for option in OPTIONS:
                line = follow(made, option).line
                if line is not None and line != made.line:
                    optimizer.lines[option] = line
            if optimizer.schedule_step.line is not None:
                optimizer.schedule_loops = loops_around(optimizer.schedule_step)
        return Facts(
            steps=self.steps, passes=self.passes, sampled=self.round,
            updates=self.steps > 0 or self.structure.reach.moved_by_hand,
            phase_start=self.phase_start,
            models=safely("models", self.calls.describe) or self.models, optimizers=optimizers,
            losses=safely("terms", self.terms.describe) or [],
            whole=self.terms.whole and bool(self.terms.losses), series=self.record.series(),
            paired=safely("constants", self.terms.pairs.describe) or Paired(), layers=self.record.layers,
            evaluations=self.evaluations.found, data=safely("data", self.rows.describe) or self.rows.data,
            witnesses=witnesses, notes=[*self.safely.notes], stopped=self.stopped,
            seconds=time.perf_counter() - self._started,
        )  # fmt: skip


class Enough(BaseException):
    """Ends a run from within, past every ``except Exception``."""
