import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.generative import diffuse, prediction_target, read_prediction


@pytest.mark.parametrize("predict", ["noise", "x0", "v"])
def test_the_right_answer_is_read_as_what_was_put_in(predict):
    x0, noise = torch.randn(2, 4, 3, dtype=torch.float64)
    alpha_bar = torch.tensor([0.9, 0.5, 0.1, 0.01], dtype=torch.float64)
    x_t = diffuse(x0, noise, alpha_bar)
    answer = prediction_target(predict, x0, noise, alpha_bar)
    found = read_prediction(predict, answer, x_t, alpha_bar)
    torch.testing.assert_close(found.x0, x0)
    torch.testing.assert_close(found.noise, noise)


@pytest.mark.parametrize("predict", ["noise", "x0", "v"])
def test_whatever_is_answered_data_and_noise_make_up_what_was_shown(predict):
    x_t, answer = torch.randn(2, 4, 1, 2, 2, dtype=torch.float64)
    found = read_prediction(predict, answer, x_t, torch.tensor(0.3, dtype=torch.float64))
    torch.testing.assert_close(diffuse(found.x0, found.noise, torch.tensor(0.3).double()), x_t)


def test_the_velocity_is_the_derivative_of_the_angle():
    x0, noise, angle = torch.randn(3), torch.randn(3), torch.tensor(0.7, dtype=torch.float64)

    def x(angle):
        return angle.cos() * x0.double() + angle.sin() * noise.double()

    slope = torch.autograd.functional.jacobian(x, angle)
    torch.testing.assert_close(prediction_target("v", x0.double(), noise.double(), angle.cos() ** 2), slope)  # fmt: skip


def test_what_is_wrong_is_said():
    with pytest.raises(InvalidValue, match=r"predict must be one of .* got 'eps'"):
        read_prediction("eps", torch.ones(1, 1), torch.ones(1, 1), torch.tensor(0.5))
    with pytest.raises(InvalidValue, match="prediction_target: predict must be one of"):
        prediction_target("eps", torch.ones(1, 1), torch.ones(1, 1), torch.tensor(0.5))
