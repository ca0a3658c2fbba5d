from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Any, Protocol

from typing_extensions import disjoint_base

from ms_kernels.core.tensor import TensorBase

ATTRIBUTE: int
TENSOR: int
OPTIONAL: int
TENSORS: int
KEEP: int
PROMOTE: int
PROMOTE_FLOAT: int
CHECK_ALWAYS: int
CHECK_BROADCAST: int
CHECK_NEVER: int

@disjoint_base
class Mode:
    @property
    def recording(self) -> bool: ...
    @property
    def target(self) -> Any: ...
    @property
    def observer(self) -> Observer | None: ...
    @property
    def inner(self) -> Mode | None: ...
    @property
    def quiet(self) -> bool: ...
    @property
    def whole(self) -> bool: ...
    def __init__(
        self,
        recording: bool = False,
        target: Any = None,
        observer: Observer | None = None,
        inner: Mode | None = None,
        quiet: bool = False,
    ) -> None: ...

class Observer(Protocol):
    """What gets the calls of a context in place of the dispatcher; it works in a mode without itself."""

    @property
    def whole(self) -> bool:
        """Whether composites come whole; else only the ops that they are made of come."""
    @property
    def watches(self) -> bool:
        """Whether reads and changes of tensors outside of ops are told, and effects handed over."""
    def call(self, op: Op, args: tuple[Any, ...]) -> Any:
        """Do one call; `dispatch(op, args)` does it the usual way."""
    def store(self, tensor: TensorBase, out: TensorBase) -> None:
        """Put a result into a tensor in place; `replace(tensor, out)` does it the usual way."""
    def told(self, tensor: TensorBase, what: str) -> Any:
        """Learn that a tensor's values are read, set, or written, or its "shape" or "size" is asked for."""
    def effect(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Do ``fn(*args)``, which changes tensors on its own."""

def effect(fn: Callable[..., Any], *args: Any) -> Any: ...

current_mode_variable: ContextVar[Mode | None]

class scope:
    def __init__(self, recording: bool | None = None, target: Any = None, observer: Observer | None = None) -> None: ...
    def __enter__(self) -> scope: ...
    def __exit__(self, *exc: object) -> None: ...

def is_recording() -> bool: ...
def is_plain() -> bool: ...

@disjoint_base
class Settings:
    target: Any
    observer: Observer | None
    graph: bool
    @property
    def ran(self) -> bool: ...

process_target: Settings

@disjoint_base
class Op:
    __name__: str
    dunder: str
    @property
    def loop(self) -> str | None: ...
    @property
    def name(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def params(self) -> tuple[str, ...]: ...
    @property
    def kinds(self) -> bytes: ...
    @property
    def defaults(self) -> tuple[Any, ...]: ...
    @property
    def arity(self) -> int: ...
    @property
    def required(self) -> int: ...
    @property
    def promote(self) -> int: ...
    @property
    def body(self) -> Callable[..., Any]: ...
    @property
    def vjp(self) -> Callable[..., Any] | None: ...
    @property
    def saves(self) -> bytes: ...
    @property
    def saves_out(self) -> bool: ...
    @property
    def shape(self) -> Callable[..., Any] | None: ...
    @property
    def dtype(self) -> Callable[..., Any] | None: ...
    @property
    def accepts(self) -> frozenset[Any] | None: ...
    @property
    def nondiff(self) -> str: ...
    @property
    def is_view(self) -> bool: ...
    @property
    def is_composite(self) -> bool: ...
    @property
    def check(self) -> int: ...
    @property
    def record(self) -> Any: ...
    def __init__(
        self,
        *,
        name: str,
        label: str,
        params: Iterable[str],
        kinds: bytes,
        defaults: Iterable[Any],
        body: Callable[..., Any],
        vjp: Callable[..., Any] | None = None,
        saves: bytes = b"",
        saves_out: bool = False,
        shape: Callable[..., Any] | None = None,
        dtype: Callable[..., Any] | None = None,
        promote: int = ...,
        accepts: frozenset[Any] | None = None,
        nondiff: str = "",
        view: bool = False,
        composite: bool = False,
        check: int = ...,
        record: Any = None,
    ) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def complete(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]: ...

class Registry(dict[str, Op]):
    load: Callable[[str], None]

ops_by_name: Registry

def as_scalar(value: Any, dtype: Any) -> Any: ...
def common_of(values: Iterable[Any]) -> Any: ...
def dispatch(op: Op, args: tuple[Any, ...]) -> Any: ...
def decompose(op: Op, args: tuple[Any, ...]) -> Any: ...
def dispatch_inplace(op: Op, args: tuple[Any, ...]) -> Any: ...
def bind_loop(op: Op, loop: str) -> None: ...
def replace(self: TensorBase, out: TensorBase) -> Any: ...
