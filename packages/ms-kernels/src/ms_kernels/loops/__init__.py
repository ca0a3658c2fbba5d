"""Native loops over arrays."""
