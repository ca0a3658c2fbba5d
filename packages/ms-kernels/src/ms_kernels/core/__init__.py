"""The native core: memory, threads and the tensor itself."""
