"""What of a Cell is saved: parameters and buffers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ms_kernels import Parameter, Tensor

if TYPE_CHECKING:
    from ms_nn.cell import Cell

__all__ = ["Buffer", "State"]


class Buffer:
    """A tensor that belongs to a cell and is saved with it, but not trained (``mindspore.nn.Buffer``).

    Args:
        data: the tensor.
        persistent: it is part of `state_dict`.

    Assigned to an attribute of a cell it is registered there; the attribute then reads as the tensor.

    >>> from ms_kernels import Tensor
    >>> from ms_nn import Cell
    >>> net = Cell()
    >>> net.mean = Buffer(Tensor([1.0]))
    >>> list(net.state_dict()), net.mean.shape
    (['mean'], (1,))
    """

    def __init__(self, data: Tensor | None = None, *, persistent: bool = True) -> None:
        self.data = data
        self.persistent = persistent


class LoadReport(NamedTuple):
    """Names that `load_state_dict` found no data for, and names in the data that nothing has."""

    missing_keys: list[str]
    unexpected_keys: list[str]


class State:
    """Mixin: buffers and the state dict."""

    _buffers: dict[str, Any]
    _params: OrderedDict[str, Any]

    def cells_and_names(self, cells: Any = None, name_prefix: str = "") -> Iterator[tuple[str, Cell]]:
        """This cell and all below it."""
        raise NotImplementedError

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is not trained.

        Raises:
            KeyError: the name is empty, contains a dot or is taken.
            TypeError: `name` is no str, or `tensor` neither Tensor nor None.
        """
        if not isinstance(name, str):
            raise TypeError(f"For 'register_buffer', the type of 'name' must be str, but got {type(name).__name__}.")
        if not name or "." in name:
            raise KeyError(f"For 'register_buffer', the 'name' must be without '.' and not empty, but got '{name}'.")
        if name not in self._buffers and hasattr(self, name):
            raise KeyError(
                f"For 'register_buffer', the 'name' must be free, but the attribute '{name}' already exists."
            )
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"For 'register_buffer', the 'tensor' must be Tensor or None, but got {type(tensor).__name__}."
            )
        self._buffers[name] = tensor
        if not persistent:
            hidden = self.__dict__.get("_non_persistent", frozenset())
            object.__setattr__(self, "_non_persistent", hidden | {name})

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The buffers with their names."""
        cells: Any = self.cells_and_names(name_prefix=prefix) if recurse else [(prefix, self)]
        seen: set[int] = set()
        for path, cell in cells:
            for name, tensor in cell._buffers.items():
                if tensor is not None and not (remove_duplicate and id(tensor) in seen):
                    seen.add(id(tensor))
                    yield (f"{path}.{name}" if path else name), tensor

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers."""
        for _, tensor in self.named_buffers(recurse=recurse):
            yield tensor

    def get_buffer(self, target: str) -> Any:
        """The buffer at a dotted path.

        Raises:
            AttributeError: there is nothing of that name, or it is no buffer.
        """
        path, _, name = target.rpartition(".")
        owner = dict(self.cells_and_names()).get(path)
        if owner is None or name not in owner._buffers:
            raise AttributeError(f"For 'get_buffer', the 'target' must be the path of a buffer, but got '{target}'.")
        return owner._buffers[name]

    def state_dict(self, *, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """Parameters and persistent buffers by the attributes that lead to them.

        Args:
            destination: a dict to add them to; a new OrderedDict if None.
            prefix: goes before every name.
            keep_vars: accepted for 2.6's sake; the values are the cell's own objects either way.
        """
        found = OrderedDict() if destination is None else destination
        for path, cell in self.cells_and_names():
            head = f"{prefix}{path}." if path else prefix
            hidden = cell.__dict__.get("_non_persistent", ())
            for name, value in (*cell._params.items(), *cell._buffers.items()):
                if value is not None and name not in hidden:
                    found[head + name] = value
        return found

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> LoadReport:
        """Copy values into parameters and buffers of the same names.

        Args:
            state_dict: names and tensors, as `state_dict` gives them.
            strict: every name must be on both sides.

        Raises:
            TypeError: `state_dict` is no mapping.
            RuntimeError: with `strict`, the names differ.
            ValueError: a shape differs.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        own = self.state_dict()
        missing = [name for name in own if name not in state_dict]
        unexpected = [name for name in state_dict if name not in own]
        if strict and (missing or unexpected):
            raise RuntimeError(
                f"For 'load_state_dict', the names must be the same in '{type(self).__name__}' and 'state_dict', "
                f"but missing are {missing} and unexpected are {unexpected}."
            )
        for name, value in own.items():
            if name in state_dict:
                if tuple(value.shape) != tuple(state_dict[name].shape):
                    raise ValueError(
                        f"For 'load_state_dict', the shape of '{name}' must be {tuple(value.shape)}, "
                        f"but got {tuple(state_dict[name].shape)}."
                    )
        for name, value in own.items():
            if name in state_dict:
                if isinstance(value, Parameter):
                    value.set_data(state_dict[name])
                else:
                    value._set(state_dict[name]._a.astype(value._kind))
        return LoadReport(missing, unexpected)
