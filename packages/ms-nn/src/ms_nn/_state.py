"""What of a Cell is saved: parameters and buffers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ms_hooks import HookHandle, HookTable
from ms_kernels import Parameter, Tensor

if TYPE_CHECKING:
    from ms_nn.cell import Cell

__all__ = ["Buffer", "State", "register_cell_buffer_registration_hook"]

_EXTRA = "_extra_state"
_on_buffers = HookTable()  # what `register_cell_buffer_registration_hook` was given


class Buffer(Tensor):
    """A tensor that belongs to a cell and is saved with it, but not trained (``mindspore.nn.Buffer``).

    Args:
        data: the tensor.
        persistent: it is part of `state_dict`.

    Assigned to an attribute of a cell it is registered there.

    >>> from ms_kernels import Tensor
    >>> from ms_nn import Cell
    >>> net = Cell()
    >>> net.mean = Buffer(Tensor([1.0]))
    >>> list(net.state_dict()), net.mean.shape
    (['mean'], (1,))
    """

    def __init__(self, data: Any = None, *, persistent: bool = True) -> None:
        super().__init__(data)
        self.persistent = persistent


def register_cell_buffer_registration_hook(hook: Callable[..., Any]) -> HookHandle:
    """Call ``hook(cell, name, buffer)`` for every buffer that any cell takes in; a result takes the buffer's place.

    (``mindspore.nn.cell.register_cell_buffer_registration_hook``.)
    """
    return _on_buffers.register(hook)


class LoadReport(NamedTuple):
    """Names that `load_state_dict` found no data for, and names in the data that nothing has."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"LoadReport(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class State:
    """Mixin: buffers and the state dict."""

    _buffers: dict[str, Any]
    _params: OrderedDict[str, Any]
    _cells: OrderedDict[str, Any]

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
        for hook in _on_buffers.running():
            made = hook.fn(self, name, tensor)
            tensor = tensor if made is None else made
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

    # -- the state dict -----------------------------------------------------------------------------------------------

    def _own_state(self) -> Iterator[tuple[str, Any]]:
        """This very cell's parameters and persistent buffers."""
        hidden = self.__dict__.get("_non_persistent", ())
        for name, value in (*self._params.items(), *self._buffers.items()):
            if value is not None and name not in hidden:
                yield name, value

    def get_extra_state(self) -> Any:
        """What `state_dict` keeps besides, under "_extra_state"; only for cells that override it.

        Raises:
            RuntimeError: it is not overridden.
        """
        raise RuntimeError("Reached a code path in Cell.get_extra_state() that should never be called.")

    def set_extra_state(self, state: Any) -> None:
        """Take back what `get_extra_state` gave; to be overridden with it.

        Raises:
            RuntimeError: it is not overridden.
        """
        raise RuntimeError("Reached a code path in Cell.set_extra_state() that should never be called.")

    def _has_extra(self, method: str) -> bool:
        return getattr(type(self), method) is not getattr(State, method)

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """Parameters and persistent buffers by the attributes that lead to them.

        Args:
            args: destination, prefix and keep_vars by position, as old programs give them.
            destination: an OrderedDict to add them to; a new one if None.
            prefix: goes before every name.
            keep_vars: accepted for 2.6's sake; the values are the cell's own objects either way.

        A cell that is there twice gives its state twice, as in 2.6.

        Raises:
            TypeError: `destination` is no OrderedDict.
            RuntimeError: a hook of `register_state_dict_post_hook` returned something.
        """
        given = dict(zip(("destination", "prefix", "keep_vars"), args))
        found, prefix = given.get("destination", destination), given.get("prefix", prefix)
        keep_vars = given.get("keep_vars", keep_vars)
        if found is None:
            found = OrderedDict()
            vars(found)["_metadata"] = OrderedDict()
        elif not isinstance(found, OrderedDict):
            raise TypeError(f"The type of destination must be OrderedDict, but got {type(found)}")
        about: dict[str, Any] = {}
        if hasattr(found, "_metadata"):
            found._metadata[prefix[:-1]] = about
        self._run_state_hooks("save_pre", prefix, keep_vars)
        for name, value in self._own_state():
            found[prefix + name] = value
        if self._has_extra("get_extra_state"):
            found[prefix + _EXTRA] = self.get_extra_state()
        for name, cell in self._cells.items():
            if cell is not None:
                cell.state_dict(destination=found, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        if any(result is not None for result in self._run_state_hooks("save_post", found, prefix, about)):
            raise RuntimeError("state_dict post-hook must return None")
        return found

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> LoadReport:
        """Copy values into parameters and buffers of the same names.

        Args:
            state_dict: names and tensors, as `state_dict` gives them.
            strict: every name must be on both sides.

        Nothing is changed when a value does not fit, nor when names are missing or unexpected with `strict`, unless a
        hook of `register_load_state_dict_post_hook` is to see the loaded cell first, which may clear the report.

        Raises:
            TypeError: `state_dict` is no mapping.
            RuntimeError: with `strict`, the names differ; a value is no Tensor or of another shape.
            AssertionError: a hook of `register_load_state_dict_post_hook` returned something.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        values = OrderedDict(state_dict)
        report, wrong = LoadReport([], []), list[str]()
        todo, cells = list[Callable[[], Any]](), list[Any]()
        self._plan_loading(values, "", strict, report, wrong, todo, cells)
        found = {name for cell, prefix in cells for name in cell._loadable_names(prefix)}
        report.unexpected_keys.extend(name for name in values if name not in found)
        if wrong or (strict and any(report) and not any(cell._has_state_hooks("load_post") for cell, _ in cells)):
            self._refuse(report, wrong, strict)
        for assign in todo:
            assign()
        for cell, _ in reversed(cells):
            if any(result is not None for result in cell._run_state_hooks("load_post", report)):
                raise AssertionError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new "
                    "values, if incompatible_keys need to be modified, it should be done inplace."
                )
        if strict and any(report):
            self._refuse(report, wrong, strict)
        return report

    def _loadable_names(self, prefix: str) -> Iterator[str]:
        yield from (prefix + name for name, _ in self._own_state())
        if self._has_extra("set_extra_state"):
            yield prefix + _EXTRA

    def _plan_loading(
        self,
        values: OrderedDict[str, Any],
        prefix: str,
        strict: bool,
        report: LoadReport,
        wrong: list[str],
        todo: list[Callable[[], Any]],
        cells: list[Any],
    ) -> None:
        """Find out what is to be assigned in this cell and all below, and what does not fit."""
        cells.append((self, prefix))
        self._run_state_hooks(
            "load_pre", values, prefix, {}, strict, report.missing_keys, report.unexpected_keys, wrong
        )
        for name, own in self._own_state():
            key = prefix + name
            if key not in values:
                report.missing_keys.append(key)
            elif not isinstance(values[key], Tensor):
                wrong.append(f'"{key}" must be a Tensor, but got {type(values[key]).__name__}.')
            elif tuple(values[key].shape) != tuple(own.shape):
                wrong.append(f'"{key}" must have the shape {tuple(own.shape)}, but got {tuple(values[key].shape)}.')
            else:
                todo.append(lambda own=own, value=values[key]: _assign(own, value))  # type: ignore[misc]
        if self._has_extra("set_extra_state"):
            if prefix + _EXTRA in values:
                todo.append(lambda value=values[prefix + _EXTRA]: self.set_extra_state(value))  # type: ignore[misc]
            else:
                report.missing_keys.append(prefix + _EXTRA)
        for name, cell in self._cells.items():
            if cell is not None:
                cell._plan_loading(values, f"{prefix}{name}.", strict, report, wrong, todo, cells)

    def _refuse(self, report: LoadReport, wrong: list[str], strict: bool) -> None:
        lines = list(wrong)
        if strict and report.missing_keys:
            lines.append(f"missing keys: {', '.join(report.missing_keys)}.")
        if strict and report.unexpected_keys:
            lines.append(f"unexpected keys: {', '.join(report.unexpected_keys)}.")
        raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(lines))

    # -- hooks of both ------------------------------------------------------------------------------------------------

    def _register_state_hook(self, kind: str, hook: Callable[..., Any]) -> HookHandle:
        tables = self.__dict__.get("_state_hooks", {})
        if kind not in tables:
            tables = {**tables, kind: HookTable()}
            object.__setattr__(self, "_state_hooks", tables)
        handle: HookHandle = tables[kind].register(hook)
        return handle

    def _has_state_hooks(self, kind: str) -> bool:
        return bool(self.__dict__.get("_state_hooks", {}).get(kind))

    def _run_state_hooks(self, kind: str, *args: Any) -> list[Any]:
        table = self.__dict__.get("_state_hooks", {}).get(kind)
        return [hook.fn(self, *args) for hook in table.running()] if table else []

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Call ``hook(cell, prefix, keep_vars)`` before `state_dict` looks at this cell."""
        return self._register_state_hook("save_pre", hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Call ``hook(cell, state_dict, prefix, local_metadata)`` after `state_dict` looked at this cell.

        It may change the dict in place, and returns None.
        """
        return self._register_state_hook("save_post", hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Call ``hook(cell, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)``.

        That is before `load_state_dict` looks for this cell's names; it may change the dict in place.
        """
        return self._register_state_hook("load_pre", hook)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Call ``hook(cell, report)`` after `load_state_dict` filled this cell.

        It may clear the report's lists in place, and returns None.
        """
        return self._register_state_hook("load_post", hook)


def _assign(own: Any, value: Any) -> None:
    if isinstance(own, Parameter):
        own.set_data(value if value.dtype == own.dtype else value.astype(own.dtype))
    else:
        own._set(value._a.astype(own._a.dtype))
