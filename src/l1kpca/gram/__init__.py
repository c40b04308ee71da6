"""How the Gram matrix is held: one protocol, several representations, and who chooses."""
