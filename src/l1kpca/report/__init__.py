"""What a detector found, as facts, and the page that shows them."""

from l1kpca.report.render import to_html, to_plain
from l1kpca.report.summarize import Agreement, Cases, Reason, Summary, SuspiciousRow, summarize

__all__ = [
    "Agreement",
    "Cases",
    "Reason",
    "Summary",
    "SuspiciousRow",
    "summarize",
    "to_html",
    "to_plain",
]
