"""Automatic dynamic shape: one graph for many shapes (`mindspore.common.auto_dynamic_shape` of 2.6).

The first two signatures of a function are compiled as they are. From the third on, the tensors whose shape differs from
what was seen get unknown dims, so that the graph serves the shapes to come as well. A caller asks `get_...` for the
arguments to compile with and tells `update_...` the phase that it compiled them under.
"""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from ms_dynshape._kinds import _is_number, _is_parameter, _is_sequence, _is_tensor
from ms_dynshape.dim import SHAPE_DIM_ANY, SHAPE_RANK_ANY
from ms_dynshape.executors import Executors

__all__ = [
    "SHAPE_DIM_ANY",
    "SHAPE_RANK_ANY",
    "GraphExecutor_",
    "JitExecutor_",
    "auto_dynamic_shape_dict",
    "forget",
    "get_auto_dynamic_shape_args",
    "get_auto_dynamic_shape_args_with_check_input_signature",
    "update_auto_dynamic_shape_phase",
    "update_auto_dynamic_shape_phase_with_check_input_signature",
]

logger = logging.getLogger("ms_dynshape")

GraphExecutor_ = Executors()
JitExecutor_ = Executors()

_REAL_PHASES = 2  # signatures compiled as they are, and kept for good

Arguments = Sequence[Any]


class _Unlike(Exception):
    """Arguments that no unknown shape can cover."""


class _Unknown(NamedTuple):
    """How general arguments are: tensors of unknown rank weigh more than those of unknown dims."""

    ranks: int
    shapes: int


def _shape(tensor: Any) -> tuple[int, ...]:
    return tuple(tensor.shape)


def _same_tensor(a: Any, b: Any) -> bool:
    return _shape(a) == _shape(b) and bool(a.dtype == b.dtype)


def _count(arguments: Iterable[Any]) -> _Unknown:
    """Count the tensors of unknown rank, and those of any unknown dims."""
    ranks = shapes = 0
    for item in arguments:
        if _is_sequence(item):
            inside = _count(item)
            ranks, shapes = ranks + inside.ranks, shapes + inside.shapes
        elif _is_tensor(item):
            shape = _shape(item)
            ranks += SHAPE_RANK_ANY in shape
            shapes += any(dim < 0 for dim in shape)
    return _Unknown(ranks, shapes)


class _AutoDynamicShapeManager:
    """The arguments that one key was compiled with, by phase: as they came, and generalised."""

    def __init__(self) -> None:
        self.real_shape_cache: list[Arguments] = []
        self.generalize_shape_cache: list[Arguments] = []
        self.real_phase_and_compile_args_dict: dict[str, Arguments] = {}
        self.generalize_phase_and_compile_args_dict: dict[str, Arguments] = {}

    def find(self, input_args: Arguments, cache: Iterable[Arguments]) -> bool:
        """Whether `cache` has arguments of the same signature."""
        return any(self._compare_input_args_and_cache_args(input_args, cached) for cached in cache)

    def update_phase_and_compile_args(
        self, compile_args: Arguments, phase: str, save_cache_number: int, is_sink_mode: bool, aux: Any = None
    ) -> None:
        """Keep `compile_args` under `phase`; the oldest generalised phases give way, and executors free them."""
        real, general = self.real_phase_and_compile_args_dict, self.generalize_phase_and_compile_args_dict
        if phase in real or phase in general:
            return
        if len(real) < _REAL_PHASES:
            self.real_shape_cache.append(compile_args)
            real[phase] = compile_args
            return
        self.generalize_shape_cache.append(compile_args)
        general[phase] = compile_args
        while len(general) > max(save_cache_number - _REAL_PHASES, 1):
            oldest = next(iter(general))
            del general[oldest]
            del self.generalize_shape_cache[0]
            for executors in (GraphExecutor_, JitExecutor_):
                executors.get_instance().del_net_res(None, {oldest})

    def _compare_input_args_and_cache_args(self, input_args: Arguments, cache_args: Arguments) -> bool:
        """Whether two lists of arguments have one signature; a sequence may have grown or shrunk at its end."""
        for arg, cached in zip(input_args, cache_args):
            if arg is None or cached is None:
                same = arg is cached
            elif _is_sequence(arg) and _is_sequence(cached):
                same = self._compare_input_args_and_cache_args(arg, cached)
            elif _is_number(arg) and _is_number(cached):
                same = math.isclose(arg, cached)
            else:
                same = _is_tensor(arg) and _is_tensor(cached) and _same_tensor(arg, cached)
            if not same:
                return False
        return True


class _AutoIdentifyDynamicShape:
    """Watches the signatures of one key and says what to compile with; off for good after unfit arguments."""

    def __init__(self, auto_dynamic: bool = False) -> None:
        self.all_shape_cache: dict[str, Any] = {}
        self.is_sink_mode = False
        self.is_enable_auto_dynamic_shape = auto_dynamic or os.environ.get("MS_AUTO_DYNAMIC_SHAPE_ENABLE") == "1"
        self.save_cache_number = 3
        self.auto_dynamic_shape_manager = _AutoDynamicShapeManager()

    def auto_dynamic_generate_compile_args(self, args_list: Any, is_sink_mode: bool) -> Any:
        """The arguments to compile with: `args_list` itself, or a tuple in which tensors have unknown dims."""
        if not self.is_enable_auto_dynamic_shape:
            return args_list
        self.is_sink_mode = is_sink_mode
        if not self._is_enable_auto_dynamic_shape(args_list, is_sink_mode) or not self._check_input_number_and_type(
            args_list
        ):
            self.is_enable_auto_dynamic_shape = False
            return args_list
        manager = self.auto_dynamic_shape_manager
        if len(manager.real_shape_cache) < _REAL_PHASES or manager.find(args_list, manager.real_shape_cache):
            return args_list
        general = self._generalize(args_list, "real", manager.real_shape_cache)
        if general is not None and manager.generalize_shape_cache:
            if not manager.find(general, manager.generalize_shape_cache):
                general = self._generalize(general, "generalize", manager.generalize_shape_cache)
        return args_list if general is None else general

    def update_phase_and_compile_args(self, args: Any, phase: str, is_sink_mode: bool, aux: Any = None) -> None:
        """Keep the arguments that were compiled under `phase`."""
        if self.is_enable_auto_dynamic_shape:
            self.auto_dynamic_shape_manager.update_phase_and_compile_args(
                args, phase, self.save_cache_number, is_sink_mode, aux
            )

    def _is_enable_auto_dynamic_shape(self, args_list: Arguments, is_sink_mode: bool) -> bool:
        """Whether all arguments are of the kinds that can be handled."""
        if not args_list:
            return is_sink_mode
        for item in args_list:
            if _is_sequence(item):
                fits = self._is_enable_auto_dynamic_shape(item, False)
            elif _is_tensor(item):
                shape = _shape(item)
                fits = bool(shape) and min(shape) >= 0
            else:
                fits = item is None or _is_number(item)
            if not fits:
                return False
        return True

    def _check_input_number_and_type(self, args_list: Arguments) -> bool:
        """Whether number, kinds, dtypes and plain numbers are those of the first call."""
        cache = self.auto_dynamic_shape_manager.real_shape_cache
        return not cache or (len(args_list) == len(cache[0]) and self._same_types(args_list, cache[0]))

    def _same_types(self, args_list: Arguments, cache_list: Arguments) -> bool:
        for arg, cached in zip(args_list, cache_list):
            if _is_sequence(cached):
                same = _is_sequence(arg) and self._same_types(arg, cached)
            elif _is_tensor(cached):
                same = arg is None or (_is_tensor(arg) and bool(arg.dtype == cached.dtype))
            elif self.is_sink_mode and _is_number(cached):
                same = _is_number(arg)  # there an argument is a shape, and this a dim
            elif _is_number(cached):
                same = _is_number(arg) and self._check_input_int_float(arg, cached)
            else:
                same = arg is cached
            if not same:
                return False
        return True

    def _check_input_int_float(self, arg: float, cache: float) -> bool:
        """Whether two numbers are of one type and close to each other."""
        if isinstance(arg, int) != isinstance(cache, int):
            return False
        return math.isclose(arg, cache)

    def _generalize(self, input_args: Arguments, cache_type: str, cache: Sequence[Arguments]) -> Any:
        """The least general arguments that cover the input and one of the cached; None unless each can be covered."""
        candidates = []
        for index, cached in enumerate(cache):
            items, fits = self._do_generalize_one_input_shape(input_args, cached, cache_type, index, self.is_sink_mode)
            if not fits:
                return None
            candidates.append(tuple(items))
        return min(candidates, key=_count)

    def _do_generalize_one_input_shape(
        self, input_args: Arguments, cache_args: Arguments, cache_type: str, index: int, is_sink_mode: bool
    ) -> tuple[Any, bool]:
        """Return (the arguments that cover input and cached ones, True), or (`input_args` itself, False)."""

        def cover(place: int, arg: Any, cached: Any) -> Any:
            if not _is_sequence(arg):
                return _cover(arg, cached)
            if not getattr(arg, "__ms_mutable__", False):
                raise _Unlike
            if not _is_sequence(cached):
                return arg
            if is_sink_mode and all(map(_is_number, arg)):
                return self._do_generalize_in_sink(arg, cached, place, index, cache_type)
            return (list if isinstance(arg, list) else tuple)(walk(arg, cached, cover))

        try:
            return walk(input_args, cache_args, cover), True
        except _Unlike:
            return input_args, False

    @staticmethod
    def _do_generalize_in_sink(
        input_arg: Arguments, cache: Arguments, input_index: int, cache_index: int, cache_type: str
    ) -> Any:
        """The shape that covers two shapes.

        Raises:
            ValueError: a shape is empty.
        """
        if not input_arg or not cache:
            raise ValueError("In sink mode, cell input can not be scalar.")
        if input_arg == cache:
            return input_arg
        return [SHAPE_DIM_ANY] * len(input_arg) if len(input_arg) == len(cache) else [SHAPE_RANK_ANY]


def walk(input_args: Arguments, cache_args: Arguments, cover: Callable[[int, Any, Any], Any]) -> list[Any]:
    """Apply `cover` to pairs of arguments; those beyond the cached ones stay as they are."""
    items = [cover(i, arg, cached) for i, (arg, cached) in enumerate(zip(input_args, cache_args))]
    return items + list(input_args[len(items) :])


def _cover(arg: Any, cached: Any) -> Any:
    """What covers two arguments that are no sequences."""
    if _is_number(arg) and _is_number(cached) and not math.isclose(arg, cached):
        logger.info(
            "In auto dynamic shape mode, scalar/tuple/list must be equal to be generalised: %r, %r", arg, cached
        )
        raise _Unlike
    if not _is_tensor(arg) or not _is_tensor(cached) or _same_tensor(arg, cached):
        return arg
    if _is_parameter(arg) and _is_parameter(cached):
        raise _Unlike
    dims = (SHAPE_DIM_ANY,) * len(_shape(arg)) if len(_shape(arg)) == len(_shape(cached)) else (SHAPE_RANK_ANY,)
    return type(arg)(shape=dims, dtype=arg.dtype)


auto_dynamic_shape_dict: dict[Any, _AutoIdentifyDynamicShape] = {}
_auto_dynamic_shape = _AutoIdentifyDynamicShape()


def forget(key_id: Any) -> None:
    """Drop all that is known of a key: its function is gone.

    >>> forget("never heard of")
    """
    auto_dynamic_shape_dict.pop(key_id, None)


def get_auto_dynamic_shape_args(compile_args: Any, key_id: Any, enable_auto_dynamic: bool = False) -> Any:
    """The arguments to compile a function with.

    Args:
        compile_args: list or tuple of the arguments of a call.
        key_id: names the function; what it was compiled with so far is kept under it.
        enable_auto_dynamic: whether to generalise shapes; counts at the first call of a key. The environment variable
            MS_AUTO_DYNAMIC_SHAPE_ENABLE=1 switches it on as well.

    Returns:
        `compile_args` itself, or a tuple in which tensors have unknown dims (-1) or an unknown rank (-2).

    >>> get_auto_dynamic_shape_args([1, 2.0], "add", True)
    [1, 2.0]
    >>> update_auto_dynamic_shape_phase([1, 2.0], "add", "phase of add")
    >>> forget("add")
    """
    if key_id not in auto_dynamic_shape_dict:
        auto_dynamic_shape_dict[key_id] = _AutoIdentifyDynamicShape(enable_auto_dynamic)
    return auto_dynamic_shape_dict[key_id].auto_dynamic_generate_compile_args(compile_args, False)


def update_auto_dynamic_shape_phase(compile_args: Any, key_id: Any, phase: str) -> None:
    """Tell the phase that `compile_args` were compiled under; a key that was never asked for is ignored."""
    if key_id in auto_dynamic_shape_dict:
        auto_dynamic_shape_dict[key_id].update_phase_and_compile_args(compile_args, phase, False)


def get_auto_dynamic_shape_args_with_check_input_signature(
    compile_args: Any, key_id: Any, input_signature: Any, enable_auto_dynamic: bool = False
) -> Any:
    """`get_auto_dynamic_shape_args`, unless an `input_signature` fixes the shapes: then `compile_args` itself."""
    if input_signature is not None:
        return compile_args
    return get_auto_dynamic_shape_args(compile_args, key_id, enable_auto_dynamic)


def update_auto_dynamic_shape_phase_with_check_input_signature(
    compile_args: Any, key_id: Any, phase: str, input_signature: Any
) -> None:
    """`update_auto_dynamic_shape_phase`, unless an `input_signature` fixes the shapes."""
    if input_signature is None:
        update_auto_dynamic_shape_phase(compile_args, key_id, phase)
