"""What a detector found, and the page that shows it."""

from l1kpca.report.content import report
from l1kpca.report.document import Report

__all__ = ["Report", "report"]
