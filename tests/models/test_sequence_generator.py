from functools import partial
from itertools import product

import pytest
import torch

from gradatim.data import Vocabulary, pad_sequences
from gradatim.data.vocabulary import END, PAD, START
from gradatim.decoding import generate
from gradatim.errors import InvalidValue
from gradatim.losses import token_cross_entropy
from gradatim.models import SequenceGenerator
from gradatim.training import Trainer


@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_teacher_forcing_sees_only_the_past_and_the_vector(cell):
    torch.manual_seed(0)
    model = SequenceGenerator(3, 8, cell=cell, num_layers=2).double()
    x, target = torch.randn(2, 3, dtype=torch.float64), torch.randint(4, 8, (2, 6))
    changed = target.clone()
    changed[:, 3] = 4 + (changed[:, 3] - 3) % 4
    before, after = model(x, target), model(x, changed)
    assert torch.equal(before[:, :4], after[:, :4])
    assert not torch.allclose(before[:, 4], after[:, 4])
    assert not torch.allclose(model(x + 1, target)[:, 0], before[:, 0])


def test_a_wide_beam_finds_the_best_sequence():
    torch.manual_seed(3)
    model, x = (
        SequenceGenerator(2, 6, hidden_dim=8).double(),
        torch.randn(1, 2, dtype=torch.float64),
    )
    paths = {}
    for path in product(range(6), repeat=3):
        path = path[: path.index(END) + 1] if END in path else path
        log_probs = torch.log_softmax(3 * model(x, torch.tensor([path]))[0], -1)
        paths[path] = sum(log_probs[t, token].item() for t, token in enumerate(path))
    with torch.no_grad():  # sharpen as above
        model.language.readout.weight.mul_(3)
        model.language.readout.bias.mul_(3)
    best = max(paths, key=paths.get)
    found = generate(model, x, 3, num_beams=216)[0].tolist()
    assert tuple(found[: len(best)]) == best


def test_it_learns_to_spell():
    names = ["zero", "one", "two", "three"]
    vocabulary = Vocabulary.build(names)
    target, _ = pad_sequences([vocabulary.encode(name, end=True) for name in names])
    x = torch.eye(4)
    torch.manual_seed(0)
    model = SequenceGenerator(4, len(vocabulary), dim=8, hidden_dim=24)
    loss = partial(token_cross_entropy, padding=PAD)
    trainer = Trainer(model, loss, lr=0.02, epochs=60, batch_size=4, progress=False)
    trainer.fit((x, target, target))
    for how in ({"temperature": 0.0}, {"num_beams": 3}):
        tokens = generate(model, x, 8, **how)
        assert ["".join(vocabulary.decode(row)) for row in tokens.tolist()] == names
    drawn = generate(model, x, 8, temperature=1.0, seed=0)
    assert (drawn != START).all()


def test_a_vector_of_another_width_is_refused():
    with pytest.raises(InvalidValue, match=r"x must have shape \(B, 3\), got \(2, 4\)"):
        SequenceGenerator(3, 8)(torch.zeros(2, 4), torch.zeros(2, 1, dtype=torch.long))
