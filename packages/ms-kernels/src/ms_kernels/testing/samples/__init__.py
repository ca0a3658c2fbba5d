"""Cases, one module per op family (mirrors ms_kernels.ops)."""
