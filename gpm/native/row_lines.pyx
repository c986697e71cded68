# distutils: language = c++
# cython: language_level=3
"""Rows of Python's values as the lines of their triples; see the stub."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.datetime cimport (
    datetime_tzinfo, import_datetime, timedelta, timedelta_days, timedelta_microseconds, timedelta_seconds,
)
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport Py_EQ, Py_GE, Py_GT, Py_LE, Py_LT, Py_NE, PyObject_RichCompareBool
from cpython.ref cimport PyObject
from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.stdint cimport int64_t, uint32_t
from libc.string cimport strlen

from datetime import UTC, date, datetime
from decimal import Decimal

from gpm.native.iris cimport append_encoded
from gpm.native.json cimport append_quoted
from nfa_native.core.containers cimport string, vector
from nfa_native.core.guard cimport attempted

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object, int* overflow) except? -1

import_datetime()

# What a register holds.  IRIs are those that were made of values; a decimal may be an integer of Python.
cdef enum Kind:
    NOT_KNOWN
    IS_UNBOUND
    IS_STRING
    IS_BOOLEAN
    IS_INTEGER
    IS_DOUBLE
    IS_DECIMAL
    IS_TIME
    IS_DATE
    IS_IRI

cdef enum Action:
    COPY
    CAST
    MAKE_IRI

# What gives the value of the next register, of those before.
cdef struct Step:
    Action action
    Kind kind              # to which it casts
    uint32_t source        # the register that is copied or cast; of an IRI its first value in `sources`
    uint32_t count         # of an IRI's values; one piece more stands around them
    uint32_t piece         # the first of these

# A comparison of a register with a number, which is number i of `numbers`.
cdef struct Test:
    uint32_t register
    int sign               # as of Python; BOUND: whether there is a value at all
    bint whole             # the number is an integer that is a double, too

# A line of which so many values are left open, the first `iris` of them in places of IRIs.
cdef struct Line:
    uint32_t source        # the first of their registers in `sources`
    uint32_t count
    uint32_t iris
    uint32_t piece         # the first of the pieces around them

# A value of a row; its term, as it stands in lines, is bytes start to stop of the text.
cdef struct Register:
    Kind kind
    size_t start           # NOT_WRITTEN: it is written when a line needs it
    size_t stop

# The registers of one row, as far as they are known.
cdef cppclass Registers:
    vector[Register] known
    string text

cdef enum:
    BOUND = -1

cdef size_t NOT_WRITTEN = <size_t>-1
cdef const char* DIGITS = b"0123456789ABCDEF"
cdef const char* SCHEMA = b'"^^<http://www.w3.org/2001/XMLSchema#'
cdef object EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
cdef object NAIVE_EPOCH = datetime(1970, 1, 1)
cdef dict SIGNS = {"<": Py_LT, "<=": Py_LE, "=": Py_EQ, "!=": Py_NE, ">": Py_GT, ">=": Py_GE, "BOUND": BOUND}
cdef dict KINDS = {
    "string": IS_STRING, "boolean": IS_BOOLEAN, "integer": IS_INTEGER, "double": IS_DOUBLE, "decimal": IS_DECIMAL,
    "dateTime": IS_TIME,
}


cdef class RowLines:
    """See the stub."""

    cdef tuple columns         # of each of the first registers its key in rows
    cdef vector[Step] steps
    cdef vector[Test] tests
    cdef vector[Line] lines
    cdef vector[string] pieces
    cdef vector[uint32_t] sources
    cdef list numbers          # of the tests
    cdef size_t registers      # how many there are
    cdef uint32_t time         # the register that has it
    cdef object unit           # how many microseconds the number of a time counts; None: numbers are none
    cdef object earliest       # between this one and `latest` lies a time that is a number
    cdef object latest
    cdef int name              # its register; −1: rows have no names

    def __init__(self, tuple columns not None, steps, tests, lines, int name, uint32_t time, unit, tuple bounds not None):
        self.columns, self.numbers, self.registers = columns, [], len(columns)
        for step in steps:
            self._add_step(step[0], step[1], step[2] if len(step) > 2 else None)
            self.registers += 1
        for register, sign, number, whole in tests:
            self._add_test(register, sign, number, whole)
        for pieces, sources, iris in lines:
            self._add_line(pieces, sources, iris)
        self._check(time)
        if name >= 0:
            self._check(name)
        self.name, self.time, self.unit = name, time, unit
        self.earliest, self.latest = bounds

    def event(self, dict row not None):
        """See the stub."""
        cdef Registers registers
        cdef list values = []
        try:
            if not self._read(row, values, &registers) or not self._make(values, &registers):
                return None
            held = self._holds(values, &registers)
            if held != 1:
                return (b"", 0, None) if held == 0 else None
            return self._event(values, &registers)
        except (UnicodeEncodeError, OverflowError):  # a half of a character; a time that in UTC is before year 1
            return None

    # ── what a mapping says ──────────────────────────────────────────────────────────────────────────────
    cdef int _check(self, uint32_t register) except -1:
        if register >= self.registers:
            raise ValueError(f"there is no register {register} among {self.registers}")
        return 0

    cdef int _add_step(self, str action, first, second) except -1:
        cdef Step step
        step.kind, step.source, step.count, step.piece = NOT_KNOWN, 0, 0, 0
        if action == "iri":
            step.action, step.source, step.count = MAKE_IRI, self.sources.size(), len(second)
            step.piece = self._add_pieces(first, second)
        else:
            self._check(first)
            step.source = first
            step.action = COPY if second is None else CAST
            step.kind = NOT_KNOWN if second is None else KINDS[second]
        self.steps.safe_push_back(step)
        return 0

    cdef uint32_t _add_pieces(self, tuple pieces, tuple sources) except? 0:
        """The number of the first piece; the registers stand between them."""
        cdef uint32_t first = self.pieces.size()
        cdef string text
        cdef bytes piece
        if len(pieces) != len(sources) + 1:
            raise ValueError(f"{len(pieces)} pieces do not surround {len(sources)} values")
        for piece in pieces:
            text.clear()
            text.safe_append(<const char*>piece, <size_t>len(piece))
            self.pieces.safe_push_back(text)
        for source in sources:
            self._check(source)
            self.sources.safe_push_back(source)
        return first

    cdef int _add_test(self, uint32_t register, str sign, number, bint whole) except -1:
        cdef Test test
        self._check(register)
        test.register, test.sign, test.whole = register, SIGNS[sign], whole
        self.tests.safe_push_back(test)
        self.numbers.append(number)
        return 0

    cdef int _add_line(self, tuple pieces, tuple sources, uint32_t iris) except -1:
        cdef Line line
        line.source, line.count, line.iris = self.sources.size(), len(sources), iris
        line.piece = self._add_pieces(pieces, sources)
        self.lines.safe_push_back(line)
        return 0

    # ── a row ────────────────────────────────────────────────────────────────────────────────────────────
    cdef bint _read(self, dict row, list values, Registers* registers) except -1:
        """The values of columns; False: one is not known."""
        cdef PyObject* found
        registers.known.safe_reserve(self.registers)
        for column in self.columns:
            found = PyDict_GetItemWithError(row, column)
            if found == NULL:
                return False
            value = <object>found  # held, whatever becomes of the row
            if not take(value, registers):
                return False
            values.append(value)
        return True

    cdef bint _make(self, list values, Registers* registers) except -1:
        """The values that steps give; False: one is not known."""
        cdef size_t i
        cdef Register made
        cdef Step* step
        for i in range(self.steps.size()):
            step = &self.steps[i]
            if step.action == MAKE_IRI:
                made = self._made_iri(step, values, registers)
                values.append(None)
            else:
                made = registers.known[step.source]
                if step.action == CAST:
                    made = cast(made, step.kind)
                values.append(values[step.source])
            if made.kind == NOT_KNOWN:
                return False
            registers.known.safe_push_back(made)
        return True

    cdef Register _made_iri(self, const Step* step, list values, Registers* registers) except *:
        """An IRI, which is written in brackets."""
        cdef string* text = &registers.text
        cdef Register made
        cdef size_t i
        cdef uint32_t source
        made.kind, made.start, made.stop = IS_IRI, text.size(), 0
        text.safe_append(b"<", 1)
        for i in range(step.count):
            text.safe_append(self.pieces[step.piece + i])
            source = self.sources[step.source + i]
            if registers.known[source].kind == IS_STRING:
                append_characters(values[source], False, text)
            elif registers.known[source].kind == IS_INTEGER:
                append_ascii(str(values[source]), text)
            else:
                made.kind = IS_UNBOUND if registers.known[source].kind == IS_UNBOUND else NOT_KNOWN
                return made
        text.safe_append(self.pieces[step.piece + step.count])
        text.safe_append(b">", 1)
        made.stop = text.size()
        return made

    cdef int _holds(self, list values, const Registers* registers) except -2:
        """Whether all conditions do; −1: it is not known."""
        cdef size_t i
        cdef Kind kind
        cdef const Test* test
        for i in range(self.tests.size()):
            test = &self.tests[i]
            kind = registers.known[test.register].kind
            if kind == IS_UNBOUND:
                return 0
            if test.sign == BOUND:
                continue
            if kind != IS_INTEGER and kind != IS_DECIMAL and not (kind == IS_DOUBLE and test.whole):
                return -1
            if not PyObject_RichCompareBool(values[test.register], self.numbers[i], test.sign):
                return 0
        return 1

    cdef object _event(self, list values, Registers* registers):
        cdef string lines
        cdef size_t i
        cdef Register* named
        cdef object name = None
        if self.name >= 0:
            named = &registers.known[<size_t>self.name]
            if named.kind != IS_IRI:
                return None
            name = registers.text.data()[named.start + 1:named.stop - 1].decode()
        time = self._time_of(registers.known[self.time].kind, values[self.time])
        if time is None:
            return None
        for i in range(self.lines.size()):
            self._append_line(&self.lines[i], values, registers, &lines)
        if lines.empty():
            return None
        return PyBytes_FromStringAndSize(lines.data(), lines.size()), time, name

    cdef object _time_of(self, Kind kind, value):
        """Microseconds since 1970; None: it is not known here."""
        if kind == IS_TIME:
            return microseconds(value - (NAIVE_EPOCH if datetime_tzinfo(value) is None else EPOCH))
        if kind != IS_INTEGER or self.unit is None:
            return None
        time = value * self.unit
        return time if self.earliest < time < self.latest else None

    cdef int _append_line(self, const Line* line, list values, Registers* registers, string* out) except -1:
        """Nothing, if a value is unbound, or none that can stand where an IRI does."""
        cdef size_t i
        cdef uint32_t source
        cdef Register* one
        for i in range(line.count):
            one = &registers.known[self.sources[line.source + i]]
            if one.kind == IS_UNBOUND or i < line.iris and one.kind != IS_IRI:
                return 0
        for i in range(line.count):
            source = self.sources[line.source + i]
            one = &registers.known[source]
            if one.start == NOT_WRITTEN:
                write_term(one, values[source], &registers.text)
            out.safe_append(self.pieces[line.piece + i])
            out.safe_append(registers.text.data() + one.start, one.stop - one.start)
        out.safe_append(self.pieces[line.piece + line.count])
        return 0


# ── values ───────────────────────────────────────────────────────────────────────────────────────────────
cdef bint take(value, Registers* registers) except -1:
    """Make a value the next register; False: it is not known."""
    cdef Register taken
    taken.kind, taken.start, taken.stop = kind_of(value), NOT_WRITTEN, 0
    if taken.kind == IS_DECIMAL and not write_decimal(&taken, value, &registers.text):
        return False
    registers.known.safe_push_back(taken)
    return taken.kind != NOT_KNOWN


cdef Kind kind_of(value) except *:
    """What a value is.  UnicodeEncodeError: a text has half of a character."""
    cdef int too_large = 0
    cdef Py_ssize_t size
    of = type(value)
    if value is None:
        return IS_UNBOUND
    if of is str:
        PyUnicode_AsUTF8AndSize(value, &size)
        return IS_STRING
    if of is int:
        PyLong_AsLongLongAndOverflow(value, &too_large)
        return NOT_KNOWN if too_large else IS_INTEGER
    if of is float:
        return IS_DOUBLE if value == value else IS_UNBOUND
    if of is bool:
        return IS_BOOLEAN
    if of is Decimal:
        return IS_DECIMAL
    if of is datetime:
        return IS_TIME if datetime_tzinfo(value) is None or value.utcoffset() is not None else NOT_KNOWN
    return IS_DATE if of is date else NOT_KNOWN


cdef inline Register cast(Register value, Kind to) noexcept:
    """The same, if it is of the type already, or an integer as a decimal."""
    if value.kind != IS_UNBOUND and value.kind != to:
        value.kind = IS_DECIMAL if value.kind == IS_INTEGER and to == IS_DECIMAL else NOT_KNOWN
        value.start = NOT_WRITTEN
    return value


cdef bint write_decimal(Register* one, value, string* text) except -1:
    """The term of a decimal; False: it has more than 19 digits, or than 18 behind the point."""
    cdef Py_ssize_t size, i, point
    cdef str form = str(value)
    cdef const char* digits = PyUnicode_AsUTF8AndSize(form, &size)
    cdef Py_ssize_t first = digits[0] == c'-'
    point = size
    for i in range(first, size):
        if digits[i] == c'.':
            point = i
        elif not c'0' <= digits[i] <= c'9':  # an exponent, infinity, or no number
            return write_other_decimal(one, value, text)
    if point - first > 19 or size - point > 19:
        return False
    write_typed(one, form, b"decimal", text)
    return True


cdef bint write_other_decimal(Register* one, value, string* text) except -1:
    if not value.is_finite() or value.adjusted() >= 19 or value.as_tuple().exponent <= -19:
        return False
    write_typed(one, format(value, "f"), b"decimal", text)
    return True


cdef int write_term(Register* one, value, string* text) except -1:
    """A value that is neither an IRI nor written yet."""
    if one.kind == IS_STRING:
        one.start = text.size()
        append_characters(value, True, text)
        one.stop = text.size()
    elif one.kind == IS_INTEGER or one.kind == IS_DECIMAL:
        write_typed(one, str(value), b"integer" if one.kind == IS_INTEGER else b"decimal", text)
    elif one.kind == IS_DOUBLE:
        write_typed(one, repr(value).replace("inf", "INF"), b"double", text)
    elif one.kind == IS_BOOLEAN:
        write_typed(one, "true" if value else "false", b"boolean", text)
    elif one.kind == IS_DATE:
        write_typed(one, value.isoformat(), b"date", text)
    else:
        instant = value if datetime_tzinfo(value) is None else value.astimezone(UTC).replace(tzinfo=None)
        write_typed(one, instant.isoformat() + "Z", b"dateTime", text)
    return 0


cdef int write_typed(Register* one, str form, const char* datatype, string* text) except -1:
    """A literal of a datatype of XML Schema, whose form has no character that needs an escape."""
    one.start = text.size()
    text.safe_append(b'"', 1)
    append_ascii(form, text)
    text.safe_append(SCHEMA, strlen(SCHEMA))
    text.safe_append(datatype, strlen(datatype))
    text.safe_append(b">", 1)
    one.stop = text.size()
    return 0


cdef int append_ascii(str form, string* out) except -1:
    cdef Py_ssize_t size
    cdef const char* text = PyUnicode_AsUTF8AndSize(form, &size)
    out.safe_append(text, <size_t>size)
    return 0


cdef int append_characters(str value, bint quoted, string* out) except -1:
    """In quotes, or percent-encoded."""
    cdef Py_ssize_t size
    cdef const char* text = PyUnicode_AsUTF8AndSize(value, &size)
    if quoted:
        attempted(append_quoted, out[0], text, <size_t>size, DIGITS)
    else:
        attempted(append_encoded, text, <size_t>size, out)
    return 0


cdef inline int64_t microseconds(timedelta past) noexcept:
    return (timedelta_days(past) * <int64_t>86_400 + timedelta_seconds(past)) * 1_000_000 + timedelta_microseconds(past)
