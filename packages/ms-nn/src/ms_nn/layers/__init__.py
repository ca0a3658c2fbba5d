"""The layers, one module per family."""
