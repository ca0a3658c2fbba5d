"""The losses, one module per family."""
