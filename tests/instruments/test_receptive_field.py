"""Fields by the recursion against fields by the gradient, and numbers by hand."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from gradatim.errors import InvalidType, InvalidValue
from gradatim.instruments import measure_receptive_field, receptive_fields
from gradatim.nn import StochasticDepth


def test_a_vgg_block_by_hand():
    chain = nn.Sequential(
        *(nn.Conv2d(1, 1, 3, padding=1), nn.BatchNorm2d(1), nn.ReLU()),
        *(nn.Conv2d(1, 1, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        nn.Sequential(nn.Conv2d(1, 1, 3, padding=1), nn.Dropout2d()),
        nn.Flatten(),
        nn.Linear(16, 10),
    )
    rows = receptive_fields(chain)
    assert [row.name for row in rows] == ["0", "3", "5", "6.0"]
    assert [row.size for row in rows] == [(3, 3), (5, 5), (6, 6), (10, 10)]
    assert [row.jump for row in rows] == [(1, 1), (1, 1), (2, 2), (2, 2)]
    assert [row.centre for row in rows] == [(0, 0), (0, 0), (0.5, 0.5), (0.5, 0.5)]


def test_three_small_kernels_see_what_one_large_one_sees():
    small = nn.Sequential(*(nn.Conv2d(1, 1, 3) for _ in range(3)))
    assert receptive_fields(small)[-1].size == (7, 7)


links = st.tuples(
    st.sampled_from(["conv", "average", "max"]),
    st.integers(1, 4),
    st.integers(1, 2),
    st.integers(1, 2),
)


@settings(max_examples=30, deadline=None)
@given(st.lists(links, min_size=1, max_size=3))
def test_the_gradient_finds_the_field_and_its_centre(chain):
    torch.manual_seed(0)
    layers = []
    for kind, k, s, d in chain:
        layers += {
            "conv": [nn.Conv1d(1, 1, k, stride=s, dilation=d, padding=k // 2), nn.Tanh()],
            "average": [nn.AvgPool1d(k, stride=s, padding=k // 2)],
            "max": [nn.MaxPool1d(k, stride=s, padding=k // 2, dilation=d)],
        }[kind]
    model = nn.Sequential(*layers).double()
    row = receptive_fields(model)[-1]
    x = torch.randn(400, 1, 90, dtype=torch.float64)
    place = model(x[:1]).shape[-1] // 2
    field = measure_receptive_field(model, x, place=(place,))
    assert field.size == row.size
    seen = field.sensitivity.nonzero()
    centre = (seen.min() + seen.max()).item() / 2
    assert centre == row.centre[0] + place * row.jump[0]


def test_layers_of_ones_own_count_as_their_kind():
    class Blur(nn.AvgPool2d):
        pass

    assert receptive_fields(nn.Sequential(Blur(4)))[0].size == (4, 4)


def test_axes_of_their_own():
    chain = nn.Sequential(nn.Conv2d(1, 1, (1, 5), stride=(1, 2)), nn.AvgPool2d((3, 2)))
    assert receptive_fields(chain)[-1].size == (3, 7)
    assert measure_receptive_field(chain, torch.randn(2, 1, 9, 20)).size == (3, 7)


@pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel lengths")
@pytest.mark.parametrize(("padding", "centre"), [("same", 0.5), ("valid", 1.5)])
def test_padding_by_name(padding, centre):
    chain = nn.Sequential(nn.Conv1d(1, 1, 4, padding=padding))
    assert receptive_fields(chain)[0].centre == (centre,)
    seen = measure_receptive_field(chain, torch.randn(2, 1, 20), place=(8,)).sensitivity.nonzero()
    assert (seen.min() + seen.max()) / 2 == centre + 8


def test_measuring_takes_any_model_and_leaves_it_alone():
    model = nn.Sequential(
        StochasticDepth(nn.Sequential(nn.Conv2d(2, 2, 3, padding=1), nn.BatchNorm2d(2)), drop=0.5),
        nn.Dropout(0.9),
    )
    before = {name: value.clone() for name, value in model.state_dict().items()}
    assert measure_receptive_field(model, torch.randn(4, 2, 9, 9)).size == (3, 3)
    assert model.training
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert all(p.grad is None for p in model.parameters())


def test_a_unit_that_sees_nothing():
    model = nn.Conv2d(1, 1, 3)
    nn.init.zeros_(model.weight)
    assert measure_receptive_field(model, torch.randn(2, 1, 5, 5)).size == (0, 0)


def test_errors():
    with pytest.raises(InvalidType, match=r"receptive_fields: model must be an nn.Sequential, got"):
        receptive_fields(nn.Conv2d(1, 1, 3))
    with pytest.raises(InvalidType, match=r"element-wise layers, got ConvTranspose2d at '0'. Try"):
        receptive_fields(nn.Sequential(nn.ConvTranspose2d(1, 1, 3)))
    with pytest.raises(
        InvalidValue, match=r"model must keep the 2 spatial axes of x, got .*\(2, 4"
    ):
        measure_receptive_field(nn.Flatten(), torch.randn(2, 1, 2, 2))
    with pytest.raises(InvalidValue, match=r"place must be within \(3, 3\), got \(3, 0\)"):
        measure_receptive_field(nn.Conv2d(1, 1, 3), torch.randn(2, 1, 5, 5), place=(3, 0))
