"""The tree that a Cell is: sub-cells, parameters, and their names."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ms_kernels import Parameter

if TYPE_CHECKING:
    from ms_nn.cell import Cell

__all__ = ["Tree"]

_DEFAULT_NAME = "Parameter"


class Tree:
    """Mixin: registration, iteration and naming."""

    _params: OrderedDict[str, Any]
    _cells: OrderedDict[str, Any]
    _params_list: OrderedDict[str, Any]
    _auto_prefix: bool
    _param_prefix: str
    _scope: str | None

    def insert_param_to_cell(self, param_name: str, param: Any, check_name_contain_dot: bool = True) -> None:
        """Add a parameter under an attribute name; one that has no name of its own gets that one.

        Raises:
            AttributeError: ``Cell.__init__`` has not run.
            KeyError: the name is empty, contains a dot or is taken by something else.
            TypeError: `param_name` is no str, or `param` no Parameter.
        """
        head = "For 'insert_param_to_cell', the argument"
        if not isinstance(param_name, str):
            raise TypeError(f"{head} 'param_name' must be str, but got {type(param_name)}.")
        if not param_name:
            raise KeyError(f"{head} 'param_name' should not be None.")
        if check_name_contain_dot and "." in param_name:
            raise KeyError(f"{head} 'param_name' should not contain'.' ")
        if "_params" not in self.__dict__:
            raise AttributeError("For 'insert_param_to_cell', please call Cell.__init__() firstly.")
        if param_name not in self._params and (param_name in self._cells or hasattr(self, param_name)):
            raise KeyError(
                f"For 'insert_param_to_cell', the {param_name} parameter already exists in the network."
                "Cannot insert another parameter with the same name."
            )
        if not isinstance(param, Parameter) and param is not None:
            raise TypeError(f"{head} 'param' must be 'Parameter' if not None, but got {type(param)}.")
        if isinstance(param, Parameter) and param.name == _DEFAULT_NAME:
            param.name = param_name
        self._params[param_name] = param

    def insert_child_to_cell(self, child_name: str, child_cell: Any) -> None:
        """Add a sub-cell under an attribute name; the names of its parameters stay as they are.

        Raises:
            KeyError: the name is empty or taken by something that is no sub-cell.
            TypeError: `child_name` is no str, or `child_cell` no Cell.
        """
        from ms_nn.cell import Cell

        if not isinstance(child_name, str):
            raise TypeError(
                "For 'insert_child_to_cell', the type of parameter 'child_name' must be str, "
                f"but got {type(child_name)}."
            )
        if not child_name or "." in child_name:
            raise KeyError(
                "For 'insert_child_to_cell', the parameter 'child_name' can not be None and can not contain '.'."
            )
        if child_name not in self._cells and hasattr(self, child_name):
            raise KeyError(
                f"For 'insert_child_to_cell', the {child_name} child cell already exists in the network."
                "Cannot insert another child cell with the same name."
            )
        if not isinstance(child_cell, Cell) and child_cell is not None:
            raise TypeError(
                "For 'insert_child_to_cell', the argument 'child_cell' must be 'Cell' if not None, "
                f"but got type {type(child_cell)}."
            )
        self._cells[child_name] = child_cell

    # -- iteration ----------------------------------------------------------------------------------------------------

    def cells(self) -> Any:
        """The direct sub-cells."""
        return self._cells.values()

    def name_cells(self) -> OrderedDict[str, Cell]:
        """The direct sub-cells by name; one that has two names is there once."""
        found: OrderedDict[str, Cell] = OrderedDict()
        seen: set[int] = set()
        for name, cell in self._cells.items():
            if cell is not None and id(cell) not in seen:
                seen.add(id(cell))
                found[name] = cell
        return found

    def cells_and_names(self, cells: Any = None, name_prefix: str = "") -> Iterator[tuple[str, Cell]]:
        """This cell and all below it with their names, each once; cells in `cells` (a set) are left out."""
        seen: set[Any] = cells if cells else set()
        if self in seen:
            return
        seen.add(self)
        yield name_prefix, self  # type: ignore[misc]  # a Tree is always a Cell
        for name, cell in self._cells.items():
            if cell is not None:
                yield from cell.cells_and_names(seen, f"{name_prefix}.{name}" if name_prefix else name)

    def parameters_and_names(self, name_prefix: str = "", expand: bool = True) -> Iterator[tuple[str, Parameter]]:
        """All parameters with the attributes that lead to them ("conv1.weight"), each once.

        Args:
            name_prefix: goes before every name.
            expand: go through the sub-cells too.
        """
        cells: Any = self.cells_and_names(name_prefix=name_prefix) if expand else [(name_prefix, self)]
        seen: set[int] = set()
        for prefix, cell in cells:
            for name, param in cell._params.items():
                if param is not None and id(param) not in seen:
                    seen.add(id(param))
                    yield (f"{prefix}.{name}" if prefix else name), param

    def get_parameters(self, expand: bool = True) -> Iterator[Parameter]:
        """All parameters, each once."""
        for _, param in self.parameters_and_names(expand=expand):
            yield param

    def trainable_params(self, recurse: bool = True) -> list[Parameter]:
        """The parameters with `requires_grad`."""
        return [param for param in self.get_parameters(expand=recurse) if param.requires_grad]

    def untrainable_params(self, recurse: bool = True) -> list[Parameter]:
        """The parameters without `requires_grad`."""
        return [param for param in self.get_parameters(expand=recurse) if not param.requires_grad]

    def parameters_dict(self, recurse: bool = True) -> OrderedDict[str, Parameter]:
        """The parameters by their own names."""
        return OrderedDict((param.name, param) for param in self.get_parameters(expand=recurse))

    def get_sub_cell(self, target: str) -> Cell:
        """The cell at a dotted path; the empty path is this one.

        Raises:
            AttributeError: there is nothing of that name, or it is no cell.
        """
        from ms_nn.cell import Cell

        found: Any = self
        for name in target.split(".") if target else ():
            if not hasattr(found, name):
                raise AttributeError(f"{type(found).__name__} has no attribute `{name}`")
            found = getattr(found, name)
            if not isinstance(found, Cell):
                raise AttributeError(f"`{name}` is not a Cell")
        return found  # type: ignore[no-any-return]

    def apply(self, fn: Callable[[Any], Any]) -> Any:
        """Call ``fn(cell)`` for every cell below, then for this one; returns this one."""
        for cell in self.cells():
            if cell is not None:
                cell.apply(fn)
        fn(self)
        return self

    # -- names --------------------------------------------------------------------------------------------------------

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """Name every parameter by `prefix` and the attributes that lead to it.

        Raises:
            TypeError: `prefix` is no str.
        """
        if not isinstance(prefix, str):
            raise TypeError(f"For 'update_parameters_name', the 'prefix' must be str, but got {type(prefix).__name__}.")
        for name, param in self.parameters_and_names(expand=recurse):
            if prefix:
                param.name = prefix + name

    def check_names(self) -> None:
        """Raise a ValueError when two parameters have one name."""
        seen: dict[str, Parameter] = {}
        for name, param in self.parameters_and_names():
            if param.name in seen:
                raise ValueError(
                    f"The value of {name} is {param}, its name '{param.name}' already exists. "
                    "Please set a unique name for the parameter."
                )
            seen[param.name] = param

    def check_names_and_refresh_name(self) -> None:
        """Raise a ValueError when two parameters have one name; then tell every cell below its path.

        2.6 calls this before it compiles a network.
        """
        self.check_names()
        self.update_cell_prefix()

    @property
    def param_prefix(self) -> str:
        """The path of this cell, as `update_cell_prefix` of the top cell set it."""
        return self._param_prefix

    def update_cell_prefix(self) -> None:
        """Tell every cell below its own path."""
        for name, cell in self.cells_and_names():
            cell._param_prefix = name

    @property
    def cls_name(self) -> str:
        """The class's name."""
        return type(self).__name__

    def generate_scope(self) -> None:
        """Tell every cell below its scope, such as "Default/conv1-Conv2d"."""
        for name, cell in self._cells.items():
            if cell is not None:
                cell._set_scopes(f"{self._scope or 'Default'}/{name}-{type(cell).__name__}")

    def _set_scopes(self, scope: str) -> None:
        self._scope = scope
        self.generate_scope()

    def get_scope(self) -> str | None:
        """The scope that `generate_scope` of the top cell set."""
        return self._scope

    def init_parameters_data(self, auto_parallel_mode: bool = False) -> OrderedDict[Parameter, Parameter]:
        """Fill the parameters that wait for their initial values; returns {parameter: parameter}."""
        found: OrderedDict[Parameter, Parameter] = OrderedDict()
        for param in self.get_parameters():
            found[param] = param.init_data()
        return found
