"""How each experiment is shown: from rows to text and tables."""
