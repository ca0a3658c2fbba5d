"""`load_checkpoint` and `load_param_into_net`."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

import ms_fs
from ms_kernels import Parameter
from ms_nn.cell import Cell
from ms_nn.train import _checkpoint_args as args

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

__all__ = [
    "ParamDictFuture",
    "check_checkpoint",
    "load_checkpoint",
    "load_checkpoint_async",
    "load_param_into_net",
    "load_segmented_checkpoints",
]

_LOG = logging.getLogger("ms_nn.train")
_EMPTY = (
    "The loaded parameter dict is empty after filter or specify, please check whether 'filter_prefix' or "
    "'specify_prefix' are set correctly."
)
Prefixes = str | list[str] | tuple[str, ...] | None
# a parameter takes values of the other types of its group, converted
_GROUPS = (frozenset({"int8", "int16", "int32", "int64"}), frozenset({"float16", "bfloat16", "float32", "float64"}))


def load_checkpoint(
    ckpt_file_name: str | os.PathLike[str],
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: Prefixes = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: Prefixes = None,
    choice_func: Callable[[str], bool] | None = None,
    crc_check: bool = False,
    remove_redundancy: bool = False,
    format: str = "ckpt",
) -> dict[str, Any]:
    """Load a file that `save_checkpoint`, here or in 2.6, wrote (``mindspore.load_checkpoint``).

    Args:
        ckpt_file_name: a path, or the URL of any storage that ms-fs or fsspec knows.
        net: put the values into its parameters, too, by `load_param_into_net`.
        strict_load: as there.
        filter_prefix: a text, or a list or tuple of them: names that begin so are left out.
        dec_key, dec_mode: what the file was encrypted with.
        specify_prefix: only names that begin so are loaded.
        choice_func: tells by its name whether a parameter is loaded.
        crc_check: compare the checksum, where the file has one.
        remove_redundancy: as for `load_param_into_net`.
        format: "ckpt" or "safetensors"; the name's suffix must agree.

    Returns:
        Parameters by name, and texts as strings; of safetensors in the order of their names. Those of a local
        safetensors file show the file's memory until they are changed: loading takes no time and no memory.

    Raises:
        TypeError, ValueError: an argument is something else; nothing is left after filtering; the file is missing (also
            a FileNotFoundError), damaged or encrypted.

    >>> from ms_nn import Dense
    >>> from ms_nn.train import save_checkpoint
    >>> save_checkpoint(Dense(2, 3), "memory://load.ckpt")
    >>> load_checkpoint("memory://load.ckpt", choice_func=lambda name: name == "bias")
    {'bias': Parameter (name=bias, shape=(3,), dtype=Float32, requires_grad=True)}
    """
    args.flag("crc_check", crc_check)
    args.flag("remove_redundancy", remove_redundancy)
    args.encryption("load_checkpoint", "dec", dec_key, dec_mode, format)
    path = args.load_name(ckpt_file_name, format)
    args.boolean(strict_load)
    if net is not None:
        args.network("load_param_into_net", net)
    if choice_func is not None and not callable(choice_func):
        raise ValueError(f"For 'load_checkpoint', the 'choice_func' must be callable, but got {type(choice_func)}.")
    wanted = _wanted(args.prefixes(filter_prefix), args.prefixes(specify_prefix), choice_func)
    ms_fs.wait()
    try:
        values = ms_fs.load(path, format, choose=wanted, crc=crc_check, key=dec_key, mode=dec_mode)
    except ms_fs.CheckpointNotFoundError as error:
        raise ms_fs.CheckpointNotFoundError(
            f"For 'load_checkpoint', the checkpoint file: {_shown(path)} does not exist, please check whether the "
            "'ckpt_file_name' is correct."
        ) from error
    names = sorted(values) if format == "safetensors" else list(values)
    loaded = {name: _parameter(name, values[name]) for name in names}
    if not loaded:
        raise ValueError(_EMPTY)
    if net is not None:
        load_param_into_net(net, loaded, strict_load, remove_redundancy)
    return loaded


def _wanted(
    without: tuple[str, ...] | None, only: tuple[str, ...] | None, choice: Callable[[str], bool] | None
) -> Callable[[str], bool] | None:
    for arg, value in (("specity_prefix", only), ("filter_prefix", without)):  # 2.6 spells it so
        if value is not None:
            _LOG.warning(
                "For load_checkpoint, this parameter `%s` will be deprecated, please use `choice_func` instead.", arg
            )
    if without is None and only is None and choice is None:
        return None

    def wanted(name: str) -> bool:
        if (without and name.startswith(without)) or (only and not name.startswith(only)):
            return False
        return choice is None or bool(choice(name))

    return wanted


def _shown(path: str) -> str:
    """A path in full, a URL as it is."""
    return path if "://" in path else os.path.realpath(os.path.expanduser(path))


def _parameter(name: str, value: Any) -> Any:
    """A Parameter around an array, which is not copied."""
    if isinstance(value, str):
        return value
    made = Parameter.__new__(Parameter)
    made._set(value)
    made.name = name
    made.requires_grad = True
    return made


class ParamDictFuture:
    """What `load_checkpoint_async` is still loading."""

    def __init__(self, executor: ThreadPoolExecutor, param_dict_future: Future[dict[str, Any]]) -> None:
        self.executor = executor
        self.param_dict_future = param_dict_future

    def result(self) -> dict[str, Any]:
        """Wait for the parameters, or raise what went wrong."""
        found = self.param_dict_future.result()
        self.executor.shutdown()
        return found


def load_checkpoint_async(
    ckpt_file_name: str | os.PathLike[str],
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: Any = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: Any = None,
    choice_func: Callable[[str], bool] | None = None,
) -> ParamDictFuture:
    """`load_checkpoint` in a thread (``mindspore.load_checkpoint_async``); the format is told by the suffix.

    Returns:
        An object whose `result()` waits for the dict of parameters, and raises what `load_checkpoint` raised.

    Raises:
        TypeError: `ckpt_file_name` is neither a string nor a path.

    >>> from ms_nn import Dense
    >>> from ms_nn.train import save_checkpoint
    >>> save_checkpoint(Dense(2, 3), "memory://later.ckpt")
    >>> list(load_checkpoint_async("memory://later.ckpt").result())
    ['weight', 'bias']
    """
    if not isinstance(ckpt_file_name, (str, os.PathLike)):
        raise TypeError(
            "For 'load_checkpoint_async', the argument 'ckpt_file_name' must be string, but got "
            f"{type(ckpt_file_name)}."
        )
    from concurrent.futures import ThreadPoolExecutor

    format = "safetensors" if os.fspath(ckpt_file_name).endswith(".safetensors") else "ckpt"
    executor = ThreadPoolExecutor(1, "load_ckpt")
    future = executor.submit(
        load_checkpoint,
        ckpt_file_name,
        net,
        strict_load,
        filter_prefix,
        dec_key,
        dec_mode,
        specify_prefix,
        choice_func,
        format=format,
    )
    return ParamDictFuture(executor, future)


def load_segmented_checkpoints(
    ckpt_file_dir: str | os.PathLike[str],
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: Any = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: Any = None,
    choice_func: Callable[[str], bool] | None = None,
) -> dict[str, Any]:
    """`load_checkpoint` of all .ckpt files of a folder together (``mindspore.load_segmented_checkpoints``).

    Raises:
        TypeError: `ckpt_file_dir` is neither a string nor a path.
        ValueError: it is no folder.

    >>> from ms_kernels import Parameter, Tensor
    >>> from ms_nn.train import save_checkpoint
    >>> for name in "ab":
    ...     save_checkpoint([Parameter(Tensor([1.0]), name=name)], f"memory://segments/{name}.ckpt")
    >>> list(load_segmented_checkpoints("memory://segments"))
    ['a', 'b']
    """
    if not isinstance(ckpt_file_dir, (str, os.PathLike)):
        raise TypeError("The ckpt_file_dir should be a str.")
    backend, inner = ms_fs.resolve(ckpt_file_dir)
    if not backend.is_folder(inner):
        raise ValueError(f"The dst_strategy_file: {ckpt_file_dir} doesn't exist. Or it's not a directory")
    args.encryption("load_segmented_checkpoints", "dec", dec_key, dec_mode)
    wanted = _wanted(args.prefixes(filter_prefix), args.prefixes(specify_prefix), choice_func)
    ms_fs.wait()
    loaded: dict[str, Any] = {}
    for name in backend.list(inner):
        if name.endswith(".ckpt") and not name.startswith("."):
            pairs = ms_fs.stream(ms_fs.join(inner, name), "ckpt", choose=wanted, key=dec_key, mode=dec_mode)
            loaded.update((key, _parameter(key, value)) for key, value in pairs)
    if net is not None:
        load_param_into_net(net, loaded, strict_load)
    return loaded


def check_checkpoint(ckpt_file_name: str | os.PathLike[str]) -> bool:
    """Whether a file can be read as a .ckpt file (``mindspore.check_checkpoint``).

    Raises:
        FileNotFoundError: there is no such file.

    >>> from ms_nn import Dense
    >>> from ms_nn.train import save_checkpoint
    >>> save_checkpoint(Dense(2, 3), "memory://good.ckpt")
    >>> check_checkpoint("memory://good.ckpt")
    True
    """
    try:
        ms_fs.names(ckpt_file_name, "ckpt")
    except ms_fs.CheckpointError:
        return False
    return True


# -- into a network ----------------------------------------------------------------------------------------------------


def load_param_into_net(
    net: Cell, parameter_dict: dict[str, Any], strict_load: bool = False, remove_redundancy: bool = False
) -> tuple[list[str], list[str]]:
    """Copy values into the parameters of the same names (``mindspore.load_param_into_net``).

    Everything is checked before the first parameter changes.

    Args:
        net: the network, optimizer or wrapper.
        parameter_dict: what `load_checkpoint` gave.
        strict_load: the types must be the same; else floats go into other floats and signed ints into other ints, and
            names that end like a parameter's are taken for it ("backbone.fc.weight" for "fc.weight").
        remove_redundancy: only of use with several devices.

    Returns:
        The names of parameters that got no value, and the names of values that no parameter of this name took.

    Raises:
        TypeError: an argument is something else, or `remove_redundancy` is True: there is one device.
        RuntimeError: a shape or type does not fit.

    >>> from ms_kernels import Parameter, Tensor
    >>> from ms_nn import Dense
    >>> net = Dense(1, 2)
    >>> load_param_into_net(net, {"bias": Parameter(Tensor([1.0, 2.0])), "other": Parameter(Tensor([1.0]))})
    (['weight'], ['other'])
    >>> print(net.bias.value())
    [1. 2.]
    """
    args.network("load_param_into_net", net)
    if not isinstance(parameter_dict, dict):
        raise TypeError(
            "For 'load_param_into_net', the argument 'parameter_dict' should be a dict, but got "
            f"{type(parameter_dict)}."
        )
    for key, value in parameter_dict.items():
        if not isinstance(key, str) or not isinstance(value, (Parameter, str)):
            raise TypeError(
                "For 'parameter_dict', the element in the argument 'parameter_dict' should be a 'str' and 'Parameter' "
                f", but got {type(key)} and {type(value)}."
            )
    args.boolean(strict_load)
    args.flag("remove_redundancy", remove_redundancy)
    if remove_redundancy:
        raise TypeError(
            "The deduplication feature for loading checkpoint can only be used in parallel scenarios, but got "
            "stand_alone."
        )
    params = {param.name: param for param in net.get_parameters()}
    pairs = {name: name for name in params if name in parameter_dict}
    if not strict_load:
        pairs.update(_by_prefix([name for name in params if name not in pairs], parameter_dict))
    todo = [
        (params[own], _fitting(own, params[own], given, parameter_dict[given], strict_load))
        for own, given in pairs.items()
        if isinstance(parameter_dict[given], Parameter)
    ]
    buffers = {name: value for name, value in net.state_dict().items() if not isinstance(value, Parameter)}
    held = [name for name in buffers if name in parameter_dict and name not in params]
    todo += [(buffers[name], _fitting(name, buffers[name], name, parameter_dict[name], strict_load)) for name in held]
    for target, array in todo:
        target._set(array)
    missing = [name for name in params if name not in pairs]
    if missing:
        _LOG.warning(
            "For 'load_param_into_net', %d parameters in the 'net' are not loaded, because they are not in the "
            "'parameter_dict', please check whether the network structure is consistent when training and loading "
            "checkpoint.",
            len(missing),
        )
        _LOG.warning("%s are not loaded.", missing)
    return missing, [name for name in parameter_dict if name not in params and name not in held]


def _by_prefix(missing: list[str], given: dict[str, Any]) -> dict[str, str]:
    """Names in `given` that are a prefix and the name of a parameter; one prefix serves all that it can."""
    found: dict[str, str] = {}
    for name in missing:
        if name in found:
            continue
        prefix = next((key[: -len(name)] for key in given if key.endswith(name) and key != name), None)
        if prefix is None:
            continue
        _LOG.warning("For 'load_param_into_net', remove parameter prefix name: %s, continue to load.", prefix)
        found.update({other: prefix + other for other in missing if other not in found and prefix + other in given})
    return found


def _fitting(own: str, target: Any, given: str, value: Any, strict: bool) -> Any:
    """The array that goes into a tensor: of its shape and type, and its own.

    Raises:
        RuntimeError: they do not fit.
    """
    if tuple(value.shape) != tuple(target.shape) and not (target.shape == () and value.shape == (1,)):
        raise RuntimeError(
            f"For 'load_param_into_net', {own} in the argument 'net' should have the same shape as {given} in the "
            f"argument 'parameter_dict'. But got its shape {tuple(target.shape)} in the argument 'net' and shape "
            f"{tuple(value.shape)} in the argument 'parameter_dict'.May you need to check whether the checkpoint you "
            "loaded is correct or the batch size and so on in the 'net' and 'parameter_dict' are same."
        )
    kinds = {target.dtype.name, value.dtype.name}
    if len(kinds) > 1:
        if strict or not any(kinds <= group for group in _GROUPS):
            raise RuntimeError(
                f"For 'load_param_into_net', {own} in the argument 'net' should have the same type as {given} in the "
                f"argument 'parameter_dict'. but got its type {target.dtype} in the argument 'net' and type "
                f"{value.dtype} in the argument 'parameter_dict'.May you need to check whether the checkpoint you "
                "loaded is correct."
            )
        _LOG.warning(
            "The type of %s:%s in 'parameter_dict' is different from the type of it in 'net':%s, then the type convert "
            "from %s to %s in the network. May consume additional memory and time",
            given,
            value.dtype,
            target.dtype,
            value.dtype,
            target.dtype,
        )
    return np.array(value._a, target.dtype.np, order="C").reshape(target.shape)
