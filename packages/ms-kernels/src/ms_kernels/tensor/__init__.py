"""Tensor, Parameter, indexing and printing."""
