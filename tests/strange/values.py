"""One strange value of every kind that somebody gives by mistake, or a program by accident."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np

STRANGE = {
    "None": None,
    "empty text": "",
    "x": "x",
    "lone surrogate": "\ud800",
    "zero byte": "a\0b",
    "300 letters": "y" * 300,
    "bytes": b"x",
    "-1": -1,
    "0": 0,
    "2**63": 2**63,
    "10**400": 10**400,
    "10**5000": 10**5000,
    "0.5": 0.5,
    "1e-300": 1e-300,
    "1e300": 1e300,
    "nan": math.nan,
    "inf": math.inf,
    "True": True,
    "complex": 1 + 2j,
    "Decimal": Decimal("1.5"),
    "Fraction": Fraction(1, 3),
    "float16": np.float16(2),
    "int64": np.int64(2),
    "[]": [],
    "{}": {},
    "()": (),
    "[None]": [None],
    "{'x': None}": {"x": None},
    "set": {1},
    "object": object(),
    "lambda": lambda *given, **named: None,
    "type": int,
}
