"""Helpers of paper/ and benchmarks/, and scripts for maintainers; run from the repository root."""
