"""The doctor: why a PyTorch training run does not learn, and what to change."""

from gradatim.doctor.findings import Diagnosis
from gradatim.doctor.ranking import diagnose
from gradatim.doctor.watching import watch

__all__ = ["Diagnosis", "diagnose", "watch"]
