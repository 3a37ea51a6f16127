"""Arrays of numpy over bytes; a `memoryview` where numpy is not installed."""

from __future__ import annotations

import math
import struct
from functools import lru_cache
from numbers import Real
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
        converted = _converted(given, np.dtype(code))
    except (TypeError, ValueError) as error:
        raise ValueError(str(error) if str(error).startswith(at) else f"{at}: {error}") from None
    return converted.tobytes(), given.shape


def _converted(given: Any, dtype: Any) -> Any:
    """Returns an array in another type of numbers.

    Raises:
        ValueError: if the type does not have one of the numbers.
    """
    if given.dtype.kind == "O":
        given = _of_numbers(given, dtype)
    if given.dtype.kind not in "iufb" and given.size:
        raise ValueError(f"expected numbers, got {_name_of(given.dtype)}")
    if dtype.kind in "iu" and not _are_integers_of(given, dtype):
        limits = np.iinfo(dtype)
        raise ValueError(f"expected integers from {limits.min} to {limits.max}")
    with np.errstate(over="ignore", invalid="ignore"):
        converted = given.astype(dtype, order="C")
    if dtype.kind == "f" and given.dtype.kind == "f" and (np.isinf(converted) & ~np.isinf(given)).any():
        raise ValueError(f"expected numbers of at most {np.finfo(dtype).max:.3g}")
    return converted


def _are_integers_of(given: Any, dtype: Any) -> bool:
    """Returns whether numbers are integers that a type has."""
    limits = np.iinfo(dtype)
    if not given.size or given.dtype.kind == "b":
        return True
    if given.dtype.kind in "iu":
        return limits.min <= int(given.min()) and int(given.max()) <= limits.max
    if given.dtype.itemsize < 8:
        given = given.astype(np.float64)
    # The next number after the largest integer is a power of two, which floats have.
    return bool(((given >= float(limits.min)) & (given < float(limits.max + 1)) & (given == np.floor(given))).all())


def _of_numbers(given: Any, dtype: Any) -> Any:
    """Returns an array of objects as one of numbers."""
    for own in given.flat:
        if not isinstance(own, (Real, np.number, np.bool_)):
            raise ValueError(f"expected numbers, got {type(own).__name__}")
    try:
        # Integers of any size are compared exactly.
        if dtype.kind in "iu" and all(own == int(own) for own in given.flat):
            integers, limits = [int(own) for own in given.flat], np.iinfo(dtype)
            if not all(limits.min <= own <= limits.max for own in integers):
                raise OverflowError
            return np.array(integers, dtype).reshape(given.shape)
        return np.array([float(own) for own in given.flat], np.float64).reshape(given.shape)
    except (OverflowError, ValueError):
        bounds = np.iinfo(dtype) if dtype.kind in "iu" else np.finfo(dtype)
        raise ValueError(f"expected numbers from {bounds.min} to {bounds.max}") from None


def _texts(given: Any, dtype: Any) -> Any:
    """Returns texts or bytes as the bytes of fields of a fixed size."""
    if given.dtype.kind == "S":
        longest = given.dtype.itemsize
        if longest > dtype.itemsize and (np.char.str_len(given) > dtype.itemsize).any():
            raise ValueError(f"expected texts of at most {dtype.itemsize} bytes, got {int(np.char.str_len(given).max())}")
        return given.astype(dtype, order="C")
    encoded = [_text(own, dtype.itemsize) for own in given.flat]
    return np.array(encoded, dtype).reshape(given.shape)


def _text(own: Any, size: int) -> bytes:
    if isinstance(own, str):
        own = own.encode("utf-8", "surrogateescape")
    if not isinstance(own, (bytes, bytearray)):
        raise ValueError(f"expected text or bytes, got {type(own).__name__}")
    if len(own) > size:
        raise ValueError(f"expected texts of at most {size} bytes, got {len(own)}")
    return bytes(own)


def _name_of(dtype: Any) -> str:
    """Returns what an array has, for messages."""
    if dtype.names:
        return f"a structure of {', '.join(dtype.names)}"
    return {"U": "text", "S": "bytes", "V": "bytes"}.get(dtype.kind) or str(dtype)


def _structured(given: Any, own: Any) -> Any:
    """Returns a structured array with the fields of another one, whatever their order.

    Raises:
        ValueError: if the fields differ, or a field does not have one of the values.
    """
    names = own.dtype.names
    if not given.dtype.names or sorted(given.dtype.names) != sorted(names):
        raise ValueError(f"expected a structure of {', '.join(names)}, got {_name_of(given.dtype)}")
    fitted = own.copy()
    for name in names:
        field, values = own.dtype[name], given[name]
        inner = values.shape[given.ndim :]
        if inner != field.shape:
            raise ValueError(f"{name}: expected the shape {field.shape}, got {inner}")
        try:
            fitted[name] = _fitted(values, field.base)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    return fitted


def _fitted(given: Any, dtype: Any) -> Any:
    """Returns an array in another type.

    Raises:
        ValueError: if the type does not have one of the values.
    """
    if given.dtype == dtype:
        return given
    if dtype.kind == "V":
        raise ValueError(f"expected elements of {dtype.itemsize} bytes as in the file, got {_name_of(given.dtype)}")
    if dtype.kind == "S":
        if given.dtype.kind not in "SUO":
            raise ValueError(f"expected text or bytes, got {_name_of(given.dtype)}")
        return _texts(given, dtype)
    if given.dtype == np.float32 and dtype == np.float64:
        # Text shows the shortest number that is the same value.
        given = given.astype(str).astype(np.float64)
    return _converted(given, dtype)


def _plain_flat(values: Any, code: str, at: str) -> tuple[bytes, Shape]:
    try:
        numbers: Any = values.tolist() if hasattr(values, "tolist") else list(values)
        shape = [len(numbers)]
        while numbers and isinstance(numbers[0], (list, tuple)):
            width = len(numbers[0])
            if any(len(row) != width for row in numbers):
                raise ValueError("expected rows of equal length")
            shape.append(width)
            numbers = [number for row in numbers for number in row]
        return struct.pack(f"={len(numbers)}{code}", *numbers), tuple(shape)
    except (TypeError, ValueError, OverflowError, struct.error) as error:
        raise ValueError(f"{at}: {error}") from None


def bytes_for(own: Any, values: Any) -> bytes:
    """Returns the bytes of values in type and shape of an array."""
    if np is None:
        data = memoryview(values).tobytes()
        if len(data) != own.nbytes:
            raise ValueError(f"expected {own.nbytes} bytes, got {len(data)}")
        return data
    # Otherwise numpy would make texts of numbers beside texts.
    is_array = hasattr(values, "dtype") or own.dtype.kind != "S"
    given = np.asarray(values) if is_array else np.asarray(values, object)
    if given.shape != own.shape:
        raise ValueError(f"expected the shape {own.shape}, got {given.shape}")
    if own.dtype.names and given.dtype != own.dtype:
        return bytes(_structured(given, own).tobytes())
    return bytes(_fitted(given, own.dtype).tobytes())
