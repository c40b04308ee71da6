"""How several components are found: one by one, with deflation, or all at once."""
