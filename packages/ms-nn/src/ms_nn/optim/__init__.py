"""The optimizers, one module per family; `rules` holds what they compute."""
