"""Evaluations: forwards without gradient between two steps, their rows, mode and loss."""

import weakref
from typing import Any

from torch import Tensor

from gradatim.doctor.calls import Call, Calls, switched
from gradatim.doctor.facts import Evaluation, Place, Witness
from gradatim.doctor.marks import Group
from gradatim.doctor.rows import Rows

MOST = 400  # evaluations kept
NEAR = 6  # lines


class Evaluations:
    """Collects the phases of a run in which nothing is learned."""

    def __init__(self, calls: Calls, rows: Rows) -> None:
        self.calls, self.rows = calls, rows
        self.found: list[Evaluation] = []
        self.dropped = Place()  # a call of dropout that is always active, in eval mode
        self.place = self.quiet = Place()  # of the last call, of the last no_grad
        self.active = Witness()
        self._now: Evaluation | None = None
        self._group = Group()
        self._repeats = 0
        self._losses: list[tuple[Tensor, int]] = []

    def add(self, call: Call, step: int) -> None:
        """Take in a forward of an evaluation."""
        if self._is_another(call):
            self.end(step)
        phase = self._phase(step)
        phase.place = call.place
        inputs = next((t for t in call.inputs if t.dim() >= 1 and t.numel()), None)
        if inputs is not None:
            phase.rows += inputs.shape[0]
            self._repeats += self._group.add(inputs)
            self._group.owner = weakref.ref(call.module)
        if self.dropped.line is not None and not call.is_training:
            phase.mode, self.active.place = "train", self.dropped
            self.active.seen += 1
            self.active.names = ["F.dropout"]
        elif call.is_training and (active := switched(call.module, True)):
            phase.mode = "train"
            self.active.seen += 1
            self.active.names = [f"{self.calls.name(m)} ({type(m).__name__})" for m in active[:8]]
            if near(self.quiet, call.place):
                self.active.place = self.quiet
            else:
                self.active.place = next((p for p in call.way if near(self.quiet, p)), call.place)
        self.place, self.dropped = call.place, Place()

    def _is_another(self, call: Call) -> bool:
        """Whether a call stands in another line than one that was judged already, such as on training rows."""
        now, owner = self._now, self._group.owner
        return (
            now is not None and now.judged and owner is not None and owner() is call.module
            and call.place.line != now.place.line
        )  # fmt: skip

    def by_hand(self, values: Tensor, mean: Tensor, step: int) -> None:
        """The mean of what was computed from the rows of the last call, unless it counts hits: a loss somebody wrote."""
        pending = [c for c in self.calls.pending if not c.has_gradient]
        last = pending[-1] if pending else None
        rows = last.outputs[0].shape[0] if last is not None and last.outputs and last.outputs[0].dim() else 0  # fmt: skip
        if rows < 2 or values.shape[:1] != (rows,) or not values.dtype.is_floating_point:
            return
        flat = values.detach().reshape(-1)
        if not bool(((flat == 0) | (flat == 1)).all()) and bool((flat >= 0).all()):
            self.loss(mean, rows, step)

    def drain(self, step: int) -> None:
        """Take in the calls so far: something is computed from their outputs now."""
        pending = [c for c in self.calls.pending if not c.has_gradient]
        if pending:
            self.calls.pending = [c for c in self.calls.pending if c.has_gradient]
            for call in pending:
                self.add(call, step)

    def loss(self, value: Tensor, rows: int, step: int) -> None:
        """A loss function was called without gradient."""
        self.drain(step)
        if self._now is not None and value.numel() == 1:
            self._losses.append((value.detach(), rows))
            self._now.judged = True

    def judge(self, step: int) -> None:
        """A metric was computed without gradient."""
        self.drain(step)
        if self._now is not None:
            self._now.judged = True

    def segment(self, step: int) -> None:
        """Another pass over rows begins: what was seen so far was an evaluation of its own."""
        self.drain(step)
        if self._now is not None and self._now.rows:
            self.end(step)

    def _phase(self, step: int) -> Evaluation:
        if self._now is None:
            self._now = Evaluation(step)
        return self._now

    def end(self, step: int) -> None:
        """The next training pass begins."""
        phase, self._now = self._now, None
        if phase is None:
            return
        rows = sum(n for _, n in self._losses)
        if rows:
            phase.loss = float(sum(float(v) * n for v, n in self._losses) / rows)
        marks = self._group.marks
        phase.repeated = self._repeats > 0.5 * max(len(marks), 1)
        is_batch = bool(marks) and marks <= self.rows.last  # the batch that was just learned from
        phase.overlap = (
            1.0 if is_batch else self.rows.evaluated(phase.place, phase.rows, self._group)
        )
        if len(self.found) < MOST:
            self.found.append(phase)
        else:
            self.found[-1] = phase
        self._group, self._repeats, self._losses = Group(), 0, []

    def finish(self, step: int) -> None:
        """The run is over."""
        self.drain(step)
        self.end(step)


def near(before: Place, place: Place) -> bool:
    """Whether a line stands a few lines before another."""
    return before.file == place.file and 0 < (place.line or 0) - (before.line or 0) <= NEAR


def first_tensor(values: tuple[Any, ...]) -> Tensor | None:
    """The first tensor of some arguments."""
    return next((value for value in values if isinstance(value, Tensor)), None)
