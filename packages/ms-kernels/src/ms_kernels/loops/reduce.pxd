"""The reductions' kernels, for blocks that end in one."""

# an `rd_table` of reduce_table.h
cdef const void* reduce_kernels() noexcept nogil
