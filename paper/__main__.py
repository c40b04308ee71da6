"""What ``python -m paper`` runs."""

from paper.runs import main

if __name__ == "__main__":
    raise SystemExit(main())
