"""TensorBase: one ndarray, its place on the tape, and a version that counts changes in place.  It knows no op."""
cimport numpy as cnp
cimport cython
from cpython.buffer cimport PyObject_GetBuffer
from cpython.object cimport PyTypeObject

import ms_dtype as mstype

cnp.import_array()

cdef extern from *:
    """
    static PyObject *ms_new_of(PyTypeObject *kind, PyObject *empty) { return kind->tp_new(kind, empty, NULL); }
    """
    object ms_new_of(PyTypeObject* kind, object empty)


cdef tuple EMPTY = ()
cdef PyTypeObject* tensor_type = NULL
cdef object tensor_class = None
cdef long long node_count = 0
cdef int watching = 0  # how many observers want to know of reads: 0 nearly always, so that a read costs nothing more
cdef object watcher = None
cdef dict DTYPE_OF = {}


@cython.freelist(128)
cdef class Node:
    """One recorded call (or, with ``op`` None, a leaf).

    Attributes:
        op: what was called; its gradient rule walks back through this node.
        args: the call's arguments, with None in place of every operand that the gradient rule does not use.
        parents: the node behind each tensor operand, None for constants.
        indices: which output of its parent each operand was; None when all were the first.
        metas: (shape, NumPy dtype) of each operand; None when all equal the output's.
        saved_out: the results' arrays (or what they wait for), when the gradient rule uses them.
        versions: the operands' versions at the time of the call; None when all were 0.
        out_metas: (shape, NumPy dtype) of each output.
        sequence: a number that only grows, so that a node always has a higher one than its parents.
        hooks: what to call with the gradient of an output, {output number: table of hooks}; None without.
    """

    def __init__(self, op, args=EMPTY, parents=EMPTY, indices=None, metas=None, saved_out=None, out_metas=None,
                 versions=None):
        global node_count
        node_count += 1
        self.sequence = node_count
        self.op = op
        self.args = args
        self.parents = parents
        self.indices = indices
        self.metas = metas
        self.saved_out = saved_out
        self.out_metas = out_metas
        self.versions = versions


cdef Node new_node(object op, tuple args, tuple parents):
    global node_count
    cdef Node node = Node.__new__(Node)
    node_count += 1
    node.sequence = node_count
    node.op = op
    node.args = args
    node.parents = parents
    return node


def next_sequence():
    """Return the number below which every node made so far lies."""
    return node_count + 1


def untouched(Node node not None, bytes kinds not None):
    """Whether no operand that was kept changed in place since the call; False also where a closer look is due."""
    cdef tuple versions = node.versions
    cdef int i, at = 0
    for i in range(len(node.args)):
        if kinds[i] == 0:
            continue
        arg = node.args[i]
        if isinstance(arg, (list, tuple)):
            for item in arg:
                if (<TensorBase>item)._changes_c() != (0 if versions is None else <long>versions[at]):
                    return False
                at += 1
            continue
        if arg is None and kinds[i] == 3:  # a list operand that the rule does not use: of unknown length
            break
        if isinstance(arg, TensorBase) and (<TensorBase>arg)._changes_c() != (0 if versions is None else <long>versions[at]):
            return False
        at += 1
    if versions is not None:  # views may be older than a change
        for parent in node.parents:
            if parent is not None and getattr((<Node>parent).op, "is_view", False):
                return False
    return True


cdef class Unknown:
    """What a tensor waits for that has a shape (dims of -1 are unknown; (-2,): the rank too) and a dtype, but no data."""

    def __init__(self, tuple dims not None):
        self.dims = dims


cdef class StandIn(Unknown):
    """What a tensor waits for whose numbers another party has, or will have."""

    def fill(self, tensor):
        """Give the tensor its numbers (by its `_set`), or raise."""
        raise NotImplementedError


cdef class TensorBase:
    """Storage, layout, dtype and tape node of a tensor; the ops are installed on its subclass."""

    @property
    def _a(self):
        """The array; filled first when the tensor waits for its initializer."""
        if watching:
            told(self, "read")
        if self._pending is not None:
            self._fill()
        return self._array

    @property
    def _raw(self):
        """The array as it is: not filled, and no observer learns of it."""
        return self._array

    @property
    def _kind(self):
        """The NumPy dtype of the elements."""
        return self._array.dtype

    def _fill(self):
        raise RuntimeError("a tensor without data was used")

    def _set(self, cnp.ndarray array not None):
        """Take `array` as the data (no copy): shape and dtype may change."""
        if watching:
            told(self, "set")
        self._array = array
        self._pending = None
        self._touch()

    def _set_pending(self, cnp.ndarray array, object pending):
        """Stand for data that does not exist yet; `array` has its shape and dtype and takes no memory."""
        self._array = array
        self._pending = pending

    def _swap(self, cnp.ndarray array not None):
        """Hold the same values in other memory: no change that anybody would have to know of."""
        self._array = array

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        if watching:
            told(self, "read")
        if self._pending is not None:
            self._fill()
        PyObject_GetBuffer(self._array, buffer, flags)

    @property
    def _waiting(self):
        """The initializer that this tensor waits for, or None."""
        return self._pending

    @property
    def _tape(self):
        """The tape's node that made this tensor, or None."""
        return self._node

    @property
    def _tape_index(self):
        return self._index

    def _set_tape(self, Node node, int index=0):
        self._node = node
        self._index = index

    def _touch(self):
        """Count a change in place, of this tensor and of all that share its memory."""
        if watching:
            told(self, "write")
        if self._owner is not None:
            self._owner._version += 1
        else:
            self._version += 1

    cdef int _keep_past(self) except -1:
        """Before a change in place that is recorded: keep the array if a gradient rule may need it as it is.

        With views about, the memory has to be the one that is changed, and a copy is kept; else the array itself is,
        and the tensor goes on with another.
        """
        cdef cnp.ndarray old = self._array
        cdef Node node = self._node
        if not self._saved and (node is None or node.saved_out is None):
            return 0
        if self._viewed:
            kept = old.copy("K")
            if node is not None and node.saved_out is not None:
                node.saved_out = tuple([kept if item is old else item for item in node.saved_out])
        else:
            kept = old
            self._array = old.copy("K")
        if self._past is None:
            self._past = {}
        self._past[self._version] = kept
        self._saved = False
        return 0

    def _at(self, long version, Node node, int index):
        """The tensor as it was at an earlier version, at its place on the tape then; None when that is lost."""
        if watching:
            told(self, "past")  # a graph keeps no past
        cdef TensorBase owner = self._owner if self._owner is not None else self
        cdef cnp.ndarray kept = None if owner._past is None else owner._past.get(version)
        if kept is None:
            return None
        if owner is not self:
            if (<object>kept).strides != (<object>owner._array).strides:
                return None
            kept = _window(kept, self._array, cnp.PyArray_BYTES(self._array) - cnp.PyArray_BYTES(owner._array))
        return from_saved(kept, node, index)

    cdef long _changes_c(self):
        return self._owner._version if self._owner is not None else self._version

    @property
    def _changes(self):
        """How often the memory behind this tensor was changed in place."""
        return self._changes_c()

    @property
    def _view_of(self):
        """The tensor whose memory this one is a view of, or None."""
        return self._owner

    def _set_owner(self, TensorBase owner):
        self._owner = owner._owner if owner._owner is not None else owner
        self._owner._viewed = True

    @property
    def shape(self):
        """The size of each dimension, a tuple of ints.  (``Tensor.shape`` of 2.6.)"""
        cdef int i
        cdef cnp.npy_intp* dims = cnp.PyArray_DIMS(self._array)
        if watching:
            found = told(self, "shape")
            if found is not None:
                return found
        if self._pending is not None and isinstance(self._pending, Unknown):
            return (<Unknown>self._pending).dims
        return tuple([dims[i] for i in range(cnp.PyArray_NDIM(self._array))])

    @property
    def ndim(self):
        """The number of dimensions."""
        return cnp.PyArray_NDIM(self._array)

    @property
    def size(self):
        """The number of elements."""
        if watching:
            found = told(self, "size")
            if found is not None:
                return found
        return cnp.PyArray_SIZE(self._array)

    @property
    def dtype(self):
        """The element type, one of ``mindspore.common.dtype``'s objects."""
        cdef object found = DTYPE_OF.get(cnp.PyArray_TYPE(self._array))
        return found if found is not None else _learn(self._array)


cdef object told(TensorBase tensor, str what):
    """Let the observer of this context know of a read or a change; its answer for a "shape" or "size" counts."""
    return watcher(tensor, what)


def set_watcher(found):
    """Tell what finds the observer to be told: once, by the dispatcher."""
    global watcher
    watcher = found


def watch(int step):
    """Count observers that want to know of reads: 1 when one comes, -1 when it goes."""
    global watching
    watching += step


cdef int mark_saved(TensorBase tensor) except -1:
    """Note that a gradient rule may need a tensor as it is now."""
    if tensor._owner is not None:
        tensor._owner._saved = True
    else:
        tensor._saved = True
    return 0


cdef cnp.ndarray _window(cnp.ndarray kept, cnp.ndarray view, Py_ssize_t start):
    """What `view` shows, `start` bytes from the first element of an array like `kept`; it cannot be written."""
    cdef cnp.ndarray out = cnp.PyArray_New(
        cnp.ndarray, cnp.PyArray_NDIM(view), cnp.PyArray_DIMS(view), cnp.PyArray_TYPE(view), cnp.PyArray_STRIDES(view),
        <char*>cnp.PyArray_DATA(kept) + start, <int>cnp.PyArray_ITEMSIZE(view), 0, <object>NULL)
    cnp.set_array_base(out, kept)
    return out


cdef object _learn(cnp.ndarray array):
    """Find the dtype object of an element type seen for the first time."""
    found = mstype.from_numpy(array.dtype)
    DTYPE_OF[cnp.PyArray_TYPE(array)] = found
    return found


def set_tensor_class(kind):
    """Tell what class the results of ops get: once, by the module that defines it."""
    global tensor_type, tensor_class
    if tensor_class is not None:
        raise RuntimeError("the tensor class is set already")
    tensor_class = kind
    tensor_type = <PyTypeObject*>kind


cdef TensorBase wrap(cnp.ndarray array):
    cdef TensorBase out = <TensorBase>ms_new_of(tensor_type, EMPTY)
    out._array = array
    return out


def from_array(cnp.ndarray array not None):
    """Wrap an ndarray as a tensor without a copy and without any check."""
    return wrap(array)


def alias(TensorBase x not None):
    """Return another tensor of the same array (filled first), with no place on the tape; no observer learns of it."""
    if x._pending is not None:
        x._fill()
    return wrap(x._array)


def tell(about, str what):
    """Tell this context's observer of something else than a tensor; its answer, None without one."""
    return watcher(about, what) if watching else None


def from_saved(cnp.ndarray array not None, Node node, int index):
    """Wrap a saved result again, at its old place on the tape."""
    cdef TensorBase out = wrap(array)
    out._node = node
    out._index = index
    return out
