"""The op declarations, one family a module; the catalog loads them as they are needed (`ms_kernels.opdef.catalog`)."""
