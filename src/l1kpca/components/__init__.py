"""How components are stacked: one after the other by deflation, or all at once."""
