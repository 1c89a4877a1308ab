"""Reports: claims, tables and figures, shown in a terminal, on a page and as JSON."""

from gradatim.reports.concern import Concern
from gradatim.reports.report import Report
from gradatim.reports.sections import Claim

__all__ = ["Claim", "Concern", "Report"]
