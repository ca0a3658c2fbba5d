# c-sources: src/ms_kernels/simd/vm.c
"""Fused blocks: several elementwise loops in one pass over memory, with the results of the separate ones bit for bit."""

import ml_dtypes
import numpy

cimport numpy as np
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.string cimport memcmp
from ms_kernels.core.runtime cimport empty_dims, ms_rt, rt_table
from ms_kernels.loops.elementwise cimport loops_by_name
from ms_kernels.loops.kinds cimport kind_of
from ms_kernels.loops.reduce cimport reduce_kernels

np.import_array()

cdef extern from *:
    """
    #include "ms_rt.h"
    MS_RT_DEFINE
    """
    const ms_rt* ms_rt_table

cdef extern from "numpy/arrayobject.h":
    bint PyArray_ISBEHAVED_RO(np.ndarray)
    enum: NPY_MAXDIMS

ms_rt_table = rt_table()

cdef const ew_host* host = <const ew_host*>loops_by_name()
cdef np.dtype BOOL = numpy.dtype("?")
cdef np.dtype F64 = numpy.dtype("d")
cdef dict HALVES = {numpy.dtype("e"): VM_F16, numpy.dtype(ml_dtypes.bfloat16): VM_BF16}
cdef tuple KNOWN = (BOOL, F64, numpy.dtype("f"), *HALVES)
# what gives a number of a 16-bit type for numbers of that type, so that there is nothing to round
cdef int BF16 = numpy.dtype(ml_dtypes.bfloat16).num
cdef dict SINKS = {
    "sum": (RD_SUM, RF_PLAIN), "mean": (RD_SUM, RF_DIV), "prod": (RD_PROD, RF_PLAIN), "max": (RD_MAX, RF_PLAIN),
    "min": (RD_MIN, RF_PLAIN),
}
cdef frozenset EXACT = frozenset(
    "neg abs relu relu6 maximum minimum sign floor ceil trunc round where from_bool clamp relu_grad relu6_grad".split())

# what may come before the rounding as well as after it: round(-x) = -round(x)
cdef frozenset TRANSPARENT = frozenset("neg abs relu where".split())


def operation(str name, bint double) -> tuple[int, bool, int] | None:
    """How many operands a loop takes, whether it gives bools, and how many of its first operands are bools; None: no loop.

    Beside those of `elementwise.names` there are "where", "copy", "from_bool" and "logical_and", "_or", "_xor", "_not".

    >>> operation("add", False), operation("less", False), operation("lt", False)
    ((2, False, 0), None, (2, True, 0))
    """
    cdef ew_kernel kernel
    host.find(name.encode(), double, &kernel)
    return (kernel.arity, bool(kernel.to_bool), kernel.from_bool) if kernel.arity else None


def limits() -> tuple[int, int, int, int]:
    """How many inputs, outputs and reductions a block may have, and how many inputs, constants and registers together."""
    return VM_INPUTS, VM_OUTPUTS, VM_SINKS, VM_SLOTS


def rounded(value, dtype) -> float:
    """A Python number as the loops see it beside an array: rounded to float32 first, then to a 16-bit type."""
    cdef np.dtype descr = numpy.dtype(dtype)
    if descr == F64:
        return float(value)
    with numpy.errstate(all="ignore"):
        return float(numpy.float32(value).astype(descr))


cdef class Block:
    """A list of loops that runs in one pass.

    Values are numbered: the inputs, then the constants, then the results of the steps.

    Args:
        inputs: the NumPy dtype of each input: bool, and either float64 or any of float32, float16 and bfloat16.
        constants: pairs (number, dtype), each used as an array of that dtype would be.
        steps: triples (name of a loop, the numbers of its operands, the result's dtype).
        outputs: the numbers of the results that are kept, each a step's.
        reductions: (number of a step's result, "sum", "mean", "prod", "max" or "min", over how many of the last dimensions
            or -1 for all, whether these stay with size 1); they come after the outputs, and have the same dimensions.

    Raises:
        ValueError: a loop, an operand or a dtype does not fit.
        OverflowError: more values at a time than `limits`, or a constant beyond a float.

    Examples:
        >>> import numpy as np
        >>> f = np.dtype("f")
        >>> block = Block((f, f), ((2.0, f),), (("mul", (0, 2), f), ("add", (3, 1), f)), (4,))
        >>> block.run(np.ones((2, 2), f), np.array([1, 2], f))
        array([[3., 4.],
               [3., 4.]], dtype=float32)
    """

    def __cinit__(self, tuple inputs not None, tuple constants not None, tuple steps not None, tuple outputs not None,
                  tuple reductions=()):
        self.inputs = tuple([numpy.dtype(d) for d in inputs])
        self.constants = tuple([(rounded(value, d), numpy.dtype(d)) for value, d in constants])
        self.steps = tuple([(name, tuple(operands), numpy.dtype(d)) for name, operands, d in steps])
        self.outputs = outputs
        self.reductions = reductions
        self.dtypes = (*self.inputs, *[d for _, d in self.constants], *[d for _, _, d in self.steps])
        for dtype in self.dtypes:
            if dtype not in KNOWN:
                raise ValueError(f"a block has no values of {dtype}")
        if len(inputs) > VM_INPUTS or len(outputs) > VM_OUTPUTS or len(reductions) > VM_SINKS:
            raise OverflowError(f"a block has at most {VM_INPUTS} inputs, {VM_OUTPUTS} outputs and {VM_SINKS} reductions")
        doubles = [d == F64 for d in self.dtypes if d != BOOL]
        if any(doubles) and not all(doubles):
            raise ValueError("a block cannot mix float64 with other floats")
        first = len(inputs) + len(constants)
        ends = (*outputs, *[sink[0] for sink in reductions])
        if not inputs or not ends or not all([first <= k < len(self.dtypes) for k in ends]):
            raise ValueError("a block has inputs, and outputs that are results of steps")
        if len(set(outputs)) != len(outputs):
            raise ValueError("the outputs of a block are different values")
        self.allocate()
        self.code.host = host
        self.code.wide = 8 if any(doubles) else 4
        self.code.inputs = len(inputs)
        self.code.constants = len(constants)
        self.code.outputs = len(outputs)
        self.code.constant = self.numbers
        self.check_steps(first)
        self.fill_ends()
        self.fill_steps(first)
        self.fill_sinks()

    cdef int allocate(self) except -1:
        self.code.steps = <vm_step*>PyMem_Calloc(len(self.steps) + 1, sizeof(vm_step))
        self.numbers = <double*>PyMem_Calloc(len(self.constants) + 1, sizeof(double))
        self.types = <int*>PyMem_Calloc(len(self.inputs) + 1, sizeof(int))
        self.uses = <unsigned int*>PyMem_Calloc(len(self.outputs) + len(self.reductions) + 1, sizeof(int))
        if self.code.steps == NULL or self.numbers == NULL or self.types == NULL or self.uses == NULL:
            raise MemoryError()
        return 0

    def __dealloc__(self):
        PyMem_Free(self.code.steps)
        PyMem_Free(self.numbers)
        PyMem_Free(self.types)
        PyMem_Free(self.uses)

    cdef int fill_ends(self) except -1:
        cdef int i
        for i in range(len(self.inputs)):
            self.types[i] = (<np.dtype>self.inputs[i]).num
            self.code.input_item[i] = (<np.dtype>self.inputs[i]).itemsize
            self.code.input_half[i] = HALVES.get(self.inputs[i], VM_KEEP)
        for i in range(len(self.constants)):
            self.numbers[i] = self.constants[i][0]
        for i in range(len(self.outputs)):
            dtype = self.dtypes[self.outputs[i]]
            self.code.output_item[i] = (<np.dtype>dtype).itemsize
            self.code.output_half[i] = HALVES.get(dtype, VM_KEEP)
        return 0

    def ends(self):
        """The numbers of the values that the results are made of."""
        return (*self.outputs, *[sink[0] for sink in self.reductions])

    cdef int fill_sinks(self) except -1:
        cdef vm_sink* sink
        self.code.sinks = len(self.reductions)
        for at, (value, name, count, keepdims) in enumerate(self.reductions):
            if name not in SINKS or self.dtypes[value] == BOOL:
                raise ValueError(f"there is no reduction {name!r} of {self.dtypes[value]}")
            if at and count != self.last_dims:
                raise ValueError("the reductions of a block are over the same dimensions")
            if count == 0 or count < -1:
                raise ValueError(f"a reduction is over some dimensions, but got {count}")
            self.last_dims = count
            sink = &self.code.sink[at]
            sink.op, sink.finish = SINKS[name]
            sink.type = kind_of((<np.dtype>self.dtypes[value]).num, BF16)
            self.code.cost += 2
        return 0

    cdef int check_steps(self, int first) except -1:
        """Check that all loops and their operands are there and of the right kind."""
        cdef int at, k, place
        cdef ew_kernel kernel
        used = {k for _, operands, _ in self.steps for k in operands}.union(self.ends())
        for at, (name, operands, dtype) in enumerate(self.steps):
            host.find((<str>name).encode(), self.code.wide == 8, &kernel)
            if kernel.arity == 0 or kernel.arity != len(operands):
                raise ValueError(f"there is no loop {name!r} for {len(operands)} operands")
            if (dtype == BOOL) != bool(kernel.to_bool):
                raise ValueError(f"{name!r} does not give {dtype}")
            for k in range(kernel.arity):
                place = operands[k]
                if not 0 <= place < first + at or (self.dtypes[place] == BOOL) != (k < kernel.from_bool):
                    raise ValueError(f"operand {k} of {name!r} is not there, or of the wrong kind")
            if first + at not in used:
                raise ValueError(f"nobody uses the result of step {at}")
        return 0

    cdef list merged(self, int first):
        """The steps as (number of the result, loop, operands, dtype); ``c + a * b`` in one where a * b is not needed."""
        cdef int at
        uses, kept = {}, set(self.ends())
        for _, operands, _ in self.steps:
            for k in operands:
                uses[k] = uses.get(k, 0) + 1
        made, dropped = [], set()
        for at, (name, operands, dtype) in enumerate(self.steps):
            if name == "add" and dtype not in HALVES:
                for k, other in (operands, operands[::-1]):
                    below = self.steps[k - first][:2] if k >= first and uses[k] == 1 and k not in kept else ("", ())
                    if below[0] in ("mul", "div"):
                        name, operands = ("addcmul" if below[0] == "mul" else "addcdiv"), (other, *below[1])
                        dropped.add(k)
                        break
            made.append((first + at, name, operands, dtype))
        return [step for step in made if step[0] not in dropped]

    cdef int fill_steps(self, int first) except -1:
        """Give each result a register; an output keeps its own to the end."""
        cdef int at, k, place
        cdef vm_step* step
        cdef list steps = self.merged(first)
        last, kept, free, registers = {}, set(self.ends()), [], 0
        exact = {sink[0] for sink in self.reductions}  # what must be rounded where it is made
        unrounded = set()
        place_of = dict(zip(range(first), range(first)))
        masks = {k: 1 << k if k < self.code.inputs else 0 for k in range(first)}
        self.code.count = len(steps)
        for at, (_, name, operands, _) in enumerate(steps):
            for k in operands:
                last[k] = at
            if name not in TRANSPARENT:
                exact.update(operands)
        for at, (value, name, operands, dtype) in enumerate(steps):
            step = &self.code.steps[at]
            host.find((<str>name).encode(), self.code.wide == 8, &step.kernel)
            self.code.cost += max(1, step.kernel.cost - self.code.wide // 2)  # the table counts loads and stores too
            masks[value] = 0
            for k in range(step.kernel.arity):
                place = operands[k]
                step.in_[k] = place_of[place]
                masks[value] |= masks[place]
            if dtype in HALVES and (name not in EXACT or any(
                    [k in unrounded or self.dtypes[k] not in (dtype, BOOL) for k in operands])):
                if value in exact:
                    step.round = HALVES[dtype]
                    self.code.cost += 1
                else:
                    unrounded.add(value)
            if value in kept or not free:
                place = registers
                registers += 1
            else:
                place = free.pop()
            step.out = first + place
            place_of[value] = first + place
            for k in set(operands):
                if k >= first and last[k] == at and k not in kept:
                    free.append(place_of[k] - first)
        for at, value in enumerate(self.ends()):
            if at < self.code.outputs:
                self.code.output_slot[at] = place_of[value]
            else:
                self.code.sink[at - self.code.outputs].slot = place_of[value]
            self.uses[at] = masks[value]
            if masks[value] == 0:
                raise ValueError("an output of a block depends on an input")
        self.code.registers = registers
        if first + registers > VM_SLOTS:
            raise OverflowError(f"a block has at most {VM_SLOTS} values at a time")
        return 0

    def __reduce__(self):
        return Block, (self.inputs, self.constants, self.steps, self.outputs, self.reductions)

    cdef object run_c(self, PyObject** arrays):
        cdef vm_run run
        cdef Dims whole
        cdef int i, k, count = self.code.inputs
        cdef np.ndarray array
        cdef bint alike = True
        cdef Py_ssize_t n = 1
        whole.ndim = 0
        for i in range(count):
            array = <np.ndarray>arrays[i]
            if np.PyArray_TYPE(array) != self.types[i] or not PyArray_ISBEHAVED_RO(array):
                return None
            if i == 0:
                dims_of(&whole, array)
            elif not equal_dims(&whole, array):
                alike = False
                if not stretch(&whole, array):
                    return None
            alike = alike and np.PyArray_IS_C_CONTIGUOUS(array)
        if (not alike and not self.all_whole(arrays, &whole)) or (self.code.sinks and not self.set_rows(&run, &whole)):
            return None
        for i in range(whole.ndim):
            n *= whole.dims[i]
        for i in range(count):
            view_of(&run, i, <np.ndarray>arrays[i], &whole, alike)
        run.block = &self.code
        if self.code.outputs == 1 and self.code.sinks == 0:
            array = empty_dims(whole.ndim, <np.npy_intp*>whole.dims, <np.dtype>self.dtypes[<Py_ssize_t>self.outputs[0]])
            run.out[0] = <char*>np.PyArray_DATA(array)
            execute(&run, n)
            return array
        made = []
        for k in range(self.code.outputs):
            array = empty_dims(whole.ndim, <np.npy_intp*>whole.dims, <np.dtype>self.dtypes[<Py_ssize_t>self.outputs[k]])
            run.out[k] = <char*>np.PyArray_DATA(array)
            made.append(array)
        for k in range(self.code.sinks):
            made.append(self.reduced(&run, k, &whole))
        execute(&run, n)
        return tuple(made) if len(made) > 1 else made[0]

    cdef bint all_whole(self, PyObject** arrays, const Dims* whole):
        """Whether all that comes out has the shape that all inputs have together."""
        cdef int i, k
        cdef Dims dims
        for k in range(self.code.outputs + self.code.sinks):
            if self.uses[k] == (<unsigned int>1 << self.code.inputs) - 1:
                continue
            dims.ndim = 0
            for i in range(self.code.inputs):
                if self.uses[k] >> i & 1:
                    stretch(&dims, <np.ndarray>arrays[i])
            if not same_dims(&dims, whole):
                return False
        return True

    cdef bint set_rows(self, vm_run* run, const Dims* whole):
        """Cut the elements in rows that are reduced; False when the reductions would not go row by row."""
        cdef int d, first = whole.ndim - self.last_dims
        if self.last_dims == -1:
            first = 0
        elif first < 0:
            return False
        run.rows = run.row = 1
        for d in range(whole.ndim):
            if d < first:
                run.rows *= whole.dims[d]
            else:
                run.row *= whole.dims[d]
        run.table = reduce_kernels()
        return vm_reducible(&self.code, run.rows, run.row)

    cdef object reduced(self, vm_run* run, int k, const Dims* whole):
        """The array for the results of a reduction."""
        cdef Dims dims = whole[0]
        cdef int d, first = 0 if self.last_dims == -1 else whole.ndim - self.last_dims
        cdef np.ndarray array
        value, _, _, keepdims = self.reductions[k]
        for d in range(first, dims.ndim):
            dims.dims[d] = 1
        if not keepdims:
            dims.ndim = first
        array = empty_dims(dims.ndim, <np.npy_intp*>dims.dims, <np.dtype>self.dtypes[<Py_ssize_t>value])
        run.sink_out[k] = np.PyArray_DATA(array)
        return array

    def run(self, *arrays):
        """Run on arrays that broadcast; returns an array, or a tuple of them.

        Raises:
            ValueError: another number of arrays or another dtype, or the shapes do not fit: they must broadcast, and all
                outputs must have the same shape.
        """
        cdef PyObject* given[VM_INPUTS]
        cdef int i
        if len(arrays) != self.code.inputs or not all([isinstance(item, np.ndarray) for item in arrays]):
            raise ValueError(f"the block takes {self.code.inputs} arrays")
        for i in range(self.code.inputs):
            given[i] = <PyObject*>arrays[i]
        found = self.run_c(given)
        if found is None:
            kinds = [(str(item.dtype), item.shape) for item in arrays]
            raise ValueError(f"the block takes {[str(d) for d in self.inputs]} that broadcast, but got {kinds}")
        return found


cdef inline void dims_of(Dims* s, np.ndarray x):
    cdef int d
    s.ndim = np.PyArray_NDIM(x)
    for d in range(s.ndim):
        s.dims[d] = np.PyArray_DIM(x, d)


cdef inline bint equal_dims(const Dims* s, np.ndarray x):
    return s.ndim == np.PyArray_NDIM(x) and (
        s.ndim == 0 or memcmp(s.dims, np.PyArray_DIMS(x), s.ndim * sizeof(np.npy_intp)) == 0)


cdef inline bint same_dims(const Dims* s, const Dims* t):
    return s.ndim == t.ndim and (s.ndim == 0 or memcmp(s.dims, t.dims, s.ndim * sizeof(np.npy_intp)) == 0)


cdef bint stretch(Dims* s, np.ndarray x):
    """Make `s` what it and the shape of x broadcast to; False when they do not."""
    cdef int d, ndim = np.PyArray_NDIM(x), shift = ndim - s.ndim
    cdef Py_ssize_t want
    if shift > 0:
        for d in range(s.ndim - 1, -1, -1):
            s.dims[d + shift] = s.dims[d]
        for d in range(shift):
            s.dims[d] = 1
        s.ndim = ndim
    shift = s.ndim - ndim
    for d in range(ndim):
        want = np.PyArray_DIM(x, d)
        if s.dims[d + shift] == 1:
            s.dims[d + shift] = want
        elif want != 1 and want != s.dims[d + shift]:
            return False
    return True


cdef inline void view_of(vm_run* run, int i, np.ndarray x, const Dims* s, bint packed):
    cdef Py_ssize_t steps[NPY_MAXDIMS]
    cdef int d, shift
    cdef Py_ssize_t n
    if packed:  # one dimension will do
        n = np.PyArray_SIZE(x)
        steps[0] = np.PyArray_ITEMSIZE(x)
        host.view(&run.in_[i], np.PyArray_DATA(x), <int>np.PyArray_ITEMSIZE(x), 1, &n, steps)
        return
    shift = s.ndim - np.PyArray_NDIM(x)
    for d in range(s.ndim):
        steps[d] = 0 if d < shift or np.PyArray_DIM(x, d - shift) == 1 else np.PyArray_STRIDE(x, d - shift)
    host.view(&run.in_[i], np.PyArray_DATA(x), <int>np.PyArray_ITEMSIZE(x), s.ndim, s.dims, steps)


cdef inline int execute(vm_run* run, Py_ssize_t n) except -1:
    cdef int failed
    if n < 1024:
        failed = vm_execute(run, n)
    else:
        with nogil:
            failed = vm_execute(run, n)
    if failed:
        raise MemoryError()
    return 0
