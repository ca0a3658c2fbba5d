"""The tape: what a gradient walks back over."""
