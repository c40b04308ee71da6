"""``python -m l1kpca`` is the program ``l1kpca``."""

from l1kpca.cli import main

if __name__ == "__main__":
    main()
