from enum import IntEnum

DEEPEST: int
VIEW_BOUNDS: int

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

class Change(IntEnum):
    KEEP = 0
    GREATER = 1
    SAME = 2
    LIST = 3
    COMPUTED = 4

class RegisterCells(IntEnum):
    HEAD = 0
    GROUPS = 1
    MERGED = 2

class RegisterTest(IntEnum):
    LESS = 0
    EQUAL = 1
    DIFFERENT = 2

class Operation(IntEnum):
    LOAD_INTEGER = 0
    LOAD_REAL = 1
    LOAD_TRUTH = 2
    CONSTANT = 3
    ADD = 4
    SUBTRACT = 5
    MULTIPLY = 6
    DIVIDE = 7
    REMAINDER = 8
    EQUAL = 9
    DIFFERENT = 10
    LESS = 11
    LESS_EQUAL = 12
    IS_NULL = 13
    NOT = 14
    AND = 15
    OR = 16

class MatchQuantity(IntEnum):
    STARTS = 0
    BOUND = 1
    DECIMALS = 2
    POSITIVE = 3
    NEGATIVE = 4
    POSITIVE_DECIMALS = 5
    NEGATIVE_DECIMALS = 6
    LEAST = 7
    GREATEST = 8

class PathQuantity(IntEnum):
    SUM = 0
    LEAST = 1
    SUM_OF_DOUBLES = 2
    MATCHES = 3

class Consumed(IntEnum):
    NONE = 0
    ANY = 1
    PARTITION = 2
