"""The chain engine by the shares of many processes: gradients, loss and wishes travel in one sum."""

from contextlib import AbstractContextManager

import torch
from torch import Tensor, nn

from gradatim.training.batches import weight_of
from gradatim.training.distributed.shares import SharedBatch
from gradatim.training.engines.chain import SMALL_STEP, Chain
from gradatim.training.engines.engine import Engine, Run
from gradatim.training.engines.flat import FlatOptimizer


class SharedChainEngine(Engine):
    """The numbers of the chain engine, by processes that share each batch, in parts.

    Args:
        run: What to move, for which nothing speaks against a chain.
    """

    def __init__(self, run: Run) -> None:
        assert isinstance(run.model, nn.Sequential)
        self.run, self.exchange = run, run.exchange
        self.optimizer = FlatOptimizer(run.optimizer, spare=self.exchange.size)
        self.gradient = self.optimizer.gradient
        self.tail = self.gradient[-self.exchange.size :]
        self.chain = Chain(run.model, run.objective.loss, -(-run.batch_size // run.sharing.parts))
        self.collected = torch.zeros_like(self.gradient)
        small = self.chain.multiplications < SMALL_STEP
        self.threads = 1 if small else torch.get_num_threads()

    def mode(self) -> AbstractContextManager[object]:
        return torch.inference_mode()

    def __call__(self, batch: SharedBatch) -> Tensor:
        run = self.run
        cost, parts = self.tail.new_zeros(()), batch.parts
        for number, (part, share) in enumerate(parts):
            loss = self.chain.forward(part[0], part[1], weight_of(part))
            if share:
                cost = cost + loss * share
                if not torch.isfinite(loss):
                    run.explain(part, "loss")
            self.chain.backward(share)
            if len(parts) > 1:
                self.collected.add_(self.gradient) if number else self.collected.copy_(self.gradient)  # fmt: skip
        if len(parts) > 1:
            self.gradient.copy_(self.collected)
        self.exchange.write(self.tail, cost)
        run.sharing.group.sum(self.gradient)
        loss = self.exchange.read(self.tail)
        run.observe(loss, parts[0][0], {}, batch.rows)
        self._update(loss)
        return loss

    def _update(self, loss: Tensor) -> None:
        run = self.run
        if run.clip_value is not None:
            self.optimizer.clip_value(run.clip_value)
        if run.clip_norm is not None:
            self.optimizer.clip_norm(run.clip_norm)
        if run.on_gradients is not None:
            with torch.inference_mode(False):
                run.on_gradients(loss)
        self.optimizer.step()

    def sync(self) -> None:
        self.optimizer.sync()

    def close(self) -> None:
        self.optimizer.close()
