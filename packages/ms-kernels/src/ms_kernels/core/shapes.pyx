"""Comparisons of the shapes of operands; `kinds` says what each argument is: 0 an attribute, 3 a list of tensors."""
cimport numpy as cnp

cnp.import_array()


cdef bint share(cnp.ndarray a, cnp.ndarray b):
    """Whether the memory of a starts inside that of b."""
    cdef int i
    cdef char* low = <char*>cnp.PyArray_DATA(b)
    cdef char* high = low
    cdef char* at = <char*>cnp.PyArray_DATA(a)
    cdef cnp.npy_intp step
    if cnp.PyArray_SIZE(b) == 0:
        return False
    for i in range(cnp.PyArray_NDIM(b)):
        step = (cnp.PyArray_DIM(b, i) - 1) * cnp.PyArray_STRIDE(b, i)
        if step > 0:
            high += step
        else:
            low += step
    return low <= at <= high


cdef bint same_shapes(bytes kinds, list values):
    """Whether all operands have the shape of the first (0-d ones fit anything)."""
    cdef cnp.ndarray first = None
    cdef cnp.ndarray array
    cdef int i
    for i in range(len(kinds)):
        if kinds[i] == 0 or values[i] is None:
            continue
        array = values[i]
        if first is None or cnp.PyArray_NDIM(first) == 0:
            first = array
        elif cnp.PyArray_NDIM(array) != 0 and not equal_shape(first, array):
            return False
    return True


cdef list shapes_of(bytes kinds, list values):
    """The arguments of a shape rule: shapes in place of arrays."""
    cdef list out = []
    cdef int i
    for i in range(len(kinds)):
        value = values[i]
        if kinds[i] == 3:
            out.append([(<object>item).shape for item in value])
        elif kinds[i] != 0 and value is not None:
            out.append(value.shape)
        else:
            out.append(value)
    return out


cdef object fit_key(bytes kinds, list values):
    """All that a shape rule can look at, as a key: shapes and attributes with their types; None for other types."""
    cdef list key = []
    cdef int i
    for i in range(len(kinds)):
        value = values[i]
        if isinstance(value, cnp.ndarray):
            key.append(dims_of(<cnp.ndarray>value))
        elif value is None:
            key.append(None)
        elif kinds[i] == 3:
            for item in value:
                key.append(dims_of(<cnp.ndarray>item))
            key.append(len(value))
        elif type(value) is int or type(value) is bool or type(value) is float or type(value) is str:
            key.append(type(value))
            key.append(value)
        elif type(value) is tuple:
            for item in <tuple>value:
                if type(item) is not int:
                    return None
            key.append(value)
        else:
            return None
    return tuple(key)


cdef inline tuple dims_of(cnp.ndarray array):
    cdef int i, n = cnp.PyArray_NDIM(array)
    cdef cnp.npy_intp* dims = cnp.PyArray_DIMS(array)
    if n == 2:
        return (dims[0], dims[1])
    return tuple([dims[i] for i in range(n)])


cdef bint broadcast(cnp.ndarray a, cnp.ndarray b):
    """Whether two shapes fit by NumPy's rules."""
    cdef int i, left = cnp.PyArray_NDIM(a), right = cnp.PyArray_NDIM(b)
    cdef cnp.npy_intp n, m
    for i in range(1, min(left, right) + 1):
        n = cnp.PyArray_DIM(a, left - i)
        m = cnp.PyArray_DIM(b, right - i)
        if n != m and n != 1 and m != 1:
            return False
    return True
