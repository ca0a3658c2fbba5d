"""A Cell of a program that was loaded from a file."""

from __future__ import annotations

from typing import Any

from ms_nn.cell import Cell

__all__ = ["GraphCell"]


class GraphCell(Cell):
    """Runs a program that `mindspore.load` gave (``mindspore.nn.GraphCell``).

    Args:
        graph: the program.
        params_init: other values for its Parameters, by name.
        obf_random_seed: programs that need one are not run here.

    Inputs:
        What the exported network took.

    Outputs:
        What it gave.

    Raises:
        TypeError: `graph` is no such program, or `params_init` no dict from texts to tensors.
        ValueError: a value differs in shape or dtype from its Parameter, or `obf_random_seed` is given.
        RuntimeError: when called with another number of inputs than the network took.

    Examples:
        >>> from ms_jit.mindir.model import Function, Input, Program
        >>> from ms_jit.mindir import GraphProgram
        >>> from ms_kernels import Tensor
        >>> net = GraphCell(GraphProgram(Program(Function("main", [Input("x")], [], "x"))))
        >>> print(net(Tensor([1.0, 2.0])))
        [1. 2.]

    Source: ``mindspore.nn.GraphCell`` of 2.6.0, which runs in GRAPH_MODE only.
    """

    def __init__(self, graph: Any, params_init: Any = None, obf_random_seed: int | None = None) -> None:
        from ms_jit.mindir.evaluate import GraphProgram  # most programs load none

        super().__init__(auto_prefix=True)
        if not isinstance(graph, GraphProgram):
            raise TypeError(
                "For 'GraphCell', the argument 'graph' must be a FuncGraph loaded from MindIR, "
                f"but got type {type(graph)}."
            )
        if obf_random_seed is not None:
            raise ValueError("For 'GraphCell', the 'obf_random_seed' must be None, since obfuscated files are not run.")
        if params_init is not None:
            if not isinstance(params_init, dict):
                raise TypeError(
                    f"For 'GraphCell', the argument 'params_init' must be a dict, but got {type(params_init)}."
                )
            for key, value in params_init.items():
                if not isinstance(key, str) or not hasattr(value, "asnumpy"):
                    raise TypeError(
                        "For 'GraphCell', the key of the 'params_init' must be str, and the value must be Tensor or "
                        f"Parameter, but got the key type: {type(key)}, and the value type: {type(value)}"
                    )
        self.graph = GraphProgram(graph.program, params_init)
        for name, parameter in self.graph.parameters.items():
            self.insert_param_to_cell(name, parameter, check_name_contain_dot=False)

    def construct(self, *inputs: Any) -> Any:
        return self.graph(*inputs)
