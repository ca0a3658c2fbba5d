"""Programs: steps over registers, run one after the other; and the compiled signatures of one function."""
from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.string cimport memset
from ms_kernels.core.checks cimport Check, same_value
from ms_kernels.core.dispatch cimport Mode, Op, Settings, dispatch, fast_call
from ms_kernels.core.tensor cimport TensorBase, is_tensor, wrap
from ms_kernels.loops.block cimport VM_INPUTS, Block

from types import MethodType

from ms_kernels.core import dispatch as dispatcher
from ms_kernels.core.checks import MISSING

cdef extern from "Python.h":
    int PyContextVar_Get(object var, PyObject* default, PyObject** value) except -1
    PyObject* PyDict_GetItemWithError(object mapping, object key) except? NULL
    object PyTuple_New(Py_ssize_t n)
    void PyTuple_SET_ITEM(object items, Py_ssize_t i, object value)
    void Py_XDECREF(PyObject* value)

cdef enum:
    OP
    CALL
    FUSED

cdef enum:
    SMALL = 64  # registers that live on the C stack
    CONSTANT = -1
    NESTED = -2

cdef object mode_variable = dispatcher.current_mode_variable
cdef Settings process = dispatcher.process_target
cdef object missing = MISSING


cdef inline Mode current_mode():
    cdef PyObject* value = NULL
    PyContextVar_Get(mode_variable, NULL, &value)
    mode = <object>value
    Py_DECREF(mode)  # the cast above took a second reference
    return <Mode>mode


cdef inline bint undisturbed():
    """Whether calls neither are recorded nor observed nor go to a target."""
    return process.target is None and process.observer is None and current_mode() is None


cdef class Ref:
    """In the arguments of a step: what stands in a register when the step runs."""

    def __init__(self, int register):
        self.register = register

    def __repr__(self):
        return f"Ref({self.register})"


cdef bint holds_ref(object value):
    """Whether there is a Ref in a value, at any depth of lists, tuples and dicts."""
    if isinstance(value, Ref):
        return True
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            if holds_ref(item):
                return True
    return False


cdef object filled(object value, PyObject** registers):
    """A value with what stands in the registers in place of its Refs; what holds none is not copied."""
    if isinstance(value, Ref):
        return <object>registers[(<Ref>value).register]
    if type(value) is list:
        return [filled(item, registers) for item in value]
    if isinstance(value, (list, tuple)):
        if not holds_ref(value):
            return value
        items = [filled(item, registers) for item in value]
        kind = type(value)
        return kind(*items) if hasattr(kind, "_fields") else kind(items)
    if isinstance(value, dict) and holds_ref(value):
        return {key: filled(item, registers) for key, item in value.items()}
    return value


cdef object largest_ref(object value, int bound):
    """Check that all Refs in a value name a register below `bound`."""
    if isinstance(value, Ref):
        if not 0 <= (<Ref>value).register < bound:
            raise ValueError(f"a step reads register {(<Ref>value).register} of {bound}")
    elif isinstance(value, (dict, list, tuple)):
        for item in (value.values() if isinstance(value, dict) else value):
            largest_ref(item, bound)


cdef class Fused:
    """A callable for a step: a block over tensors, or, where that does not apply, the program of its single ops.

    It does not apply to other dtypes than the block's, to shapes that do not broadcast to those of all outputs, to
    what has to be recorded, under an observer, and on another target than the CPU.
    """

    def __cinit__(self, Block block not None, make not None):
        self.block = block
        self.make = make  # gives the program when it is first needed, which is seldom

    @property
    def plain(self):
        """The program of the single ops."""
        return self.singles()

    cdef Program singles(self):
        cdef Program made = self.made
        if made is None:
            made = self.make()
            if made.inputs != self.block.code.inputs or len(made.outputs) != self.block.code.outputs + self.block.code.sinks:
                raise ValueError(f"{made!r} does not stand for the block")
            self.made = made
        return made

    def __call__(self, *args):
        return self.call(args)

    @property
    def name(self):
        """The loops, in order."""
        return "fused " + "+".join([name for name, _, _ in self.block.steps] + [name for _, name, _, _ in self.block.reductions])

    def __repr__(self):
        return f"<{self.name}>"

    cdef object call(self, tuple args):
        cdef PyObject* arrays[VM_INPUTS]
        cdef Py_ssize_t i, count = len(args)
        cdef TensorBase tensor
        cdef Mode mode = current_mode()
        cdef bint fits = count == self.block.code.inputs and process.target is None and process.observer is None and (
            mode is None or (mode.target is None and mode.observer is None))
        for i in range(count):
            if not fits or not is_tensor(args[i]):
                fits = False
                break
            tensor = <TensorBase>args[i]
            fits = tensor._pending is None and (mode is None or not mode.recording or tensor._node is None)
            arrays[i] = <PyObject*>tensor._array
        if fits:
            found = self.block.run_c(arrays)
            if type(found) is tuple:
                return tuple([wrap(item) for item in <tuple>found])
            if found is not None:
                return wrap(found)
        outs = self.singles().run(args)
        return outs[0] if len(outs) == 1 else outs


cdef class Step:
    """One call of a program.

    Attributes:
        op: an Op, which is dispatched; or a callable, which gets the arguments as they are.
        args: the arguments, with a `Ref` in place of each tensor that an earlier step made; lists, tuples and dicts may
            hold some.
        outs: the registers that take the results; -1 for one that nobody needs.
        frees: the registers that nobody reads after this step.
    """

    def __cinit__(self, op, tuple args not None, tuple outs not None, tuple frees=()):
        cdef int i
        self.op = op
        self.args = args
        self.outs = outs
        self.frees = frees
        self.kind = OP if isinstance(op, Op) else FUSED if isinstance(op, Fused) else CALL
        self.arity = len(args)
        self.out_count = len(outs)
        self.free_count = len(frees)
        self.fixed = True
        if self.kind != OP and not callable(op):
            raise TypeError(f"a step needs an op or a callable, but got {op!r}")
        if self.kind == OP and self.arity != (<Op>op).arity:
            raise ValueError(f"{op!r} takes {(<Op>op).arity} arguments, but got {self.arity}")
        self.places = <int*>PyMem_Malloc((self.arity + self.out_count + self.free_count + 1) * sizeof(int))
        if self.places == NULL:
            raise MemoryError()
        for i in range(self.arity):
            if isinstance(args[i], Ref):
                self.places[i] = (<Ref>args[i]).register
            else:
                self.places[i] = NESTED if holds_ref(args[i]) else CONSTANT
            self.fixed = self.fixed and self.places[i] == CONSTANT
        for i in range(self.out_count):
            self.places[self.arity + i] = outs[i]
        for i in range(self.free_count):
            self.places[self.arity + self.out_count + i] = frees[i]

    def __dealloc__(self):
        PyMem_Free(self.places)

    def __repr__(self):
        return f"Step({getattr(self.op, 'name', self.op)!r}, {self.args}, {self.outs}, {self.frees})"


cdef inline tuple arguments(Step step, PyObject** registers):
    cdef int i, place
    cdef object item
    if step.fixed:
        return step.args
    cdef tuple made = PyTuple_New(step.arity)
    for i in range(step.arity):
        place = step.places[i]
        if place >= 0:
            if registers[place] == NULL:
                raise ValueError(f"a step reads register {place} before it is filled")
            item = <object>registers[place]
        elif place == CONSTANT:
            item = step.args[i]
        else:
            item = filled(step.args[i], registers)
        Py_INCREF(item)
        PyTuple_SET_ITEM(made, i, item)
    return made


cdef inline void put(PyObject** registers, int place, object value):
    cdef PyObject* old = registers[place]
    Py_INCREF(value)
    registers[place] = <PyObject*>value
    Py_XDECREF(old)


cdef inline void clear(PyObject** registers, int count):
    cdef int i
    cdef PyObject* old
    for i in range(count):
        old = registers[i]
        if old != NULL:
            registers[i] = NULL
            Py_XDECREF(old)


cdef class Program:
    """Steps between inputs and outputs.  A run shares nothing with another: it may run in several threads and in itself.

    Attributes:
        steps: what is done, in order.
        registers: how many there are; the first `inputs` of them take what the program is run with.
        outputs: the registers whose contents are the results.
        captured: pairs (register, tensor) that are filled in before the first step.
    """

    def __cinit__(self, steps, int registers, int inputs, tuple outputs not None, tuple captured=()):
        cdef int i
        cdef Step step
        self.steps = tuple(steps)
        self.registers = registers
        self.inputs = inputs
        self.outputs = outputs
        self.captured = captured
        if not 0 <= inputs <= registers:
            raise ValueError(f"{inputs} inputs need as many registers, but there are {registers}")
        for step in self.steps:
            for arg in step.args:
                largest_ref(arg, registers)
            check_registers(step.outs, registers, True)
            check_registers(step.frees, registers, False)
        check_registers(outputs, registers, False)
        check_registers(tuple([register for register, _ in captured]), registers, False)
        self.step_count = len(self.steps)
        self.step_at = <PyObject**>PyMem_Malloc((self.step_count + 1) * sizeof(PyObject*))
        if self.step_at == NULL:
            raise MemoryError()
        for i in range(self.step_count):
            self.step_at[i] = <PyObject*>self.steps[i]  # alive as long as the tuple is

    def __dealloc__(self):
        PyMem_Free(self.step_at)

    def __repr__(self):
        return f"<program of {self.step_count} steps over {self.registers} registers>"

    cpdef tuple run(self, tuple inputs):
        """Run the steps; returns the outputs.

        Raises:
            ValueError: the number of inputs is another.
            Exception: what a step raises.
        """
        cdef PyObject* small[SMALL]
        cdef PyObject** registers = small
        cdef int i
        if len(inputs) != self.inputs:
            raise ValueError(f"the program takes {self.inputs} inputs, but got {len(inputs)}")
        if self.registers > SMALL:
            registers = <PyObject**>PyMem_Calloc(self.registers, sizeof(PyObject*))
            if registers == NULL:
                raise MemoryError()
        else:
            memset(small, 0, self.registers * sizeof(PyObject*))
        try:
            for i in range(self.inputs):
                put(registers, i, inputs[i])
            self.execute(registers)
            return self.result(registers, 1)
        finally:
            clear(registers, self.registers)
            if registers != small:
                PyMem_Free(registers)

    cdef int execute(self, PyObject** registers) except -1:
        cdef Py_ssize_t at
        cdef int i, place
        cdef Step step
        cdef object made
        cdef tuple args
        cdef int* outs
        cdef bint bare = undisturbed()
        for place, made in self.captured:
            put(registers, place, made)
        for at in range(self.step_count):
            step = <Step>self.step_at[at]
            if at & 15 == 15:
                PyErr_CheckSignals()
            if step.kind == OP:
                args = arguments(step, registers)
                if bare and (<Op>step.op).fast:
                    made = fast_call(<Op>step.op, args, False)
                    if made is None:
                        made = dispatch(<Op>step.op, args)
                else:
                    made = dispatch(<Op>step.op, args)
            elif step.kind == FUSED:
                made = (<Fused>step.op).call(arguments(step, registers))
            else:
                made = step.op(*arguments(step, registers))
                bare = undisturbed()
            outs = step.places + step.arity
            if step.out_count == 1 and type(made) is not tuple:
                if outs[0] >= 0:
                    put(registers, outs[0], made)
            elif step.out_count:
                if type(made) is not tuple or len(<tuple>made) != step.out_count:
                    raise ValueError(f"{step.op!r} must give {step.out_count} results, but gave {made!r}")
                for i in range(step.out_count):
                    if outs[i] >= 0:
                        put(registers, outs[i], (<tuple>made)[i])
            made = args = None  # else they would keep tensors alive, and their memory from the next step
            outs += step.out_count
            for i in range(step.free_count):
                place = outs[i]
                if registers[place] != NULL:
                    Py_XDECREF(take(registers, place))
        return 0

    cdef object result(self, PyObject** registers, int form):
        """The outputs: a tuple, or with `form` 0 the only one itself."""
        cdef int i, place
        cdef tuple made
        for place in self.outputs:
            if registers[place] == NULL:
                raise ValueError(f"register {place} is an output, but no step filled it")
        if form == 0:
            return <object>registers[<int>self.outputs[0]]
        made = PyTuple_New(len(self.outputs))
        for i in range(len(self.outputs)):
            item = <object>registers[<int>self.outputs[i]]
            Py_INCREF(item)
            PyTuple_SET_ITEM(made, i, item)
        return made


cdef inline PyObject* take(PyObject** registers, int place):
    cdef PyObject* old = registers[place]
    registers[place] = NULL  # first: what is freed may run code
    return old


cdef int check_registers(tuple places, int bound, bint dropped) except -1:
    for place in places:
        if not (0 <= place < bound or (dropped and place == -1)):
            raise ValueError(f"there is no register {place}: there are {bound}")
    return 0


cdef class Entry:
    """One compiled signature of a function: when it fits, and the program.

    Args:
        checks: for each positional argument.
        keywords: checks by name, for keyword arguments (the call may give them in any order; inputs come in this one).
        program: what runs.
        recorded: what runs while the tape records and an input or captured tensor is on it; None means `program`.
        guards: a tuple ``(holder, name, expected)``: ``holder[name]`` of a dict, else ``getattr(holder, name)``, must
            be the same value (`MISSING`: there must be none); or a callable that gives True.
        captured: pairs (tensor, its `Check`) of what the program uses beside the inputs.
        same: pairs of numbers of inputs that must be the same tensor.
        rebuild: makes the result out of the outputs; None: a tuple of them; "single": the only output itself.
        target: the target that this was compiled for.
        note: any object for the owner's own use.
    """

    def __init__(self, checks, Program program not None, *, keywords=None, Program recorded=None, guards=(), captured=(),
                 same=(), rebuild=None, target=None, note=None):
        cdef Check check
        keywords = {} if keywords is None else keywords
        checks = tuple(checks)
        self.positional = len(checks)
        self.checks = (*checks, *keywords.values())
        self.names = tuple(keywords)
        self.program = program
        self.recorded = program if recorded is None else recorded
        self.guards = tuple(guards)
        self.captured = tuple(captured)
        self.same = tuple(same)
        self.target = target
        self.note = note
        self.form = 0 if rebuild == "single" else 1 if rebuild is None else 2
        self.rebuild = rebuild if self.form == 2 else None
        self.guarded = bool(self.guards or self.captured or self.same)
        self.inputs = 0
        for check in self.checks:
            self.inputs += check.inputs
        if self.inputs != program.inputs or self.inputs != self.recorded.inputs:
            raise ValueError(f"the checks give {self.inputs} inputs, but the program takes {program.inputs}")
        if self.form == 0 and not len(program.outputs) == len(self.recorded.outputs) == 1:
            raise ValueError(f"a single result needs one output, but there are {len(program.outputs)}")
        self.registers = max(program.registers, self.recorded.registers)
        for _, check in self.captured:
            if check.inputs:
                raise ValueError("the check of a captured tensor must not make an input of it")
        for i, k in self.same:
            if not (0 <= i < self.inputs and 0 <= k < self.inputs):
                raise ValueError(f"there are no inputs {i} and {k}: there are {self.inputs}")

    cdef bint match(self, tuple args, dict kwargs, PyObject** into, int* count) except -1:
        cdef int i, k
        cdef PyObject* found
        cdef Check check
        cdef int given = 0 if kwargs is None else len(kwargs)
        if len(args) != self.positional or given != len(self.names):
            return False
        for i in range(self.positional):
            check = <Check>self.checks[i]
            if not check.match(args[i], into, count):
                return False
        for i in range(given):
            found = PyDict_GetItemWithError(kwargs, self.names[i])
            if found == NULL:
                return False
            check = <Check>self.checks[self.positional + i]
            if not check.match(<object>found, into, count):
                return False
        if not self.guarded:
            return True
        for i, k in self.same:
            if into[i] != into[k]:
                return False
        for guard in self.guards:
            if not holds(guard):
                return False
        for tensor, item in self.captured:
            if not (<Check>item).match(tensor, NULL, NULL):
                return False
        return True

    cdef bint on_tape(self, PyObject** inputs):
        """Whether what the program uses is on the tape."""
        cdef int i
        for i in range(self.inputs):
            if is_tensor(<object>inputs[i]) and (<TensorBase>inputs[i])._node is not None:
                return True
        for tensor, _ in self.captured:
            if (<TensorBase>tensor)._node is not None:
                return True
        return False

    cdef object go(self, PyObject** registers, bint recording):
        cdef Program program = self.program
        if recording and self.recorded is not program and self.on_tape(registers):
            program = self.recorded
        program.execute(registers)
        found = program.result(registers, self.form)
        return self.rebuild(found) if self.form == 2 else found

    def matches(self, tuple args, kwargs=None):
        """Tell whether the arguments and what is guarded fit (the context is not asked)."""
        return self.input_tensors(args, kwargs) is not None

    def input_tensors(self, tuple args, kwargs=None):
        """Return the inputs that fitting arguments give, in the order of the program's; None when they do not fit."""
        cdef PyObject** into = <PyObject**>PyMem_Calloc(self.inputs + 1, sizeof(PyObject*))
        cdef int count = 0
        if into == NULL:
            raise MemoryError()
        try:
            if not self.match(args, kwargs, into, &count):
                return None
            return tuple([<object>into[k] for k in range(self.inputs)])
        finally:
            clear(into, self.inputs)
            PyMem_Free(into)


cdef bint holds(object guard) except -1:
    cdef PyObject* found
    if type(guard) is not tuple:
        return bool(guard())
    holder, name, expected = <tuple>guard
    if isinstance(holder, dict):
        found = PyDict_GetItemWithError(holder, name)
        if found == NULL:
            return expected is missing
        if <PyObject*>expected == found:
            return True
        return same_value(<object>found, expected)
    value = getattr(holder, name, missing)
    return value is expected or same_value(value, expected)


cdef class Compiled:
    """A function with compiled signatures: a call that fits one runs its program, any other calls ``miss(args, kwargs)``.

    A subclass defines `miss`, and replaces `entries` (a tuple, tried in order; the last that fitted is tried first).
    Under an observer, and for another target than an entry's, every call is a miss.  On an instance's class it binds as
    a function does.

    Attributes:
        hits: how many calls an entry served.
    """

    def __cinit__(self, *args, **kwargs):
        self.entries = ()

    def __call__(self, *args, **kwargs):
        return self.call(args, kwargs)

    def __get__(self, instance, owner):
        return self if instance is None else MethodType(self, instance)

    def miss(self, args, kwargs):
        """Serve a call that no entry fits."""
        raise NotImplementedError("a subclass defines miss")

    cdef object call(self, tuple args, dict kwargs):
        cdef PyObject* small[SMALL]
        cdef PyObject** registers = small
        cdef tuple entries = self.entries
        cdef Py_ssize_t count = len(entries), at, i
        cdef int taken, room = SMALL
        cdef Entry entry
        cdef Mode mode = current_mode()
        cdef object target = process.target
        cdef bint recording = False
        if mode is not None:
            if mode.observer is not None:
                return self.miss(args, kwargs)
            recording = mode.recording
            if mode.target is not None:
                target = mode.target
        if process.observer is not None and (mode is None or not mode.quiet):
            return self.miss(args, kwargs)
        if self.last >= count:
            self.last = 0
        try:
            for i in range(count):
                at = self.last if i == 0 else i if i > self.last else i - 1
                entry = <Entry>entries[at]
                if entry.target is not target:
                    continue
                if entry.registers > room:
                    registers = grown(registers, small, entry.registers)
                    room = entry.registers
                memset(registers, 0, entry.registers * sizeof(PyObject*))
                taken = 0
                try:
                    if entry.match(args, kwargs, registers, &taken):
                        self.last = at
                        self.hits += 1
                        return entry.go(registers, recording)
                finally:
                    clear(registers, entry.registers)
        finally:
            if registers != small:
                PyMem_Free(registers)
        return self.miss(args, kwargs)


cdef PyObject** grown(PyObject** old, PyObject** small, int count) except NULL:
    cdef PyObject** made = <PyObject**>PyMem_Calloc(count, sizeof(PyObject*))
    if made == NULL:
        raise MemoryError()
    if old != small:
        PyMem_Free(old)
    return made
