"""Reports, and the measurements that go into them."""

from gradatim.evaluation.report import Report
from gradatim.evaluation.sections import Claim

__all__ = ["Claim", "Report"]
