"""The target object that the dispatcher calls, and the process-wide one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any

import numpy as np

from ms_kernels.core.dispatch import ops_by_name, process_target, scope
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.targets.ascend import convolution, cube, recipes, reduction, vector  # noqa: F401  (they register)
from ms_kernels.targets.ascend.casts import cast
from ms_kernels.targets.ascend.chip import Chip
from ms_kernels.targets.ascend.kernels import COMPOSITES, KERNELS, composite
from ms_kernels.targets.ascend.policies import POLICIES
from ms_kernels.targets.ascend.precision import Precision
from ms_kernels.targets.ascend.profiles import BF16, F16, F32, Choices, overflow_mode, profile_named
from ms_kernels.targets.registry import Target

__all__ = ["AscendTarget", "Emulator", "emulator"]

Plan = Callable[[list[Any]], Any]

# Ops whose native loop is the chip's rule for every float type, as long as nothing saturates; the dispatcher may take
# its shortest way with them.
_PLAIN = (
    "add sub mul true_divide neg abs square sqrt reciprocal sign floor ceil trunc round relu relu6 equal not_equal "
    "less less_equal greater greater_equal isnan isinf isfinite"
)


class AscendTarget:
    """An emulated chip that runs ops.

    Attributes:
        chip: profile, overflow mode, choices and knobs.
        same: names of the ops that the CPU's loops serve just as well in this mode.
        composites: what replaces the bodies of composite ops.

    >>> from ms_kernels import Tensor
    >>> with AscendTarget("ascend910").use():
    ...     print(Tensor(np.array([65504.0], np.float16)) * 2)
    [65504.]
    """

    name = "Ascend"

    def __init__(
        self,
        profile: str = "ascend910b",
        mode: str | None = None,
        choices: Choices | None = None,
        precision: Precision | None = None,
    ) -> None:
        found = profile_named(profile)
        if mode not in (None, "infnan", "saturation"):
            fail(ValueError, "AscendTarget", "'mode'", "be 'infnan' or 'saturation'", describe(mode))
        chosen = overflow_mode(found) if mode is None else mode
        if chosen == "infnan" and found.saturation_only:
            fail(ValueError, "AscendTarget", "'mode'", f"be 'saturation' on {found.name}", describe(mode))
        self.chip = Chip(found, chosen == "saturation", choices or Choices(), precision or Precision())
        self._plans: dict[str, Plan] = {}
        self.same: frozenset[str] = frozenset() if self.chip.saturating else frozenset(_PLAIN.split())
        self.composites = {name: self._composite(name) for name in COMPOSITES}
        self._twins: dict[tuple[str | None, bool], AscendTarget] = {}

    def _composite(self, name: str) -> Callable[[Any, tuple[Any, ...]], Any]:
        function = COMPOSITES[name]
        return lambda op, args: function(self, op, args)

    def cast(self, array: Any, dtype: np.dtype[Any]) -> Any:
        """Bring an operand to the dtype in which a call is computed, by the chip's casts."""
        return cast(self.chip, array, dtype)

    def run(self, op: Any, values: list[Any]) -> Any:
        """Compute one op on arrays and attributes, after checks and promotion.

        Raises:
            RuntimeError: an operand type that the chip does not have.
        """
        plan = self._plans.get(op.name)
        if plan is None:
            plan = self._plans[op.name] = self._plan(op)
        return plan(values)

    def _plan(self, op: Any) -> Plan:
        """Decide once how an op runs here."""
        chip, body = self.chip, op.body
        policy = POLICIES[op.record.ascend]
        kernel = KERNELS.get(op.name) or policy.run
        floats = chip.profile.floats
        refused = BF16 not in floats and not op.is_view
        if kernel is None and not refused:
            return lambda values: body(*values)
        always = op.name in _ANY_TYPE

        def plan(values: list[Any]) -> Any:
            ours = always
            for value in values:
                if type(value) is list and value:
                    value = value[0]
                if type(value) is np.ndarray and value.dtype in floats:
                    ours = True
                    break
            if kernel is None or not ours:
                return body(*values)  # AN-TYPE-07
            return kernel(chip, op, values)

        def checked(values: list[Any]) -> Any:
            for value in values:
                for item in value if type(value) is list else (value,):
                    if (item.dtype if isinstance(item, np.ndarray) else getattr(item, "np", None)) == BF16:
                        chip.check(op.label, BF16)
            return plan(values)

        return checked if refused else plan

    def twin(self, *, flag: str | None = "", short: bool = False) -> AscendTarget:
        """The same target whose matrix products read another HF32 knob, or take float32 for 16 bits (see `Chip`)."""
        if (flag, short) not in self._twins:
            made = self._twins[flag, short] = copy(self)
            made.chip, made._plans = self.chip.twin(flag, short), {}
        return self._twins[flag, short]

    @contextmanager
    def use(self) -> Iterator[AscendTarget]:
        """Run the ops of this context on this target, whatever the process-wide one is."""
        with scope(target=self):
            yield self


# their rules cover integers, too, or refuse types
_ANY_TYPE = frozenset(
    [
        "cast",
        "cast_np",
        "floor_divide",
        "remainder",
        "truncate_mod",
        "sum",
        "mean",
        "matrix_product",
        "einsum_parts",
        "convolution",
        "conv_grad_input",
        "conv_grad_weight",
    ]
)


@composite("mm", "conv2d", "conv2d_channels")
def flagless(target: AscendTarget, op: Any, args: tuple[Any, ...]) -> Any:
    with scope(target=target.twin(flag=None)):
        return op.body(*args)


@composite("dense", "addmm", "addmv", "baddbmm")
def biased(target: AscendTarget, op: Any, args: tuple[Any, ...]) -> Any:
    """16-bit products with a bias: float32 from the accumulator to the sum, one rounding at the end (AN-CUBE-03)."""
    tensors = [a for a in args if isinstance(a, TensorBase)]
    kind = tensors[0]._kind
    if len(tensors) < 3 or kind not in (F16, BF16) or any(t._kind != kind for t in tensors):
        return op.body(*args)
    target.chip.check(op.label, kind)
    cast = ops_by_name["cast_np"]
    with scope(target=target.twin(short=True)):
        out = op.body(*(cast(a, F32) if isinstance(a, TensorBase) else a for a in args))
    return cast(out, kind)


class Emulator:
    """Which chip the process-wide Ascend target is; one object a process, `emulator`.

    The profile is `ascend910b` unless MS_ASCEND_PROFILE or `set_profile` says otherwise.
    """

    def __init__(self) -> None:
        self._profile: str | None = None
        self._choices = Choices()
        self._target: AscendTarget | None = None
        self.precision = Precision()

    @property
    def profile(self) -> str:
        """The soc string of the chip in use."""
        asked = self._profile or os.environ.get("MS_ASCEND_PROFILE") or "ascend910b"
        return profile_named(asked).name

    @property
    def choices(self) -> Choices:
        return self._choices

    def target(self) -> Target:
        """The target, made when it is first chosen: the overflow mode's variable is read then (AN-OVF-02)."""
        if self._target is None:
            self._target = AscendTarget(self.profile, None, self._choices, self.precision)
        return self._target

    def running(self) -> AscendTarget | None:
        """The Ascend target if it is the process-wide one, else None."""
        found = process_target.target
        return found if isinstance(found, AscendTarget) else None

    def change(self, profile: str | None = None, choices: Choices | None = None) -> None:
        """Take another chip or other choices; ops that follow run on it.

        Raises:
            ValueError: there is no such profile.
        """
        if profile is not None:
            self._profile = profile_named(profile).name
        if choices is not None:
            self._choices = choices
        in_use, self._target = self.running() is not None, None
        if in_use:
            process_target.target = self.target()


emulator = Emulator()
