"""Where the observer stands: which functions of PyTorch it looks at, and how they are put back."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim import optimizer as optimizer_module
from torch.optim.lr_scheduler import LRScheduler, ReduceLROnPlateau
from torch.utils.data import DataLoader

from gradatim.doctor.detaching import Detaching
from gradatim.doctor.evaluating import first_tensor
from gradatim.doctor.facts import Place
from gradatim.doctor.graph import Compared
from gradatim.doctor.identity import ByIdentity
from gradatim.doctor.metrics import Metrics
from gradatim.doctor.patching import Patches
from gradatim.doctor.places import is_library, user_frame, user_place

if TYPE_CHECKING:
    from gradatim.doctor.observing import Observer

LOSSES = (
    "cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "mse_loss", "l1_loss",
    "smooth_l1_loss", "huber_loss", "kl_div",
)  # fmt: skip


class Loader(NamedTuple):
    """The largest loader that was iterated: its rows, where it was asked for batches, where it was made."""

    size: int
    place: Place
    made: Place


class Hooks:
    """All replaced functions of a run."""

    def __init__(self, observer: "Observer") -> None:
        self.observer = observer
        self.loader: Loader | None = None
        self._loaders: ByIdentity[Any, Place] = ByIdentity()
        self.ended: Place = Place()  # the last call of eval()
        self.detaching = Detaching()
        self.metrics = Metrics(observer)
        self.loaded: ByIdentity[nn.Module, bool] = ByIdentity()
        self._patches = Patches()
        self._handles: list[Any] = []
        self._inside = False
        self._way: list[int] = []

    def install(self) -> None:
        """Begin to look on."""
        wrap = self._patches.wrap
        wrap(torch.autograd, "backward", self._backward)
        wrap(Optimizer, "__init__", self._made)
        wrap(Optimizer, "zero_grad", self._zeroed)
        wrap(nn.Module, "zero_grad", self._zeroed)
        wrap(nn.Module, "__init__", self._module_made)
        wrap(nn.Module, "train", self._mode)
        wrap(nn.Module, "load_state_dict", self._loaded)
        wrap(torch.no_grad, "__enter__", self._quiet)
        wrap(torch.inference_mode, "__enter__", self._quiet)
        wrap(DataLoader, "__init__", self._loader_made)
        wrap(DataLoader, "__iter__", self._iterated)
        wrap(LRScheduler, "__init__", self._scheduled)
        wrap(ReduceLROnPlateau, "__init__", self._scheduled)
        wrap(LRScheduler, "step", self._schedule_stepped)
        for place in (torch.nn.utils, torch.nn.utils.clip_grad):
            wrap(place, "clip_grad_norm_", self._clipped)
        for name in LOSSES:
            wrap(F, name, self._compared(name))
        owners: tuple[Any, ...] = (torch, Tensor)
        for owner in owners:
            wrap(owner, "argmax", self.metrics.argmax)
            wrap(owner, "max", self.metrics.argmax)
            wrap(owner, "eq", self.metrics.equal)
        wrap(Tensor, "__eq__", self.metrics.equal)
        for name in ("dropout", "alpha_dropout", "dropout2d"):
            wrap(F, name, self.metrics.dropped)
        for owner in owners:
            wrap(owner, "mean", self.metrics.averaged)
        wrap(torch, "compile", self._compile)
        pre = optimizer_module.register_optimizer_step_pre_hook
        post = optimizer_module.register_optimizer_step_post_hook
        self._handles = [pre(self._before_step), post(self._after_step)]

    def remove(self) -> None:
        """Put everything back."""
        self.detaching.watch(False)
        self._patches.undo()
        for handle in self._handles:
            handle.remove()
        self._handles = []

    # --- backward and step

    def _backward(self, original: Any, tensors: Any, *arguments: Any, **named: Any) -> Any:
        return self.observer.backward(original, tensors, *arguments, **named)

    def _before_step(self, optimizer: Optimizer, arguments: Any, named: Any) -> None:
        self.observer.safely("a step", self.observer.before_step, optimizer)

    def _after_step(self, optimizer: Optimizer, arguments: Any, named: Any) -> None:
        self.observer.safely("after a step", self.observer.after_step, optimizer)

    def _made(self, original: Any, optimizer: Optimizer, *arguments: Any, **named: Any) -> None:
        original(optimizer, *arguments, **named)
        observer = self.observer
        observer.safely(
            "optimizers", observer.updates.made, optimizer, user_place(), observer.passes
        )

    def _zeroed(self, original: Any, owner: Any, *arguments: Any, **named: Any) -> Any:
        if self.observer.sampled:
            self.observer.safely("cleared gradients", self._note_zeroed, user_place())
        return original(owner, *arguments, **named)

    def _note_zeroed(self, place: Place) -> None:
        for slot in self.observer.updates.slots.values():
            if slot.filled:
                slot.wiped_at = place

    # --- modules and modes

    def _module_made(self, original: Any, module: nn.Module, *arguments: Any, **named: Any) -> None:
        original(module, *arguments, **named)
        made, place = self.observer.calls.made, user_place()
        self.observer.safely("modules", made.__setitem__, module, place)

    def _loaded(self, original: Any, module: nn.Module, *arguments: Any, **named: Any) -> Any:
        self.observer.safely("loaded weights", self._note_loaded, module)
        return original(module, *arguments, **named)

    def _note_loaded(self, module: nn.Module) -> None:
        self.loaded[module] = True
        if self.observer.passes:
            self.observer.count("restored", True)

    def _mode(self, original: Any, module: nn.Module, *arguments: Any, **named: Any) -> Any:
        if not self._inside:  # it calls itself for every part
            self._inside = True
            try:
                frame = user_frame(sys._getframe(2))
                self.observer.safely("modes of models", self._expect_evaluation, frame)
                if frame is not None and (named.get("mode", arguments[0] if arguments else True)) is False:  # fmt: skip
                    self.ended = Place(frame.f_code.co_filename, frame.f_lineno)
                return original(module, *arguments, **named)
            finally:
                self._inside = False
        return original(module, *arguments, **named)

    def _quiet(self, original: Any, manager: Any, *arguments: Any) -> Any:
        frame = sys._getframe(2)
        if is_library(frame.f_code.co_filename) and frame.f_code.co_filename.endswith("_contextlib.py"):  # fmt: skip
            frame = frame.f_back or frame
        if not is_library(frame.f_code.co_filename):
            quiet = Place(frame.f_code.co_filename, frame.f_lineno)
            self.observer.evaluations.quiet = self.observer.calls.quiet = quiet
            self.observer.safely("modes of models", self._expect_evaluation, frame)
        return original(manager, *arguments)

    def _expect_evaluation(self, frame: FrameType | None) -> None:
        """Look at what is called next; where another call of the user's led here, it is an evaluation of its own."""
        way: list[int] = []
        while frame is not None and len(way) < 5:
            way.append(frame.f_lasti)
            frame = frame.f_back
        if way != self._way:
            self._way = way
            self.observer.safely("evaluations", self.observer.evaluations.segment, self.observer.steps)  # fmt: skip
        if not self.observer.compiled:
            self.observer.calls.arm()

    def _compile(self, original: Any, *arguments: Any, **named: Any) -> Any:
        self.observer.compiled = True
        self.observer.births.remove()
        self.observer.calls.disarm()
        self.observer._trace(False)
        self.observer.safely.notes.append("torch.compile is used: layers inside are not looked at")
        return original(*arguments, **named)

    # --- data, schedules, clipping

    def _loader_made(self, original: Any, loader: Any, *arguments: Any, **named: Any) -> None:
        original(loader, *arguments, **named)
        self.observer.safely("loaders", self._loaders.__setitem__, loader, user_place())

    def _iterated(self, original: Any, loader: Any) -> Any:
        self.observer.safely("loaders", self._note_loader, loader, user_place())
        self.observer.safely("evaluations", self.observer.evaluations.segment, self.observer.steps)
        return original(loader)

    def _note_loader(self, loader: Any, place: Place) -> None:
        try:
            size = len(loader.dataset)
        except (TypeError, NotImplementedError):
            size = 0
        if self.loader is None or size >= self.loader.size:
            self.loader = Loader(size, place, self._loaders.get(loader, Place()))

    def _scheduled(self, original: Any, scheduler: Any, optimizer: Any, *arguments: Any, **named: Any) -> None:  # fmt: skip
        place = user_place()
        original(scheduler, optimizer, *arguments, **named)
        slot = self.observer.safely("schedules", self.observer.updates.slot, optimizer)
        if slot is not None:
            slot.schedule, slot.schedule_place = type(scheduler).__name__, place

    def _schedule_stepped(
        self, original: Any, scheduler: Any, *arguments: Any, **named: Any
    ) -> Any:
        optimizer = getattr(scheduler, "optimizer", None)
        if isinstance(optimizer, Optimizer) and self.observer.steps:
            self.observer.safely("steps of schedules", self._note_schedule, optimizer)
        return original(scheduler, *arguments, **named)

    def _note_schedule(self, optimizer: Optimizer) -> None:
        slot = self.observer.updates.slot(optimizer)
        if slot is not None:
            slot.schedule_steps += 1
            if slot.schedule_step_at.line is None:
                slot.schedule_step_at = user_place()

    def _clipped(self, original: Any, parameters: Any, max_norm: Any, *arguments: Any, **named: Any) -> Any:  # fmt: skip
        norm = original(parameters, max_norm, *arguments, **named)
        if self.observer.sampled and not is_library(sys._getframe(2).f_code.co_filename):
            self.observer.safely("clipping", self._note_clipped, max_norm, norm, user_place())
        return norm

    def _note_clipped(self, max_norm: Any, norm: Any, place: Place) -> None:
        limit, value = float(max_norm), float(norm)
        self.observer.count("clipped", value > 10 * limit, place, limit=limit, norm=value)

    # --- losses and metrics

    def _compared(self, name: str) -> Callable[..., Any]:
        observer = self.observer

        def around(original: Any, *arguments: Any, **named: Any) -> Any:
            result = original(*arguments, **named)
            if isinstance(result, Tensor):
                if torch.is_grad_enabled() and result.requires_grad:
                    if observer.sampled:
                        observer.safely(name, self._keep, name, arguments, named, result)
                elif not torch.is_grad_enabled():
                    observer.safely("evaluated losses", self._judged, arguments, named, result)
            return result

        return around

    def _keep(self, name: str, arguments: Any, named: Any, result: Tensor) -> None:
        given = list(arguments)[:2]
        given += [named[key] for key in ("input", "target")[len(given) :] if key in named]
        if len(given) < 2 or len(self.observer.losses) >= 64:
            return
        values, target = given
        weight = named.get("weight", arguments[2] if len(arguments) > 2 else None)
        weight = named.get("pos_weight", weight) if name.endswith("logits") else weight
        reduction = named.get("reduction", "mean")
        if name == "kl_div" and reduction in {"batchmean", "mean"}:
            reduction = "mean"
        self.observer.losses[result.grad_fn] = Compared(
            name, values, target, user_place(), reduction, weight if isinstance(weight, Tensor) else None,
            node=result.grad_fn, below=values.grad_fn, made=self.observer.calls.loss_made or Place(),
        )  # fmt: skip

    def _judged(self, arguments: Any, named: Any, result: Tensor) -> None:
        given = first_tensor(arguments) if arguments else named.get("input")
        rows = given.shape[0] if given is not None and given.dim() else 1
        value = result
        if named.get("reduction") == "sum":
            value = result / max(rows, 1)
        self.observer.evaluations.loss(value, rows, self.observer.steps)
