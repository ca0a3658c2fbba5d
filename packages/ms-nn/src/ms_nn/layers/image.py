"""Images compared and cut: ImageGradients, SSIM, MSSSIM, PSNR, CentralCrop."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels import Tensor
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.cell import Cell
from ms_nn.containers import CellList
from ms_nn.layers.conv import Conv2d
from ms_nn.layers.plain import Plain
from ms_nn.layers.pool import AvgPool2d

__all__ = ["CentralCrop", "ImageGradients", "MSSSIM", "PSNR", "SSIM"]


def _need_images(name: str, **images: Any) -> None:
    """Raise unless all are 4-D Tensors of one shape and dtype."""
    for arg, image in images.items():
        if not isinstance(image, Tensor):
            fail(TypeError, name, f"'{arg}'", "be a Tensor", type(image).__name__)
        if image.ndim != 4:
            fail(ValueError, name, f"dimension of '{arg}'", "be 4d", str(image.ndim))
    (first, a), *others = images.items()
    for arg, b in others:
        if b.dtype != a.dtype:
            fail(TypeError, name, f"dtype of '{arg}'", f"be that of '{first}', {a.dtype}", str(b.dtype))
        if b.shape != a.shape:
            fail(ValueError, name, f"shape of '{arg}'", f"be that of '{first}', {list(a.shape)}", str(list(b.shape)))


def _maximum(name: str, value: Any) -> float:
    """The checked `max_val`."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        fail(TypeError, name, "type of 'max_val'", "be one of '['int', 'float']'", f"type '{type(value).__name__}'")
    if not value > 0:
        fail(ValueError, name, "'max_val'", "be > 0.0", str(value))
    return float(value)


class ImageGradients(Plain):
    """The differences to the pixel below and to the pixel at the right (``mindspore.nn.ImageGradients``).

    Shapes: images (N, C, H, W) -> two of that shape, zero in the last row and column.

    Raises:
        ValueError: (in the call) the input is not 4-D.

    >>> from ms_kernels import Tensor
    >>> dy, dx = ImageGradients()(Tensor([[[[1.0, 2.0], [4.0, 8.0]]]]))
    >>> print(dy[0, 0], dx[0, 0])
    [[3. 6.]
     [0. 0.]] [[1. 0.]
     [4. 0.]]
    """

    def construct(self, images: Any) -> Any:
        """The pair of differences."""
        _need_images("ImageGradients", images=images)
        dy = images[:, :, 1:, :] - images[:, :, :-1, :]
        dx = images[:, :, :, 1:] - images[:, :, :, :-1]
        row, column = F.zeros_like(images[:, :, :1, :]), F.zeros_like(images[:, :, :, :1])
        return F.cat((dy, row), 2), F.cat((dx, column), 3)


class _Similarity(Cell):
    """What SSIM and MSSSIM share: the window, the constants and the comparison of two images of one size."""

    def __init__(self, max_val: Any, filter_size: Any, filter_sigma: Any, k1: Any, k2: Any) -> None:
        super().__init__()
        name = type(self).__name__
        self.max_val = _maximum(name, max_val)
        self.filter_size = _check.integer(name, "filter_size", filter_size)
        self.filter_sigma = _check.real(name, "filter_sigma", filter_sigma, above=0)
        self.k1, self.k2 = _check.real(name, "k1", k1), _check.real(name, "k2", k2)

    def _window(self) -> Conv2d:
        """A convolution with a normalized Gaussian that is not trained."""
        at = np.arange(self.filter_size) - (self.filter_size - 1) / 2
        line = np.exp(-0.5 * (at / self.filter_sigma) ** 2)
        kernel = np.outer(line, line)
        weight = Tensor((kernel / kernel.sum()).astype(np.float32)[None, None])
        conv = Conv2d(1, 1, self.filter_size, pad_mode="valid", weight_init=weight)
        conv.weight.requires_grad = False
        return conv

    def _check(self, img1: Any, img2: Any) -> None:
        name = type(self).__name__
        _need_images(name, img1=img1, img2=img2)
        if img1.dtype not in (mstype.float32, mstype.float16):
            fail(TypeError, name, "dtype of 'img1'", "be float32 or float16", str(img1.dtype))
        if min(img1.shape[2:]) < self.filter_size:
            fail(ValueError, name, "shape of 'img1'", f"have sizes >= {self.filter_size}", str(list(img1.shape)))

    def _compare(self, window: Cell, a: Any, b: Any) -> tuple[Any, Any]:
        """The similarity and its part without luminance, each (N, C): means over all places of the window."""
        batch, channels = a.shape[:2]
        c1, c2 = (self.k1 * self.max_val) ** 2, (self.k2 * self.max_val) ** 2

        def blurred(x: Any) -> Any:
            flat = window(F.reshape(x, (batch * channels, 1, *x.shape[2:])))
            return F.reshape(flat, (batch, channels, *flat.shape[2:]))

        mean_a, mean_b = blurred(a), blurred(b)
        both, squares = mean_a * mean_b * 2.0, F.square(mean_a) + F.square(mean_b)
        contrast = (blurred(a * b) * 2.0 - both + c2) / (blurred(F.square(a) + F.square(b)) - squares + c2)
        whole = (both + c1) / (squares + c1) * contrast
        return F.mean(whole, (2, 3)), F.mean(contrast, (2, 3))


class SSIM(_Similarity):
    """Structural similarity of images, at most 1 (``mindspore.nn.SSIM``; Wang et al. 2004).

    Args:
        max_val: the range of the pixels, above 0.
        filter_size: sides of the Gaussian window.
        filter_sigma: its standard deviation.
        k1, k2: constants that keep the divisions stable.

    Shapes: two of (N, C, H, W), float16 or float32, H and W at least `filter_size` -> (N,) in float32.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range; in the call, other inputs than these.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> image = Tensor(np.arange(256, dtype=np.float32).reshape(1, 1, 16, 16) / 256)
    >>> print(SSIM()(image, image))
    [1.]
    """

    def __init__(
        self, max_val: Any = 1.0, filter_size: int = 11, filter_sigma: float = 1.5, k1: float = 0.01, k2: float = 0.03
    ) -> None:
        super().__init__(max_val, filter_size, filter_sigma, k1, k2)
        self.conv = self._window()

    def construct(self, img1: Any, img2: Any) -> Any:
        """One number for each pair of images."""
        self._check(img1, img2)
        whole, _ = self._compare(self.conv, img1.astype(mstype.float32), img2.astype(mstype.float32))
        return F.mean(whole, -1)


class MSSSIM(_Similarity):
    """Structural similarity over several scales, each half as large as the one before (``mindspore.nn.MSSSIM``).

    The contrasts of all scales but the last, and the whole similarity of the last, each to the power of its factor,
    are multiplied; negative ones count as 0 (Wang, Simoncelli and Bovik 2003).

    Args:
        max_val, filter_size, filter_sigma, k1, k2: see `SSIM`.
        power_factors: the exponents, one for each scale.

    Shapes: two of (N, C, H, W), float16 or float32 -> (N,) in float32.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range; in the call, other inputs than these, or
            images too small for so many scales.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> image = Tensor(np.ones((1, 3, 32, 32), np.float32))
    >>> print(MSSSIM(power_factors=(0.5, 0.5))(image, image))
    [1.]
    """

    def __init__(
        self,
        max_val: Any = 1.0,
        power_factors: Any = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
        filter_size: int = 11,
        filter_sigma: float = 1.5,
        k1: float = 0.01,
        k2: float = 0.03,
    ) -> None:
        super().__init__(max_val, filter_size, filter_sigma, k1, k2)
        _check.instance("MSSSIM", "power_factors", power_factors, (tuple, list), "one of '['tuple', 'list']'")
        self.power_factors = tuple(power_factors)
        self.multi_convs_list = CellList([self._window() for _ in self.power_factors])
        self.avg_pool = AvgPool2d(2, 2, "valid")

    def construct(self, img1: Any, img2: Any) -> Any:
        """One number for each pair of images."""
        self._check(img1, img2)
        scales = len(self.power_factors)
        if min(img1.shape[2:]) >> (scales - 1) < self.filter_size:
            rule = f"have sizes >= {self.filter_size} after {scales - 1} halvings"
            fail(ValueError, "MSSSIM", "shape of 'img1'", rule, str(list(img1.shape)))
        a, b = img1.astype(mstype.float32), img2.astype(mstype.float32)
        product: Any = None
        for i, (window, power) in enumerate(zip(self.multi_convs_list, self.power_factors)):
            if i:
                a, b = self.avg_pool(a), self.avg_pool(b)
            whole, contrast = self._compare(window, a, b)
            part = F.relu(whole if i == scales - 1 else contrast) ** power
            product = part if product is None else product * part
        return F.mean(product, -1)


class PSNR(Cell):
    """Peak signal to noise ratio in decibels: 10 log10(max_val^2 / mean((img1 - img2)^2)) (``mindspore.nn.PSNR``).

    Args:
        max_val: the range of the pixels, above 0.

    Shapes: two of (N, C, H, W) -> (N,) in float32.

    Raises:
        TypeError, ValueError: `max_val` is no number above 0; in the call, other inputs than these.

    >>> from ms_kernels import Tensor
    >>> print(PSNR()(Tensor([[[[1.0, 2.0]]]]), Tensor([[[[1.5, 1.5]]]])).asnumpy().round(4))
    [6.0206]
    """

    def __init__(self, max_val: Any = 1.0) -> None:
        super().__init__()
        self.max_val = _maximum("PSNR", max_val)

    def construct(self, img1: Any, img2: Any) -> Any:
        """One number for each pair of images."""
        _need_images("PSNR", img1=img1, img2=img2)
        a, b = img1.astype(mstype.float32), img2.astype(mstype.float32)
        error = F.mean(F.square(a - b), (-3, -2, -1))
        return F.log(self.max_val**2 / error) * (10.0 / float(np.log(10.0)))


class CentralCrop(Cell):
    """The middle of images (``mindspore.nn.CentralCrop``).

    Args:
        central_fraction: how much of each side is kept, in (0, 1].

    Shapes: (C, H, W) or (N, C, H, W).

    Raises:
        TypeError, ValueError: `central_fraction` is no float or out of range; in the call, other dimensions.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> CentralCrop(0.5)(Tensor(np.ones((4, 3, 4, 4), np.float32))).shape
    (4, 3, 2, 2)
    """

    def __init__(self, central_fraction: float) -> None:
        super().__init__()
        if not isinstance(central_fraction, float):
            got = f"type '{type(central_fraction).__name__}'"
            fail(TypeError, "CentralCrop", "type of 'central_fraction'", "be 'float'", got)
        self.central_fraction = _check.within("CentralCrop", "central_fraction", central_fraction, 0.0, 1.0, "(]")

    def construct(self, image: Any) -> Any:
        """The middle."""
        if image.ndim not in (3, 4):
            fail(ValueError, "CentralCrop", "dimension of 'image'", "be 3d or 4d", str(image.ndim))
        ends = []
        for size in image.shape[-2:]:
            first = int((size - size * self.central_fraction) / 2)
            ends.append(slice(first, size - first))
        middle = (Ellipsis, *ends)
        return image[middle]
