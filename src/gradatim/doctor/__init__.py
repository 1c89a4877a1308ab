"""The doctor: why a PyTorch training run does not learn, and what to change."""

from gradatim.doctor.callback import Doctor
from gradatim.doctor.examining import examine
from gradatim.doctor.findings import Diagnosis
from gradatim.doctor.ranking import diagnose
from gradatim.doctor.watching import watch
from gradatim.instruments.lr_range import lr_range_test

__all__ = ["Diagnosis", "Doctor", "diagnose", "examine", "lr_range_test", "watch"]
