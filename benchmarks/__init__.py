"""Speed, scale, detection and optimality, measured by python -m benchmarks.NAME."""
