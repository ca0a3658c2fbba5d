"""Primitive: attributes, names, a user's own classes, constexpr."""

from __future__ import annotations

from typing import Any

import pytest

from ms_kernels import Tensor, functional, grad


def test_attributes() -> None:
    add = functional.Add().add_prim_attr("note", 1)
    assert add.note == add.attrs["note"] == 1
    assert "note" not in add.del_prim_attr("note").attrs and not hasattr(add, "note")
    add.init_prim_io_names(["x", "y"], ["sum"])
    assert (add.input_names, add.output_names) == (["x", "y"], ["sum"])
    assert repr(add) == "Prim[Add]"
    assert repr(add.set_stage(0)) == "Prim[Add]<stage=0>"
    assert functional.Add().set_device("GPU").primitive_target == "GPU"
    with pytest.raises(RuntimeError, match="device_target"):
        add.set_device("TPU")
    assert add.check_elim(1, 2) == (False, None)


def test_a_users_own() -> None:
    class MatMul(functional.PrimitiveWithCheck):
        @functional.prim_attr_register
        def __init__(self, transpose_a: bool = False, *rest: Any, transpose_b: bool = False) -> None:
            self.init_prim_io_names(inputs=["x1", "x2"], outputs=["output"])

    made: Any = MatMul(True)
    assert (made.name, made.transpose_a, made.transpose_b, made.rest) == ("MatMul", True, False, ())
    assert repr(made) == "Prim[MatMul]<transpose_a=True, rest=(), transpose_b=False>"
    with pytest.raises(TypeError, match="unexpected"):
        MatMul(wrong=1)
    with pytest.raises(RuntimeError, match="MatMul"):
        made(Tensor([1.0]))


def test_constexpr_forms() -> None:
    assert functional.constexpr(lambda x: x + 1)(3) == 4
    assert functional.constexpr(fn=None)(lambda x: x)(4) == 4
    kind = functional.constexpr(get_instance=False)(lambda x: x)
    assert isinstance(kind, type) and kind()(5) == 5
    named = functional.constexpr(name="foo", reuse_result=False, check=False)(lambda x: x)
    assert named.name == "foo" and repr(named) == "Prim[foo]<constexpr_prim=True>"
    for wrong in ({"fn": 3}, {"fn": len, "name": 3}):
        with pytest.raises(TypeError, match="constexpr"):
            functional.constexpr(**wrong)


def test_stop_gradient_in_place() -> None:
    from ms_kernels import Parameter

    x = Tensor([1.0, 2.0])

    def after(x: Any) -> Any:
        y = x * 3
        used = y * 2
        functional.stop_gradient_(y)
        return used + y * 100

    assert grad(after)(x).tolist() == [6.0, 6.0]

    def of_the_input(x: Any) -> Any:
        functional.stop_gradient_(x)
        return x * 2

    assert grad(of_the_input)(x).tolist() == [0.0, 0.0]
    with pytest.raises(TypeError, match="'input'"):
        functional.stop_gradient_(3)
    with pytest.raises(RuntimeError, match="Parameter"):
        functional.stop_gradient_(Parameter(x, name="w"))
