"""How the Gram matrix is held: one interface, several representations, and how one is chosen."""
