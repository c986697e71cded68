from enum import IntEnum

class Govern(IntEnum):
    ANY = 0
    NEXT = 1
    STRICT = 2
    FREE = 3

class Cells(IntEnum):
    HASH = 0
    ORDERED = 1
    VIEWS = 2
    FLAT = 3

class ColumnSource(IntEnum):
    UNBOUND = 0
    CELL = 1
    ROW = 2
    EITHER = 3
    PROGRAM = 4

class Sign(IntEnum):
    LESS = 0
    LESS_EQUAL = 1
    GREATER = 2
    GREATER_EQUAL = 3

class View(IntEnum):
    FINAL = 0
    ITERATION = 1
    POINT = 2
