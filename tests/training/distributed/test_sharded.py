"""A model of which every process keeps a shard trains to the weights of one process."""

import pytest
import torch
from tests.training.distributed.processes import in_group
from tests.training.distributed.test_law import assert_same, of_one, outcome, rows
from torch import nn

from gradatim.models import GPT, MLP
from gradatim.training import EMA, SWA, Callback, Checkpoint, EarlyStopping, Trainer
from gradatim.training.distributed.building import drawn


@pytest.mark.parametrize(("job", "processes", "accumulate"), [
    ("general", 2, 1), ("clipped_general", 3, 2), ("cnn", 2, 3), ("lstm", 3, 1), ("gpt", 4, 1), ("gpt", 2, 2), ("summed", 2, 1),
    ("streamed", 3, 2), ("own_loss", 4, 3),
])  # fmt: skip
def test_shards_change_nothing(job, processes, accumulate):
    weights, records, _ = of_one(job)
    for found in in_group(lambda rank: outcome(job, parallel="fsdp", accumulate=accumulate), processes):  # fmt: skip
        assert_same(found, (weights, records, "general"))


def test_batch_normalization_of_a_sharded_model_sees_all_rows():
    weights, records, engine = of_one("normalized")
    for found in in_group(lambda rank: outcome("normalized", parallel="fsdp"), 2):
        assert_same(found, (weights, records, engine))


class Seen(Callback):
    """How many numbers of the model this process holds while it trains."""

    def on_batch_end(self, trainer, loss):
        self.held = sum(p.to_local().numel() for p in trainer.model.parameters())


def test_every_process_holds_its_share_and_the_model_is_whole_again():
    seen = Seen()

    def run(rank):
        torch.manual_seed(1)
        model = MLP((6, 8, 4)).double()
        trainer = Trainer(model, parallel="fsdp", epochs=1, batch_size=10, progress=False, callbacks=[seen])  # fmt: skip
        trainer.fit(rows())
        assert trainer.model is model
        moments = {tuple(s["exp_avg"].shape) for s in trainer.optimizer.state.values()}
        assert moments == {tuple(p.shape) for p in model.parameters()}
        return seen.held, sum(p.numel() for p in model.parameters()), trainer.predict(rows()[0])

    (first, whole, said), (second, _, same) = in_group(run, 2)
    assert first == second == whole // 2
    assert torch.equal(said, same)


def meta(parallel, **options):
    with torch.device("meta"):
        model = GPT(9, context=7, dim=8, num_layers=2, num_heads=2).double()
    tokens = torch.randint(1, 9, (20, 7), generator=torch.Generator().manual_seed(0))
    trainer = Trainer(model, "cross_entropy", parallel=parallel, batch_size=6, epochs=2, progress=False, **options)  # fmt: skip
    trainer.fit((tokens, tokens.roll(-1, 1)))
    return {name: p.detach() for name, p in model.named_parameters()}


def test_a_model_without_numbers_is_made_shard_by_shard():
    alone = meta("none")
    first, second = in_group(lambda rank: meta("fsdp"), 2)
    for name, value in alone.items():
        torch.testing.assert_close(first[name], value, rtol=1e-9, atol=1e-9)
        assert second[name].numel() == 0 or second[name].device.type == "meta"


def test_a_gpt_without_numbers_draws_those_of_its_kind():
    with torch.device("meta"):
        model = GPT(50, context=30, dim=48, num_layers=3, num_heads=2)
    std = 0.02 * 4  # sqrt(768 / 48) = 4
    values = {made.name: made.value for made in drawn(model, 0)}
    assert values.keys() == dict(model.named_parameters()).keys()
    assert values["embedding.weight"].std().item() == pytest.approx(std, rel=0.1)
    last = values["blocks.blocks.1.attention.merge.weight"]
    assert last.std().item() == pytest.approx(std / 6**0.5, rel=0.1)
    again = {made.name: made.value for made in drawn(model, 0)}
    assert all(torch.equal(value, again[name]) for name, value in values.items())
    assert not torch.equal(values["embedding.weight"], next(drawn(model, 1)).value)


def resumed(path, parallel, *, resume=False, crash=None):
    class Crash(Callback):
        def on_batch_end(self, trainer, loss):
            if trainer.steps == crash:
                raise RuntimeError("the machine went down")

    torch.manual_seed(1)
    X, y = rows()
    callbacks = [EarlyStopping(patience=50), EMA(decay=0.9), Checkpoint(path, keep=2, every_steps=4), Crash()]  # fmt: skip
    trainer = Trainer(MLP((6, 8, 3)).double(), parallel=parallel, epochs=5, batch_size=10, progress=False, callbacks=callbacks, engine="general")  # fmt: skip
    if resume:
        trainer.resume(path)
    trainer.fit((X, y), validation=(X, y))
    return trainer.model.state_dict()


def test_a_sharded_run_goes_on_anywhere(tmp_path):
    undisturbed = resumed(tmp_path / "calm", "none")
    in_group(lambda rank: resumed(tmp_path / "run", "fsdp", crash=14), 3, check=False)
    for state in in_group(lambda rank: resumed(tmp_path / "run", "fsdp", resume=True, crash=22), 2, check=False):  # fmt: skip
        assert "the machine went down" in str(state)
    for name, value in resumed(tmp_path / "run", "none", resume=True).items():
        torch.testing.assert_close(value, undisturbed[name], rtol=1e-9, atol=1e-9)


def told(**options):
    torch.manual_seed(1)
    model = options.pop("model", None) or MLP((6, 8, 3))
    Trainer(model, parallel="fsdp", epochs=1, progress=False, **options).fit((rows()[0].float(), rows()[1]))  # fmt: skip


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"engine": "chain"}, "parallel='fsdp' must go with the general engine, got 'chain'"),
        ({"optimizer": "langevin"}, "must go with an optimizer that moves every number by itself, got Langevin"),
        ({"optimizer": torch.optim.LBFGS}, "that moves every number by itself, got LBFGS"),
        ({"callbacks": [SWA(start=0)]}, "must go with callbacks that need no whole model, got SWA"),
    ],
)  # fmt: skip
def test_what_cannot_work_on_shards_says_so(options, sentence):
    errors = in_group(lambda rank: told(**options), 2, check=False)
    assert all(sentence in str(error) for error in errors), list(map(str, errors))
    assert sum(isinstance(error.code, str) for error in errors) == 1


def test_an_unused_parameter_and_a_number_that_is_none_are_told():
    class Idle(nn.Module):
        def __init__(self):
            super().__init__()
            self.used, self.idle = nn.Linear(6, 3), nn.Linear(6, 3)

        def forward(self, x):
            return self.used(x)

    for error in in_group(lambda rank: told(model=Idle()), 2, check=False):
        assert "no gradient for 'idle.weight' and 2 in all" in str(error)

    def run(rank):
        X, y = rows()
        X = X.clone()
        X[17, 2] = float("nan")
        trainer = Trainer(MLP((6, 8, 3)).double(), parallel="fsdp", epochs=1, batch_size=43, progress=False)  # fmt: skip
        trainer.fit((X, y))

    for error in in_group(run, 2, check=False):
        assert "the loss is not finite at epoch 1, batch 1: the input has NaN" in str(error)
