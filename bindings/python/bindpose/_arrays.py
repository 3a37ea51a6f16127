"""Arrays of numpy over bytes; a `memoryview` where numpy is not installed."""

from __future__ import annotations

import math
import struct
from functools import lru_cache
from typing import Any

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

Fields = tuple[tuple[str, str, tuple[int, ...], int], ...]
Shape = tuple[int, ...]

_CODES = {"<u1": "B", "<u2": "H", "<u4": "I", "<u8": "Q", "<i1": "b", "<i2": "h", "<i4": "i", "<i8": "q", "<f4": "f", "<f8": "d"}


@lru_cache(maxsize=256)
def _dtype(fields: Fields, item_size: int) -> Any:
    """Returns the type of an element: a number, or a structure with named fields."""
    if not fields:
        return np.dtype((np.void, item_size))
    if len(fields) == 1 and not fields[0][0]:
        return np.dtype(fields[0][1])
    return np.dtype(
        {
            "names": [name for name, *_ in fields],
            "formats": [(kind, shape) for _, kind, shape, _ in fields],
            "offsets": [offset for *_, offset in fields],
            "itemsize": item_size,
        }
    )


def view(data: bytes, offset: int, shape: Shape, strides: Shape, fields: Fields, item_size: int) -> Any:
    """Returns an array over bytes, without a copy."""
    if np is None:
        return _plain_view(data, offset, shape, strides, fields, item_size)
    return np.ndarray(shape, _dtype(fields, item_size), data, offset, strides)


def _plain_view(data: bytes, offset: int, shape: Shape, strides: Shape, fields: Fields, item_size: int) -> memoryview:
    starts = [offset]
    for length, stride in zip(shape, strides, strict=True):
        starts = [start + index * stride for start in starts for index in range(length)]
    copied = b"".join(data[start : start + item_size] for start in starts)
    if len(fields) == 1 and not fields[0][0] and fields[0][1] in _CODES:
        return _shaped(copied, _CODES[fields[0][1]], shape)
    return _shaped(copied, "B", (*shape, item_size))


def contiguous(data: bytes, code: str, shape: Shape) -> Any:
    """Returns an array of numbers in this order, without a copy."""
    if np is None:
        return _shaped(data, code, shape)
    return np.frombuffer(data, code).reshape(shape)


def _shaped(data: bytes, code: str, shape: Shape) -> memoryview:
    # A memoryview has no dimension of length 0.
    flat = memoryview(data)
    return flat.cast(code, shape) if data and math.prod(shape) else flat.cast(code)  # type: ignore[arg-type, call-overload, no-any-return]


def flat(values: Any, code: str, at: str) -> tuple[bytes, Shape]:
    """Returns the bytes of the numbers of an array or of nested sequences in a type, and their shape."""
    if values is None:
        raise ValueError(f"{at}: is missing")
    if np is None:
        return _plain_flat(values, code, at)
    try:
        given = np.asarray(values)
        if given.dtype.kind not in "iufb" and given.size:
            raise ValueError(f"{at}: expected numbers, got {given.dtype}")
        converted = _converted(given, code)
    except (TypeError, ValueError) as error:
        raise ValueError(str(error) if str(error).startswith(at) else f"{at}: {error}") from None
    return converted.tobytes(), given.shape


def _converted(given: Any, dtype: Any, casting: Any = "unsafe") -> Any:
    """Returns an array in another type of numbers.

    Raises:
        ValueError: if the type does not have one of the numbers.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        converted = given.astype(dtype, order="C", casting=casting)
    if converted.dtype.kind in "iu" and given.dtype != converted.dtype and not np.array_equal(converted, given):
        limits = np.iinfo(converted.dtype)
        raise ValueError(f"expected integers from {limits.min} to {limits.max}")
    if converted.dtype.kind == "f" and given.dtype.kind == "f" and (np.isinf(converted) & ~np.isinf(given)).any():
        raise ValueError(f"expected numbers of at most {np.finfo(converted.dtype).max:.3g}")
    return converted


def _plain_flat(values: Any, code: str, at: str) -> tuple[bytes, Shape]:
    shape: list[int] = []
    numbers: Any = values.tolist() if hasattr(values, "tolist") else list(values)
    while numbers and isinstance(numbers[0], (list, tuple)):
        shape.append(len(numbers))
        numbers = [number for row in numbers for number in row]
    shape.append(len(numbers) // math.prod(shape))
    if math.prod(shape) != len(numbers):
        raise ValueError(f"{at}: expected rows of equal length")
    try:
        return struct.pack(f"={len(numbers)}{code}", *numbers), tuple(shape)
    except struct.error as error:
        raise ValueError(f"{at}: {error}") from None


def bytes_for(own: Any, values: Any) -> bytes:
    """Returns the bytes of values in type and shape of an array."""
    if np is None:
        data = memoryview(values).tobytes()
        if len(data) != own.nbytes:
            raise ValueError(f"expected {own.nbytes} bytes, got {len(data)}")
        return data
    given = np.asarray(values)
    if given.shape != own.shape:
        raise ValueError(f"expected the shape {own.shape}, got {given.shape}")
    if given.dtype == np.float32 and own.dtype == np.float64:
        # Text shows the shortest number that is the same value.
        given = given.astype(str).astype(np.float64)
    try:
        return bytes(_converted(given, own.dtype, "same_kind" if own.dtype.kind == "f" else "unsafe").tobytes())
    except TypeError as error:
        raise ValueError(str(error)) from None
