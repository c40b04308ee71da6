"""What a detector found, as facts, and the page that shows them."""

from l1kpca.report.facts import Agreement, Cases, Reason, Summary, SuspiciousRow
from l1kpca.report.making import Report, report, report_of
from l1kpca.report.render import to_plain
from l1kpca.report.summarize import summarize

__all__ = [
    "Agreement",
    "Cases",
    "Reason",
    "Report",
    "Summary",
    "SuspiciousRow",
    "report",
    "report_of",
    "summarize",
    "to_plain",
]
