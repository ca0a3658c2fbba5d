"""How an op is declared, and what is derived from the declaration."""
